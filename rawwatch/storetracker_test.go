package rawwatch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// tracked is a store that is its reflector's index, beside a resume.Index that
// is told the same.
type tracked struct {
	*testing.T
	store   *Store[thing]
	index   storeIndex[thing]
	oracle  resume.Index[struct{}]
	seen    map[decode.Key]decode.Identity // as the changes that were delivered tell it
	listing bool
}

func (x *tracked) cause() Cause {
	if x.listing {
		return CauseRelist
	}
	return CauseStream
}

func meta(e *Event) *decode.Meta {
	var m decode.Meta
	if err := decode.ScanMeta(e.Object.Raw, &m); err != nil {
		panic(err)
	}
	return &m
}

// deliver follows the changes, and fails when one does not fit what is known,
// or when the store does not show it yet.
func (x *tracked) deliver(c Change[thing]) bool {
	if c.Type == Synced || c.Type == Bookmark {
		return true
	}
	key := c.Item.Key()
	known, ok := x.seen[key]
	shown, there := x.store.Get(key)
	switch {
	case c.Type == Added && (ok || c.Old != nil):
		x.Fatalf("%v is added twice", key)
	case c.Type == Modified && (!ok || known != c.Old.Identity || c.Item.UID != c.Old.UID):
		x.Fatalf("%v is modified from %v, known is %v", key, c.Old, known)
	case c.Type == Deleted && (!ok || known != c.Old.Identity || c.Item.UID != c.Old.UID):
		x.Fatalf("%v is deleted, known is %v", key, known)
	case c.Type == Deleted && there && shown == c.Old:
		x.Fatalf("%v is still shown", key)
	case c.Type != Deleted && (!there || shown.UID == c.Item.UID && shown != c.Item):
		x.Fatalf("%v is not shown", key)
	}
	if c.Type == Deleted {
		delete(x.seen, key)
	} else {
		x.seen[key] = c.Item.Identity
	}
	return true
}

func (x *tracked) apply(e Event) {
	if !x.store.Apply(e, x.deliver) {
		x.Fatal("Apply says that deliver has returned false")
	}
}

// observe does what a reflection does with an object of a list or frame.
func (x *tracked) observe(e Event) {
	change, old := x.index.Observe(meta(&e))
	want, wantOld := x.oracle.Observe(meta(&e))
	if change != want || old != wantOld {
		x.Fatalf("%v: %v %v, want %v %v", e.Object.Identity, change, old, want, wantOld)
	}
	switch change {
	case resume.Replaced:
		x.apply(Event{Type: Deleted, Cause: x.cause(), Object: Object{Identity: old}})
		fallthrough
	case resume.Added, resume.Modified:
		x.apply(e)
	}
}

func (x *tracked) remove(e Event) {
	old, known := x.index.Remove(meta(&e))
	want, wantKnown := x.oracle.Remove(meta(&e))
	if old != want || known != wantKnown {
		x.Fatalf("%v: removes %v %v, want %v %v", e.Object.Identity, old, known, want, wantKnown)
	}
	switch {
	case known && old.UID == e.Object.UID:
		x.apply(e)
	case known:
		x.apply(Event{Type: Deleted, Cause: x.cause(), Object: Object{Identity: old}})
	}
}

func (x *tracked) endRelist() {
	var want []decode.Identity
	for id := range x.oracle.EndRelist() {
		want = append(want, id)
	}
	var got []decode.Identity
	for id := range x.index.EndRelist() {
		got = append(got, id)
		x.apply(Event{Type: Deleted, Cause: CauseRelist, Object: Object{Identity: id}})
	}
	slices.SortFunc(want, func(a, b decode.Identity) int { return compareKeys(a.Key(), b.Key()) })
	if !slices.Equal(got, want) {
		x.Fatalf("gone: %v, want %v", got, want)
	}
	x.apply(Event{Type: Synced, Cause: CauseRelist})
	x.listing = false
}

// TestStoreAsIndex compares what a store says of objects with what a
// resume.Index says, through random streams and relists, and what the changes
// tell with what the store shows.
func TestStoreAsIndex(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 2))
		x := &tracked{T: t, store: newThings(t, StoreOptions[thing]{}), seen: map[decode.Key]decode.Identity{}}
		x.index = storeIndex[thing]{x.store}
		event := func(kind EventType) Event {
			name, uid := fmt.Sprint("x", r.IntN(300)), fmt.Sprint("uid-", r.IntN(3))
			return thingEvent(kind, x.cause(), fmt.Sprint("n", r.IntN(2)), name, uid, 1+r.IntN(50), fmt.Sprint(r.IntN(9)))
		}
		for range 20 {
			if r.IntN(4) == 0 {
				x.index.ForgetOrder()
				x.oracle.ForgetOrder()
			}
			x.index.BeginRelist()
			x.oracle.BeginRelist()
			x.listing = true
			before := maps.Collect(x.store.All())
			for range r.IntN(600) {
				if x.observe(event(Modified)); r.IntN(20) == 0 {
					x.remove(event(Deleted))
				}
			}
			if !maps.Equal(before, maps.Collect(x.store.All())) {
				t.Fatal("a part of a list is shown")
			}
			if r.IntN(4) == 0 {
				x.index.AbortRelist()
				x.oracle.AbortRelist()
				continue
			}
			x.endRelist()
			for range r.IntN(200) {
				if x.observe(event(Modified)); r.IntN(2) == 0 {
					x.remove(event(Deleted))
				}
			}
			x.agree()
		}
	}
}

// agree compares everything that is known.
func (x *tracked) agree() {
	x.store.Snapshot().items.check(x)
	shown := map[decode.Key]decode.Identity{}
	for k, i := range x.store.All() {
		shown[k] = i.Identity
	}
	known := map[decode.Key]decode.Identity{}
	for id := range x.oracle.All() {
		known[id.Key()] = id
	}
	if !maps.Equal(shown, known) || !maps.Equal(shown, x.seen) || x.index.Len() != len(known) {
		x.Fatalf("the store shows %d, the index knows %d, the changes tell %d", len(shown), len(known), len(x.seen))
	}
}
