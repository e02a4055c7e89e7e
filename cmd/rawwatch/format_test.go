package main

import (
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

var (
	podA  = rawwatch.Object{Identity: decode.Identity{Namespace: "edge", Name: "a", UID: "u1", ResourceVersion: "7"}, Kind: "Pod", APIVersion: "v1", Raw: []byte(`{"metadata":{"namespace":"edge","name":"a","uid":"u1","resourceVersion":"7"}}`)}
	nodeA = rawwatch.Object{Identity: decode.Identity{Name: "n1", UID: "u2", ResourceVersion: "8"}, Kind: "Node", APIVersion: "v1"}
)

func TestListFormats(t *testing.T) {
	for _, test := range []struct {
		name, format string
		query        rawwatch.Query
		object       rawwatch.Object
		want         string
	}{
		{"one namespace", "name", rawwatch.Pods.InNamespace("edge"), podA, "pod/a"},
		{"all namespaces", "name", rawwatch.Pods.AllNamespaces(), podA, "edge/a"},
		{"cluster-scoped", "name", rawwatch.Nodes.Query(), nodeA, "node/n1"},
		{"with a group", "name", rawwatch.Deployments.InNamespace("edge"), podA, "deployment.apps/a"},
		{"json", "json", rawwatch.Pods.AllNamespaces(), podA, `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"edge","name":"a","uid":"u1","resourceVersion":"7"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			format, err := formatOfList(test.format, test.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := format(nil, test.object)
			if err != nil || string(got) != test.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

func TestWatchFormats(t *testing.T) {
	stub := podA
	stub.Raw = nil
	for _, test := range []struct {
		name   string
		event  rawwatch.Event
		line   string
		object string
	}{
		{
			"stream", rawwatch.Event{Type: rawwatch.Modified, Cause: rawwatch.CauseStream, Object: podA},
			"09:05:03 MODIFIED edge/a",
			`{"type":"MODIFIED","cause":"stream","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"edge","name":"a","uid":"u1","resourceVersion":"7"}}}`,
		},
		{
			"list", rawwatch.Event{Type: rawwatch.Added, Cause: rawwatch.CauseList, Object: nodeA},
			"09:05:03 ADDED    n1 (list)",
			`{"type":"ADDED","cause":"list","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","uid":"u2","resourceVersion":"8"}}}`,
		},
		{
			"stub", rawwatch.Event{Type: rawwatch.Deleted, Cause: rawwatch.CauseRelist, Object: stub},
			"09:05:03 DELETED  edge/a (relist)",
			`{"type":"DELETED","cause":"relist","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"edge","name":"a","uid":"u1","resourceVersion":"7"}}}`,
		},
		{
			"synced", rawwatch.Event{Type: rawwatch.Synced, Cause: rawwatch.CauseRelist, ResourceVersion: "99"},
			"09:05:03 SYNCED   resourceVersion=99",
			`{"type":"SYNCED","resourceVersion":"99"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := time.Date(2026, 1, 2, 9, 5, 3, 0, time.UTC)
			if got := string(appendEventName(nil, test.event, now)); got != test.line {
				t.Errorf("-o name\ngot  %s\nwant %s", got, test.line)
			}
			if got, err := appendEventJSON(nil, test.event); err != nil || string(got) != test.object {
				t.Errorf("-o json\ngot  %s\nwant %s", got, test.object)
			}
		})
	}
}
