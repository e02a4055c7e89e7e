package rawwatch

import (
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
		Namespace: fmt.Sprintf("team-%02d", n%40), Name: fmt.Sprintf("web-7d4b9c6f5d-%05x", n*7919%0xfffff),
		UID: fmt.Sprintf("6f1d2c3b-0a9e-4b7c-8d5e-%012x", n), ResourceVersion: fmt.Sprint(80000 + n + version*100000),
	}
	node, ip := fmt.Sprintf("node-%03d", n%200), fmt.Sprintf("10.%d.%d.%d", n%4, n/256%256, n%256)
	raw := fmt.Sprintf(`{"metadata":{"name":%q,"namespace":%q,"uid":%q,"resourceVersion":%q,"labels":{"app":"web","team":%q}},"spec":{"nodeName":%q},"status":{"phase":"Running","podIP":%q}}`,
		id.Name, id.Namespace, id.UID, id.ResourceVersion, id.Namespace, node, ip)
	var m decode.Meta
	if err := decode.ScanMeta([]byte(raw), &m); err != nil {
		panic(err)
	}
	o := (&kindCache{}).object([]byte(raw), &m)
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
	var order []int // as a list tells them: by key
	names, err := NewStore(StoreOptions[struct{}]{Keep: KeepIdentity(), Transform: nil})
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[decode.Key]int{}
	for i := range n {
		e, _ := fivePodEvent(Added, CauseList, i, 0)
		names.Apply(e, nil)
		numbers[e.Object.Key()] = i
	}
	names.Apply(Event{Type: Synced, Cause: CauseList}, nil)
	for k := range names.All() {
		order = append(order, numbers[k])
	}
	names, numbers = nil, nil
	before, text := heap(), 0
	s, err := NewStore(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range order {
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
	runtime.KeepAlive(order)
	return float64(size) / float64(n), float64(size-text) / float64(n)
}

// TestStoreMemory holds the store to what it promises: five fields of a pod take
// at most 400 bytes beside the strings' own.
func TestStoreMemory(t *testing.T) {
	for _, changes := range []int{0, 2} {
		all, over := storeSize(t, StoreOptions[fivePod]{}, 50_000, changes)
		t.Logf("five fields, %d changes of each: %.0f bytes per pod, %.0f over its strings", changes, all, over)
		if over > 400 {
			t.Errorf("%.0f bytes per pod over the strings, want at most 400", over)
		}
	}
	all, over := storeSize(t, StoreOptions[struct{}]{Keep: KeepIdentity()}, 50_000, 0)
	t.Logf("identity: %.0f bytes per pod, %.0f over its strings", all, over)
	all, over = storeSize(t, StoreOptions[fivePod]{KeepLabels: true}, 50_000, 0)
	t.Logf("five fields and labels: %.0f bytes per pod, %.0f over its strings", all, over)
	all, over = storeSize(t, StoreOptions[fivePod]{Indexers: Indexers[fivePod]{
		"node": func(i *Item[fivePod]) []string { return []string{i.Value.Spec.NodeName} },
	}}, 50_000, 0)
	t.Logf("five fields and one index: %.0f bytes per pod, %.0f over its strings", all, over)
	all, over = storeSize(t, StoreOptions[RawObject]{Keep: KeepRaw()}, 50_000, 0)
	t.Logf("raw: %.0f bytes per pod, %.0f over its strings", all, over)
}
