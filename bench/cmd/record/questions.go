package main

import (
	"context"
	"strings"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// question is one request.
type question struct {
	name string
	path string
	// as asks for PartialObjectMetadata or its list in place of the objects.
	as string
	// changes begins a watch at the version before the changes.
	changes bool
}

func (q question) watch() bool { return strings.Contains(q.path, "watch=1") }

const (
	inNamespace = "/api/v1/namespaces/recorded"
	watchFor    = "?watch=1&allowWatchBookmarks=true&timeoutSeconds=3"
	initial     = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
)

// questions are named after what they show. Watches end by their
// timeoutSeconds.
var questions = []question{
	{name: "list-pods", path: inNamespace + "/pods?limit=2"},
	{name: "list-metadata-pods", path: inNamespace + "/pods", as: "PartialObjectMetadataList"},
	{name: "list-secrets", path: inNamespace + "/secrets"},
	{name: "list-leases", path: "/apis/coordination.k8s.io/v1/namespaces/recorded/leases"},
	{name: "list-statefulsets", path: "/apis/apps/v1/namespaces/recorded/statefulsets"},
	{name: "list-crds", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"},
	{name: "watch-changes", path: inNamespace + "/configmaps" + watchFor, changes: true},
	{name: "watch-initial", path: inNamespace + "/pods" + watchFor + initial},
	{name: "watch-metadata", path: inNamespace + "/pods" + watchFor + initial, as: "PartialObjectMetadata"},
	{name: "watch-expired", path: inNamespace + "/pods" + watchFor + "&resourceVersion=1"},
	{name: "watch-toolarge", path: inNamespace + "/pods" + watchFor + initial + "&resourceVersion=99999999"},
	{name: "error-toolarge", path: inNamespace + "/pods?resourceVersion=99999999"},
	{name: "error-notfound", path: inNamespace + "/pods/nobody"},
}

// change creates, changes and deletes an object, and returns the version
// before that.
func change(ctx context.Context, d *realapi.Direct) (before string, err error) {
	if before, err = currentVersion(ctx, d, inNamespace+"/configmaps"); err != nil {
		return "", err
	}
	const object = inNamespace + "/configmaps/changing"
	for _, step := range []struct{ method, path, body string }{
		{"POST", inNamespace + "/configmaps", `{"metadata":{"name":"changing","labels":{"a":"b"}},"data":{"text":"one \"two\" ü"}}`},
		{"PATCH", object, `{"data":{"text":"three"},"binaryData":{"b":"AAEC"}}`},
		{"DELETE", object, ""},
	} {
		var body []byte
		if step.body != "" {
			body = []byte(step.body)
		}
		if _, err := d.Do(ctx, step.method, step.path, body); err != nil {
			return "", err
		}
	}
	return before, nil
}
