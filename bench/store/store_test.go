package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// pods is how many objects the stores hold.
const pods = 20_000

// fields are the five that rawwatch keeps of a pod.
type fields struct {
	Metadata decode.Identity `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

func key(n int) decode.Key {
	return decode.Key{Namespace: load.Namespace(n), Name: fmt.Sprintf("web-7d4b9c6f5d-%05d", n)}
}

// text is pod n as a server sends it, without managed fields.
func text(tb testing.TB, n, version int) []byte {
	tb.Helper()
	pod := load.Pod(n)
	maps.Copy(pod, load.PodStatus(n, 0))
	metadata := pod["metadata"].(map[string]any)
	metadata["namespace"], metadata["name"] = key(n).Namespace, key(n).Name
	metadata["uid"] = fmt.Sprintf("6f1d2c3b-0a9e-4b7c-8d5e-%012d", n)
	metadata["resourceVersion"] = fmt.Sprint(80000 + version*pods + n)
	raw, err := json.Marshal(pod)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// event is what a reflector makes of pod n.
func event(tb testing.TB, cause rawwatch.Cause, n, version int) rawwatch.Event {
	tb.Helper()
	raw := text(tb, n, version)
	var m decode.Meta
	if err := decode.ScanMeta(raw, &m); err != nil {
		tb.Fatal(err)
	}
	o := rawwatch.Object{Identity: m.Identity(), APIVersion: "v1", Kind: "Pod", Raw: raw}
	return rawwatch.Event{Type: rawwatch.Modified, Cause: cause, Object: o, ResourceVersion: o.ResourceVersion}
}

func typed(tb testing.TB, n, version int) *corev1.Pod {
	tb.Helper()
	pod := new(corev1.Pod)
	if err := json.Unmarshal(text(tb, n, version), pod); err != nil {
		tb.Fatal(err)
	}
	return pod
}

// ours is a store of all pods, indexed by node.
func ours(tb testing.TB, keep rawwatch.Keep[fields]) *rawwatch.Store[fields] {
	tb.Helper()
	s, err := rawwatch.NewStore(rawwatch.StoreOptions[fields]{Keep: keep, Indexers: rawwatch.Indexers[fields]{
		"node": rawwatch.IndexBy(func(f *fields) string { return f.Spec.NodeName }),
	}})
	if err != nil {
		tb.Fatal(err)
	}
	for n := range pods {
		s.Apply(event(tb, rawwatch.CauseList, n, 0), nil)
	}
	s.Apply(rawwatch.Event{Type: rawwatch.Synced, Cause: rawwatch.CauseList}, nil)
	return s
}

// theirs is an indexer of all pods, by namespace and node.
func theirs(tb testing.TB) cache.Indexer {
	tb.Helper()
	s := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"node":               func(o any) ([]string, error) { return []string{o.(*corev1.Pod).Spec.NodeName}, nil },
	})
	for n := range pods {
		if err := s.Add(typed(tb, n, 0)); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// TestSame: both hold the same pods, and find the same by node.
func TestSame(t *testing.T) {
	mine, other := ours(t, nil), theirs(t)
	if len(other.List()) != pods || mine.Len() != pods {
		t.Fatalf("%d and %d pods", mine.Len(), len(other.List()))
	}
	for k, item := range mine.All() {
		o, ok, err := other.GetByKey(k.String())
		if err != nil || !ok {
			t.Fatalf("%v: %v", k, err)
		}
		pod := o.(*corev1.Pod)
		if item.Value.Metadata != item.Identity || pod.Status.PodIP != item.Value.Status.PodIP || pod.ResourceVersion != item.ResourceVersion {
			t.Fatalf("%v: %+v", k, item.Value)
		}
	}
	for n := range 50 {
		var got, want []string
		items, err := mine.ByIndex("node", load.Node(n))
		if err != nil {
			t.Fatal(err)
		}
		for k := range items {
			got = append(got, k.String())
		}
		if want, err = other.IndexKeys("node", load.Node(n)); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if len(got) == 0 || !slices.Equal(got, want) {
			t.Fatalf("%s: %d pods, want %d", load.Node(n), len(got), len(want))
		}
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// BenchmarkMemory reports what a pod takes, indexes included.
func BenchmarkMemory(b *testing.B) {
	report := func(fill func() any) func(*testing.B) {
		return func(b *testing.B) {
			var size int
			for b.Loop() {
				before := heap()
				held := fill()
				size = heap() - before
				runtime.KeepAlive(held)
			}
			b.ReportMetric(float64(size)/pods, "B/object")
			b.ReportMetric(0, "ns/op")
		}
	}
	b.Run("rawwatch", report(func() any { return ours(b, nil) }))
	b.Run("client-go", report(func() any { return theirs(b) }))
}
