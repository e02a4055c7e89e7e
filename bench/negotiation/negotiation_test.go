package negotiation

import (
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

var widgets = watchtest.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Namespaced: true}

// objects are created in both servers; what only the real one needs, in that.
var objects = []struct {
	path, text string
	onlyReal   bool
}{
	{"/api/v1/namespaces", `{"metadata":{"name":"edge"}}`, true},
	{"/api/v1/namespaces/edge/serviceaccounts", `{"metadata":{"name":"default"}}`, true},
	{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},` +
		`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`, true},
	{"/api/v1/namespaces/edge/pods", `{"metadata":{"name":"a","labels":{"app":"web"}},"spec":{"containers":[{"name":"m","image":"i"}]},"status":{"phase":"Pending"}}`, false},
	{"/api/v1/namespaces/edge/pods", `{"metadata":{"name":"b"},"spec":{"nodeName":"n","containers":[{"name":"m","image":"i"},{"name":"k","image":"i"}],"readinessGates":[{"conditionType":"x/y"}]},"status":{"phase":"Pending"}}`, false},
	{"/api/v1/namespaces/edge/configmaps", `{"metadata":{"name":"c"},"data":{"a":"b","d":""},"binaryData":{"e":"AAEC"}}`, false},
	{"/api/v1/namespaces/edge/secrets", `{"metadata":{"name":"s"},"type":"Opaque","data":{"a":"AAEC"}}`, false},
	{"/apis/example.com/v1/namespaces/edge/widgets", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"x":1}}`, false},
}

const (
	core   = "/api/v1/namespaces/edge/"
	custom = "/apis/example.com/v1/namespaces/edge/widgets"
	watch  = "?watch=1&timeoutSeconds=1"
	marked = watch + "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
)

var paths = []string{
	core + "pods/a", core + "pods/none", core + "pods", core + "pods?limit=1", core + "pods?resourceVersion=x", core + "pods" + watch, core + "pods" + marked,
	core + "pods" + watch + "&resourceVersion=x", core + "pods" + marked + "&resourceVersion=99999999", core + "pods?resourceVersion=99999999",
	core + "configmaps/c", core + "configmaps", core + "configmaps" + marked, core + "configmaps" + marked + "&includeObject=None", core + "configmaps?includeObject=Object", core + "configmaps?includeObject=All",
	core + "secrets", core + "nothing",
	custom + "/w", custom + "/none", custom, custom + watch, custom + marked, "/apis/none.example.com/v1/widgets",
}

const (
	text     = "application/json"
	protobuf = "application/vnd.kubernetes.protobuf"
	meta     = ";g=meta.k8s.io;v=v1"
	partial  = ";as=PartialObjectMetadata" + meta
	partials = ";as=PartialObjectMetadataList" + meta
	table    = ";as=Table" + meta
)

var accepts = []string{
	"", text, protobuf, "*/*", "application/*", "text/html", "APPLICATION/JSON", "nonsense",
	protobuf + "," + text, protobuf + ";q=0.5," + text, text + ";q=0.5," + protobuf, text + ";q=0", "*/*," + protobuf, "application/*," + protobuf, "text/html," + protobuf,
	protobuf + ";stream=watch", text + ";stream=watch", protobuf + ";stream=other", protobuf + ";stream=watch," + text + ";stream=watch",
	text + partial, protobuf + partial, text + partials, protobuf + partials, "*/*" + partial,
	protobuf + partial + "," + text + partial + "," + text, protobuf + partials + "," + text + partials + "," + text, protobuf + partials + "," + protobuf,
	text + partial + "," + text, text + partial + "," + protobuf, text + ";as=PartialObjectMetadata;g=other;v=v1", text + ";as=PartialObjectMetadata",
	text + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
	text + ";as=Nothing" + meta, text + ";as=Nothing" + meta + "," + text, text + ";v=v1",
	text + table, protobuf + table, protobuf + table + "," + text + table, protobuf + table + "," + text, text + ";as=Table;g=meta.k8s.io;v=v1beta1",
}

// moment is what differs between two servers.
var moment = regexp.MustCompile(`current: \d+`)

// askers is how many questions are under way: watches take a second each.
const askers = 16

func TestSameAnswers(t *testing.T) {
	actual, fake := both(t)
	var all sync.WaitGroup
	slots := make(chan struct{}, askers)
	var same atomic.Int64
	for _, path := range paths {
		for _, accept := range accepts {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				want, err1 := ask(t.Context(), actual, path, accept)
				got, err2 := ask(t.Context(), fake, path, accept)
				if err1 != nil || err2 != nil {
					t.Errorf("%s\nAccept: %s\n%v, %v", path, accept, err1, err2)
					return
				}
				want.body, got.body = moment.ReplaceAllString(want.body, "…"), moment.ReplaceAllString(got.body, "…")
				if got != want {
					t.Errorf("%s\nAccept: %s\n%d %s\n%s\nthe real server:\n%d %s\n%s", path, accept, got.code, got.contentType, got.body, want.code, want.contentType, want.body)
					return
				}
				same.Add(1)
			})
		}
	}
	all.Wait()
	t.Log(same.Load(), "answers are the same")
}
