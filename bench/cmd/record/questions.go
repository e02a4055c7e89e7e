package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

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
	// custom resources have no protobuf.
	custom bool
	// gzip asks for, and records, a compressed answer.
	gzip bool
	// during happens while a watch is open.
	during func(context.Context, *realapi.Direct) error
}

func (q question) header(accept string) http.Header {
	h := http.Header{"Accept": {accept}}
	if q.gzip {
		h.Set("Accept-Encoding", "gzip")
	}
	return h
}

func (q question) watch() bool { return strings.Contains(q.path, "watch=1") }

const (
	inCustom    = "/apis/example.com/v1/namespaces/recorded"
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
	{name: "custom-list", path: inCustom + "/widgets", custom: true},
	{name: "custom-watch", path: inCustom + "/widgets" + watchFor + initial, custom: true},
	{name: "custom-error-invalid", path: inCustom + "/widgets?fieldSelector=spec.none%3D1", custom: true},
	{name: "gzip-initial", path: inNamespace + "/pods" + watchFor + initial, gzip: true, during: label},
	{name: "gzip-metadata", path: inNamespace + "/pods" + watchFor + initial, as: "PartialObjectMetadata", gzip: true, during: label},
}

// label changes a pod.
func label(ctx context.Context, d *realapi.Direct) error {
	body := fmt.Appendf(nil, `{"metadata":{"labels":{"changed":"%d"}}}`, time.Now().UnixMilli())
	_, err := d.Do(ctx, "PATCH", inNamespace+"/pods/one", body)
	return err
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
