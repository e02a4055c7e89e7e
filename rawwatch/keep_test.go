package rawwatch

import (
	"compress/flate"
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch/selector"
)

var aKey = decode.Key{Namespace: "n", Name: "a"}

// TestKeepForms: what each form keeps is there after the event's bytes are
// overwritten.
func TestKeepForms(t *testing.T) {
	packed, err := KeepCompressed(flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := KeepCompressed(99); err == nil {
		t.Error("level 99 is taken")
	}
	want := string(thingEvent(Added, CauseStream, "n", "a", "u", 1, "node-1").Object.Raw)
	raw := keepOne(t, KeepRaw())
	if string(raw.Value.Raw) != want || raw.Value.Kind != "Thing" {
		t.Errorf("raw: %s", raw.Value.Raw)
	}
	small := keepOne(t, packed)
	text, err := small.Value.AppendRaw([]byte("> "))
	if string(text) != "> "+want || err != nil || small.Value.Kind != "Thing" {
		t.Errorf("compressed: %s %v", text, err)
	}
	if size, packed := small.Value.Size(); size != len(want) || packed >= size {
		t.Errorf("%d bytes of %d", packed, size)
	}
	if none, err := (CompressedObject{}).AppendRaw(nil); none != nil || err != nil {
		t.Errorf("the zero object holds %q %v", none, err)
	}
	if id := keepOne(t, KeepIdentity()); id.UID != "u" || id.ResourceVersion != "1" {
		t.Errorf("identity: %v", id)
	}
	fields, err := KeepFields[thing]()
	if err != nil {
		t.Fatal(err)
	}
	if f := keepOne(t, fields); f.Value.Spec.Node != "node-1" {
		t.Errorf("fields: %v", f)
	}
	if _, err := NewStore(StoreOptions[chan int]{}); !errors.As(err, new(*decode.TypeError)) {
		t.Errorf("a store of channels: %v", err)
	}
}

func keepOne[T any](t *testing.T, keep Keep[T]) *Item[T] {
	t.Helper()
	s, err := NewStore(StoreOptions[T]{Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	e := thingEvent(Added, CauseStream, "n", "a", "u", 1, "node-1")
	e.Object.APIVersion, e.Object.Kind = "v1", "Thing"
	s.Apply(e, nil)
	for i := range e.Object.Raw {
		e.Object.Raw[i] = 'x'
	}
	item, ok := s.Get(aKey)
	if !ok || item.Err() != nil {
		t.Fatalf("%v %v", item, ok)
	}
	return item
}

// TestKeepFails: an object that cannot be kept is in the store with its
// identity, its error, and the last value that could.
func TestKeepFails(t *testing.T) {
	refused := errors.New("refused")
	s := newThings(t, StoreOptions[thing]{KeepLabels: true, Transform: func(id decode.Identity, v *thing) error {
		switch v.Spec.Node {
		case "refuse":
			return refused
		case "panic":
			panic("secret")
		}
		v.Spec.Node = strings.ToUpper(v.Spec.Node)
		return nil
	}})
	apply := func(e Event, node, label string, want any) {
		t.Helper()
		var c Change[thing]
		s.Apply(e, func(got Change[thing]) bool { c = got; return true })
		item, ok := s.Get(aKey)
		if !ok || c.Item != item || c.Err != item.Err() || item.Value.Spec.Node != node || item.ResourceVersion != e.ResourceVersion {
			t.Errorf("%+v, the store has %+v %v", c, item, ok)
		}
		if got, _ := item.Labels().Get("node"); got != label {
			t.Errorf("label %q, want %q", got, label)
		}
		if want != nil && !errors.As(item.Err(), want) || (want == nil) != (item.Err() == nil) {
			t.Errorf("%v, want a %T", item.Err(), want)
		}
		if err := item.Err(); err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells values: %v", err)
		}
	}
	bad := func(version int) Event {
		e := thingEvent(Modified, CauseStream, "n", "a", "u", version, "x")
		e.Object.Raw = []byte(`{"metadata":{"namespace":"n","name":"a"},"spec":{"node":5}}`)
		return e
	}
	told := func(version int) Event {
		e := thingEvent(Modified, CauseStream, "n", "a", "u", version, "x")
		e.Err = &decode.ObjectError{Want: "an object"}
		return e
	}
	thingAt := func(version int, node string) Event {
		return thingEvent(Modified, CauseStream, "n", "a", "u", version, node)
	}
	apply(bad(1), "", "", new(*decode.ObjectError))
	apply(thingAt(2, "one"), "ONE", "one", nil)
	apply(bad(3), "ONE", "one", new(*decode.ObjectError))
	apply(told(4), "ONE", "one", new(*decode.ObjectError))
	apply(thingAt(5, "refuse"), "ONE", "one", &refused)
	apply(thingAt(6, "panic"), "ONE", "one", new(*KeepError))
	apply(thingAt(7, "two"), "TWO", "two", nil)
}

// TestDeleted: a deletion carries the final state when it came with one, and
// the last known one otherwise.
func TestDeleted(t *testing.T) {
	s := newThings(t, StoreOptions[thing]{})
	var c Change[thing]
	note := func(got Change[thing]) bool { c = got; return true }
	put(s, "a", 1, "first")
	known, _ := s.Get(aKey)
	s.Apply(thingEvent(Deleted, CauseStream, "n", "a", "another", 2, "x"), note)
	if c.Item != nil || s.Len() != 1 {
		t.Errorf("the deletion of another object: %+v", c)
	}
	s.Apply(thingEvent(Deleted, CauseStream, "n", "a", "u", 2, "last"), note)
	if c.Old != known || c.Item.Value.Spec.Node != "last" || c.Item.ResourceVersion != "2" || s.Len() != 0 {
		t.Errorf("%+v", c)
	}
	put(s, "a", 3, "again")
	known, _ = s.Get(aKey)
	s.Apply(Event{Type: Deleted, Cause: CauseStream, Object: Object{Identity: known.Identity}}, note)
	if c.Type != Deleted || c.Old != known || c.Item != known {
		t.Errorf("%+v", c)
	}
}

// TestListers: selectors over labels in T, and over labels that are kept.
func TestListers(t *testing.T) {
	type labelled struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}
	inT, err := NewStore(StoreOptions[labelled]{Indexers: Indexers[labelled]{"label": IndexByLabel[labelled]("node")}})
	if err != nil {
		t.Fatal(err)
	}
	listers(t, inT)
	listers(t, newThings(t, StoreOptions[thing]{KeepLabels: true, Indexers: Indexers[thing]{"label": IndexByLabel[thing]("node")}}))

	without := newThings(t, StoreOptions[thing]{})
	sel, err := selector.Parse("node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewLister(without, sel); !errors.Is(err, ErrLabelsNotKept) {
		t.Errorf("labels that are not kept: %v", err)
	}
	if _, err := NewLister(without, selector.Selector{}); err != nil {
		t.Error(err)
	}
}

func listers[T any](t *testing.T, s *Store[T]) {
	t.Helper()
	for i, o := range []struct{ ns, name, node string }{
		{"n", "a", "one"}, {"n", "b", "two"}, {"m", "a", "one"}, {"m", "c", "three"}, {"mm", "d", ""},
	} {
		s.Apply(thingEvent(Added, CauseStream, o.ns, o.name, "u", i+1, o.node), nil)
	}
	for text, want := range map[string]string{
		"":                     "m/a m/c mm/d n/a n/b",
		"node=one":             "m/a n/a",
		"node notin (one,two)": "m/c mm/d",
		"!node":                "",
	} {
		sel, err := selector.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLister(s, sel)
		if err != nil {
			t.Fatal(err)
		}
		var all, within, indexed []string
		for k := range l.All() {
			all = append(all, k.String())
		}
		for k := range l.In("m").All() {
			within = append(within, k.Name)
		}
		one, err := l.ByIndex("label", "one")
		if err != nil {
			t.Fatal(err)
		}
		for k := range one {
			indexed = append(indexed, k.Namespace)
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if _, ok := l.Get(decode.Key{Namespace: "m", Name: "c"}); ok != strings.Contains(want, "m/c") {
			t.Errorf("%q: Get says %v", text, ok)
		}
		if _, ok := l.In("n").Get(decode.Key{Namespace: "m", Name: "c"}); ok {
			t.Error("an item of another namespace")
		}
		if got := len(within); got != strings.Count(want, "m/")-strings.Count(want, "mm/") {
			t.Errorf("%q: in the namespace are %v", text, within)
		}
		if got := len(indexed); got != strings.Count(want, "/a") {
			t.Errorf("%q: indexed are %v", text, indexed)
		}
	}
}
