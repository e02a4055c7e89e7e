package rawwatch

import (
	"compress/flate"
	"fmt"
	"runtime"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// fivePod is a pod of which five things are kept.
type fivePod struct {
	Metadata decode.Identity `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

// fivePodEvent is the event of pod n in its version-th state, and the length of
// the strings that are kept of it.
func fivePodEvent(t EventType, cause Cause, n, version int) (e Event, text int) {
	id := decode.Identity{
		Namespace: fmt.Sprintf("team-%02d", n/1250), Name: fmt.Sprintf("web-7d4b9c6f5d-%05x", n),
		UID: fmt.Sprintf("6f1d2c3b-0a9e-4b7c-8d5e-%012x", n), ResourceVersion: fmt.Sprint(80000 + n + version*100000),
	}
	node, ip := fmt.Sprintf("node-%03d", n%200), fmt.Sprintf("10.%d.%d.%d", n%4, n/256%256, n%256)
	raw := fmt.Sprintf(`{"metadata":{"name":%q,"namespace":%q,"uid":%q,"resourceVersion":%q,"labels":{"app":"web","team":%q}},"spec":{"nodeName":%q},"status":{"phase":"Running","podIP":%q}}`,
		id.Name, id.Namespace, id.UID, id.ResourceVersion, id.Namespace, node, ip)
	all := id.Namespace + id.Name + id.UID + id.ResourceVersion // as Meta.Identity copies them
	for _, part := range []*string{&id.Namespace, &id.Name, &id.UID, &id.ResourceVersion} {
		*part, all = all[:len(*part)], all[len(*part):]
	}
	o := Object{Identity: id, Raw: []byte(raw)}
	text = len(id.Namespace) + len(id.Name) + len(id.UID) + len(id.ResourceVersion) + len(node) + len("Running") + len(ip)
	return Event{Type: t, Cause: cause, Object: o, ResourceVersion: id.ResourceVersion}, text
}

// heap is what is reachable, in bytes.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// storeSize fills a store with n pods, and changes each of them some times. It
// returns bytes per pod, all told and over the strings' own length.
func storeSize[T any](t testing.TB, o StoreOptions[T], n, changes int) (all, over float64) {
	t.Helper()
	before, text := heap(), 0
	s, err := NewStore(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n { // in the order of keys, as a list tells them
		e, length := fivePodEvent(Added, CauseList, i, 0)
		s.Apply(e, nil)
		text += length
	}
	s.Apply(Event{Type: Synced, Cause: CauseList}, nil)
	for v := range changes {
		for i := range n {
			e, _ := fivePodEvent(Modified, CauseStream, i, v+1)
			s.Apply(e, nil)
		}
	}
	size := heap() - before
	if s.Len() != n {
		t.Fatalf("%d items of %d: %v", s.Len(), n, size)
	}
	runtime.KeepAlive(s)
	return float64(size) / float64(n), float64(size-text) / float64(n)
}

func fiveNode(i *Item[fivePod]) []string { return []string{i.Value.Spec.NodeName} }

// TestStoreMemory holds the store to what it promises: five fields of a pod take
// at most 400 bytes beside the strings' own, also with an index, and when all
// pods have changed since they were listed.
func TestStoreMemory(t *testing.T) {
	const most = 400
	size := func(name string, pods, changes int, o StoreOptions[fivePod]) {
		all, over := storeSize(t, o, pods, changes)
		t.Logf("%s: %.0f bytes per pod, %.0f over its strings", name, all, over)
		if over > most {
			t.Errorf("%s: %.0f bytes per pod over the strings, want at most %d", name, over, most)
		}
	}
	size("five fields", 50_000, 0, StoreOptions[fivePod]{})
	size("changed since", 10_000, 1, StoreOptions[fivePod]{})
	size("with labels and an index", 10_000, 0, StoreOptions[fivePod]{KeepLabels: true, Indexers: Indexers[fivePod]{"node": fiveNode}})
}

// BenchmarkStoreMemory reports what each way to keep takes.
func BenchmarkStoreMemory(b *testing.B) {
	measure(b, "fields", StoreOptions[fivePod]{})
	measure(b, "fields+labels", StoreOptions[fivePod]{KeepLabels: true})
	measure(b, "fields+index", StoreOptions[fivePod]{Indexers: Indexers[fivePod]{"node": fiveNode}})
	measure(b, "identity", StoreOptions[struct{}]{Keep: KeepIdentity()})
	measure(b, "raw", StoreOptions[RawObject]{Keep: KeepRaw()})
	packed, err := KeepCompressed(flate.BestSpeed)
	if err != nil {
		b.Fatal(err)
	}
	measure(b, "compressed", StoreOptions[CompressedObject]{Keep: packed})
}

func measure[T any](b *testing.B, name string, o StoreOptions[T]) {
	b.Run(name, func(b *testing.B) {
		var all, over float64
		for b.Loop() {
			all, over = storeSize(b, o, 50_000, 0)
		}
		b.ReportMetric(all, "B/object")
		b.ReportMetric(over, "B/object-over-strings")
		b.ReportMetric(0, "ns/op")
	})
}
