package rawwatch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// thing is what the stores of these tests keep.
type thing struct {
	Spec struct {
		Node string `json:"node"`
	} `json:"spec"`
}

func thingEvent(t EventType, cause Cause, ns, name, uid string, version int, node string) Event {
	id := decode.Identity{Namespace: ns, Name: name, UID: uid, ResourceVersion: fmt.Sprint(version)}
	raw := fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q,"uid":%q,"resourceVersion":"%d","labels":{"node":%q}},"spec":{"node":%q}}`, ns, name, uid, version, node, node)
	return Event{Type: t, Cause: cause, Object: Object{Identity: id, Raw: []byte(raw)}, ResourceVersion: id.ResourceVersion}
}

func byNode(i *Item[thing]) []string { return []string{i.Value.Spec.Node} }

func newThings(t testing.TB, o StoreOptions[thing]) *Store[thing] {
	t.Helper()
	s, err := NewStore(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkTree fails unless a tree is sound: sorted, of one depth, nothing empty,
// within its bounds, of the size that it says.
func (t *tree[T]) check(tb testing.TB) {
	tb.Helper()
	n, depth := 0, -1
	var last place
	var walk func(node *node[T], level int, low place)
	walk = func(node *node[T], level int, low place) {
		if node.len() == 0 || node.len() > fan {
			tb.Fatalf("a node of %d", node.len())
		}
		if b := node.branch; b != nil {
			if len(b.lows) != len(b.kids) {
				tb.Fatalf("%d lows for %d children", len(b.lows), len(b.kids))
			}
			for i, kid := range b.kids {
				if i > 0 {
					low = b.lows[i]
				}
				walk(kid, level+1, low)
			}
			return
		}
		if depth >= 0 && depth != level || t.indexed != (node.values != nil) || t.indexed && len(node.values) != len(node.items) {
			tb.Fatalf("leaf on level %d, not %d; %d values", level, depth, len(node.values))
		}
		depth = level
		for i := range node.items {
			p := node.place(i)
			if n > 0 && last.compare(&p) >= 0 || p.compare(&low) < 0 {
				tb.Fatalf("%v after %v, low %v", p, last, low)
			}
			last, n = p, n+1
		}
	}
	if t.root != nil {
		walk(t.root, 0, place{})
	}
	if n != t.size {
		tb.Fatalf("%d items, size says %d", n, t.size)
	}
}

// TestStoreModel compares a store with a plain map, through random changes.
func TestStoreModel(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newThings(t, StoreOptions[thing]{Indexers: Indexers[thing]{"node": byNode}})
		model := map[decode.Key]string{}
		keys := 1 + r.IntN(2000)
		for v := 1; v < 6000; v++ {
			ns, name, node := fmt.Sprint("n", r.IntN(3)), fmt.Sprint("x", r.IntN(keys)), fmt.Sprint("node-", r.IntN(8))
			key := decode.Key{Namespace: ns, Name: name}
			kind := Modified
			if r.IntN(2+v/2000*2) > 1 || r.IntN(3) == 0 {
				kind = Deleted
				delete(model, key)
			} else {
				model[key] = node
			}
			s.Apply(thingEvent(kind, CauseStream, ns, name, "u", v, node), nil)
		}
		compareThings(t, s.Snapshot(), model)
	}
}

func compareThings(t *testing.T, s *Snapshot[thing], model map[decode.Key]string) {
	t.Helper()
	s.items.check(t)
	got := map[decode.Key]string{}
	for k, i := range s.All() {
		got[k] = i.Value.Spec.Node
	}
	if !maps.Equal(got, model) || s.Len() != len(model) {
		t.Fatalf("%d items, want %d", len(got), len(model))
	}
	nodes := map[string][]decode.Key{}
	for _, k := range slices.SortedFunc(maps.Keys(model), compareKeys) {
		nodes[model[k]] = append(nodes[model[k]], k)
		if i, ok := s.Get(k); !ok || i.Value.Spec.Node != model[k] {
			t.Fatalf("%v: %v %v", k, i, ok)
		}
	}
	for i := range s.indexes {
		x := &s.indexes[i]
		x.tree.check(t)
		if x.tree.size != len(model) {
			t.Fatalf("%d entries in the index, want %d", x.tree.size, len(model))
		}
		for node, want := range nodes {
			seq, err := s.ByIndex(x.name, node)
			if err != nil {
				t.Fatal(err)
			}
			var got []decode.Key
			for k := range seq {
				got = append(got, k)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %d items, want %d", node, len(got), len(want))
			}
		}
	}
}
