package rawwatch

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// val is what the stores of these tests keep of an object: eight bytes of Raw.
type val struct{ N, Group uint32 }

func keepVal(o Object, into *val) error {
	into.N, into.Group = binary.LittleEndian.Uint32(o.Raw), binary.LittleEndian.Uint32(o.Raw[4:])
	return nil
}

// fanWorld is an informer without a server: events are made up, and published.
type fanWorld struct {
	t       testing.TB
	subs    *subscribers[val]
	store   *Store[val]
	version int
	cause   Cause
}

func newFan(t testing.TB) *fanWorld {
	t.Helper()
	store, err := NewStore(StoreOptions[val]{Keep: keepVal})
	if err != nil {
		t.Fatal(err)
	}
	return &fanWorld{t: t, store: store, subs: newSubscribers(store, nil, nil), cause: CauseStream}
}

// event publishes one; group is a part of the object's value.
func (w *fanWorld) event(typ EventType, name, uid string, group uint32) {
	w.t.Helper()
	if err := w.subs.publish(w.t.Context(), w.make(typ, name, uid, group)); err != nil {
		w.t.Error(err)
	}
}

func (w *fanWorld) make(typ EventType, name, uid string, group uint32) Event {
	w.version++
	e := Event{Type: typ, Cause: w.cause, ResourceVersion: fmt.Sprint(w.version)}
	if typ == Synced || typ == Bookmark {
		return e
	}
	raw := binary.LittleEndian.AppendUint32(nil, uint32(w.version))
	e.Object = Object{
		Identity: decode.Identity{Namespace: "ns", Name: name, UID: uid, ResourceVersion: e.ResourceVersion},
		Raw:      binary.LittleEndian.AppendUint32(raw, group),
	}
	return e
}

func (w *fanWorld) add(name string)    { w.t.Helper(); w.event(Added, name, "u-"+name, 0) }
func (w *fanWorld) modify(name string) { w.t.Helper(); w.event(Modified, name, "u-"+name, 0) }
func (w *fanWorld) remove(name string) { w.t.Helper(); w.event(Deleted, name, "u-"+name, 0) }
func (w *fanWorld) sync()              { w.t.Helper(); w.event(Synced, "", "", 0) }

func (w *fanWorld) stop() {
	w.t.Helper()
	if err := w.subs.stop(context.Background()); err != nil {
		w.t.Error(err)
	}
}

func (w *fanWorld) subscribe(h Handler[val], o SubscriptionOptions[val]) *Subscription[val] {
	w.t.Helper()
	s, err := w.subs.subscribe(h, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *fanWorld) batches(h BatchHandler[val], o SubscriptionOptions[val]) *Subscription[val] {
	w.t.Helper()
	s, err := w.subs.subscribeBatch(h, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// text writes a change in short: type, name, value, and the old value.
func text(c Change[val]) string {
	if c.Item == nil {
		return string(c.Type)
	}
	s := fmt.Sprintf("%s %s %d", c.Type, c.Item.Name, c.Item.Value.N)
	if c.Type == Modified {
		s += fmt.Sprintf(" was %d", c.Old.Value.N)
	}
	return s
}

func nsKey(name string) decode.Key { return decode.Key{Namespace: "ns", Name: name} }

// recorder is a handler that writes down what it gets.
type recorder struct {
	mu  sync.Mutex
	got []string
}

func (r *recorder) handle(_ context.Context, c Change[val]) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, text(c))
	return nil
}

func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != len(want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// rawOf is the object's bytes as they were.
func (w *fanWorld) rawOf(item *Item[val]) []byte {
	raw := binary.LittleEndian.AppendUint32(nil, item.Value.N)
	return binary.LittleEndian.AppendUint32(raw, item.Value.Group)
}
