package rawwatch

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// relistTo makes a relist of n objects, all on one node.
func relistTo(s *Store[thing], n, version int) {
	x := storeIndex[thing]{s}
	x.BeginRelist()
	for i := range n {
		e := thingEvent(Added, CauseRelist, fmt.Sprint("n", i%3), fmt.Sprint("x", i), "u", version, fmt.Sprint("node-", version))
		x.Observe(meta(&e))
		s.Apply(e, nil)
	}
	for id := range x.EndRelist() {
		s.Apply(Event{Type: Deleted, Cause: CauseRelist, Object: Object{Identity: id}}, nil)
	}
	s.Apply(Event{Type: Synced, Cause: CauseRelist}, nil)
}

// whole says what is wrong with a view in which all objects must be on one
// node; items and index must agree.
func whole(s *Snapshot[thing], sizes []int) error {
	node, n := "", 0
	for k, i := range s.All() {
		if n++; n == 1 {
			node = i.Value.Spec.Node
		}
		if got, ok := s.Get(k); i.Value.Spec.Node != node || !ok || got != i {
			return fmt.Errorf("%v is on %s, others on %s", k, i.Value.Spec.Node, node)
		}
	}
	if n != s.Len() || !slices.Contains(sizes, n) {
		return fmt.Errorf("%d items, Len says %d", n, s.Len())
	}
	for _, x := range s.indexes {
		indexed, err := s.ByIndex(x.name, node)
		if err != nil {
			return err
		}
		for k, i := range indexed {
			if got, _ := s.Get(k); got != i {
				return fmt.Errorf("the index has another %v", k)
			}
			n--
		}
		if n != 0 {
			return fmt.Errorf("%d items are not in the index", n)
		}
		n = s.Len()
	}
	return nil
}

// TestReadersDuringRelists: whoever reads, and whenever, sees one list or the
// next, complete, and indexes that agree with it; also indexes added meanwhile.
func TestReadersDuringRelists(t *testing.T) {
	s := newThings(t, StoreOptions[thing]{Indexers: Indexers[thing]{"node": byNode}})
	if err := whole(s.Snapshot(), []int{0}); err != nil {
		t.Fatal(err)
	}
	sizes := []int{80, 160}
	relistTo(s, sizes[1], 1)
	held := s.Snapshot()
	var readers sync.WaitGroup
	var done atomic.Bool
	for range 2 {
		readers.Go(func() {
			for !done.Load() {
				if err := whole(s.Snapshot(), sizes); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	readers.Go(func() {
		for i := 0; i < 4 && !done.Load(); i++ {
			if err := s.AddIndexers(Indexers[thing]{fmt.Sprint("late", i): byNode}); err != nil {
				t.Error(err)
			}
		}
	})
	for v := range 12 {
		relistTo(s, sizes[v%2], v+2)
	}
	done.Store(true)
	readers.Wait()
	s.Snapshot().items.check(t)
	if err := whole(held, sizes); err != nil || held.Len() != sizes[1] {
		t.Errorf("a snapshot has changed: %v", err)
	}
}

// TestIndexAddedDuringStream: an index that is added while objects change has
// everything, once.
func TestIndexAddedDuringStream(t *testing.T) {
	s := newThings(t, StoreOptions[thing]{})
	model := map[decode.Key]string{}
	added := make(chan error, 1)
	for v := range 1500 {
		name, node := fmt.Sprint("x", v*7%900), fmt.Sprint("node-", v%5)
		kind := Modified
		if v%11 == 0 {
			kind = Deleted
			delete(model, decode.Key{Namespace: "n", Name: name})
		} else {
			model[decode.Key{Namespace: "n", Name: name}] = node
		}
		s.Apply(thingEvent(kind, CauseStream, "n", name, "u", v+1, node), nil)
		if v == 500 {
			go func() { added <- s.AddIndexers(Indexers[thing]{"a": byNode, "b": byNode}) }()
		}
	}
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	view := s.Snapshot()
	if len(view.indexes) != 2 {
		t.Fatalf("%d indexes", len(view.indexes))
	}
	compareThings(t, view, model)
}

// TestIndexDuringList: an index that is added in the midst of a list shows what
// is shown, and the rest when that is shown.
func TestIndexDuringList(t *testing.T) {
	s := newThings(t, StoreOptions[thing]{})
	s.Apply(thingEvent(Added, CauseStream, "n", "old", "u", 1, "node-1"), nil)
	s.Apply(thingEvent(Added, CauseRelist, "n", "new", "u", 2, "node-1"), nil)
	if err := s.AddIndexers(Indexers[thing]{"node": byNode}); err != nil {
		t.Fatal(err)
	}
	compareThings(t, s.Snapshot(), map[decode.Key]string{{Namespace: "n", Name: "old"}: "node-1"})
	s.Apply(Event{Type: Synced, Cause: CauseRelist}, nil)
	compareThings(t, s.Snapshot(), map[decode.Key]string{{Namespace: "n", Name: "old"}: "node-1", {Namespace: "n", Name: "new"}: "node-1"})
}

func TestIndexNames(t *testing.T) {
	s := newThings(t, StoreOptions[thing]{Indexers: Indexers[thing]{"node": byNode}})
	wrong := func(err error, name string, cause error) {
		t.Helper()
		var e *IndexNameError
		if !errors.As(err, &e) || e.Index != name || !errors.Is(err, cause) {
			t.Errorf("%v, want %v of %q", err, cause, name)
		}
	}
	_, err := s.ByIndex("nodes", "x")
	wrong(err, "nodes", ErrUnknownIndex)
	_, err = s.IndexValues("nodes")
	wrong(err, "nodes", ErrUnknownIndex)
	_, err = s.IndexStatus("nodes")
	wrong(err, "nodes", ErrUnknownIndex)
	wrong(s.AddIndexers(Indexers[thing]{"node": byNode}), "node", ErrIndexExists)
	wrong(s.AddIndexers(Indexers[thing]{NamespaceIndex: byNode}), NamespaceIndex, ErrIndexExists)
	wrong(s.AddIndexers(Indexers[thing]{"none": nil}), "none", ErrIndexFunc)
	_, err = NewStore(StoreOptions[thing]{Indexers: Indexers[thing]{"none": nil}})
	wrong(err, "none", ErrIndexFunc)
}
