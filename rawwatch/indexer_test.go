package rawwatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

func put(s *Store[thing], name string, version int, node string) {
	s.Apply(thingEvent(Modified, CauseStream, "n", name, "u", version, node), nil)
}

// found are the names that stand in an index by a value.
func found(t *testing.T, s *Store[thing], index, value string) string {
	t.Helper()
	items, err := s.ByIndex(index, value)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for k, i := range items {
		if got, ok := s.Get(k); !ok || got != i {
			t.Errorf("%s: %s=%s has an item that the store has not", k, index, value)
		}
		names = append(names, k.Name)
	}
	return strings.Join(names, " ")
}

// TestIndexPanics: an object over which the function panics is not in the
// index, is counted, and comes back when the function can do with it.
func TestIndexPanics(t *testing.T) {
	cause := errors.New("bad node")
	var told []*IndexError
	s := newThings(t, StoreOptions[thing]{OnIndexError: func(e *IndexError) { told = append(told, e) }})
	put(s, "a", 1, "bad")
	put(s, "b", 2, "good")
	add := Indexers[thing]{"node": func(i *Item[thing]) []string {
		if i.Value.Spec.Node == "bad" {
			panic(cause)
		}
		return byNode(i)
	}}
	if err := s.AddIndexers(add); err != nil {
		t.Fatal(err)
	}
	status := func(entries, skipped int) {
		t.Helper()
		got, err := s.IndexStatus("node")
		if err != nil || got.Entries != entries || got.Skipped != skipped {
			t.Errorf("%+v %v, want %d entries, %d skipped", got, err, entries, skipped)
		}
	}
	status(1, 1)
	put(s, "b", 3, "bad")
	status(0, 2)
	put(s, "b", 4, "bad")
	status(0, 2)
	put(s, "a", 5, "good")
	status(1, 1)
	if got := found(t, s, "node", "good"); got != "a" {
		t.Errorf("found %q", got)
	}
	s.Apply(thingEvent(Deleted, CauseStream, "n", "b", "u", 6, "bad"), nil)
	status(1, 0)
	if len(told) != 3 || told[0].Key.Name != "a" || !errors.Is(told[0], cause) || strings.Contains(told[0].Error(), "bad") {
		t.Errorf("told %v", told)
	}
}

// TestIndexThatChangesItsMind: a function that does not always say the same
// value leaves nothing behind in its index.
func TestIndexThatChangesItsMind(t *testing.T) {
	said := 0
	s := newThings(t, StoreOptions[thing]{Indexers: Indexers[thing]{"odd": func(i *Item[thing]) []string {
		if said++; said%7 == 0 {
			panic("no")
		}
		return []string{fmt.Sprint(said % 5)}
	}}})
	for v := range 500 {
		put(s, fmt.Sprint("x", v%10), v+1, "n")
	}
	for v := range 10 {
		s.Apply(thingEvent(Deleted, CauseStream, "n", fmt.Sprint("x", v), "u", 1000, "n"), nil)
	}
	s.Snapshot().indexes[0].tree.check(t)
	if got, err := s.IndexStatus("odd"); err != nil || got.Entries != 0 || got.Skipped != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestIndexValues: several values per object, values said twice, none.
func TestIndexValues(t *testing.T) {
	s := newThings(t, StoreOptions[thing]{Indexers: Indexers[thing]{"word": func(i *Item[thing]) []string {
		return strings.Fields(i.Value.Spec.Node)
	}}})
	put(s, "a", 1, "x y x")
	put(s, "b", 2, "y z")
	put(s, "c", 3, "")
	check := func(want ...string) {
		t.Helper()
		values, err := s.IndexValues("word")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for v := range values {
			got = append(got, v+": "+found(t, s, "word", v))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("x: a", "y: a b", "z: b")
	put(s, "a", 4, "z")
	put(s, "c", 5, "z y")
	check("y: b c", "z: a b c")
	s.Apply(thingEvent(Deleted, CauseStream, "n", "b", "u", 6, "y z"), nil)
	check("y: c", "z: a c")
	if got := found(t, s, NamespaceIndex, "n"); got != "a c" {
		t.Errorf("in the namespace: %q", got)
	}
	values, err := s.IndexValues(NamespaceIndex)
	if err != nil || !slices.Equal(slices.Collect(values), []string{"n"}) {
		t.Errorf("namespaces: %v", err)
	}
}

// TestIndexAddsIndex: an index function that adds an index is no deadlock.
func TestIndexAddsIndex(t *testing.T) {
	s := newThings(t, StoreOptions[thing]{})
	put(s, "a", 1, "x")
	var inner error
	err := s.AddIndexers(Indexers[thing]{"outer": func(i *Item[thing]) []string {
		inner = s.AddIndexers(Indexers[thing]{"inner": byNode})
		return byNode(i)
	}})
	if err != nil || inner != nil {
		t.Fatal(err, inner)
	}
	put(s, "b", 2, "x")
	if !errors.Is(inner, ErrIndexExists) || found(t, s, "outer", "x") != "a b" || found(t, s, "inner", "x") != "a b" {
		t.Errorf("%v", inner)
	}
	if _, ok := s.Get(decode.Key{Name: "a"}); ok {
		t.Error("a key without namespace finds an object that has one")
	}
}

// TestIndexOfManyValues: whoever may write an object decides how many labels it
// has. What is said twice counts once.
func TestIndexOfManyValues(t *testing.T) {
	const n = 100_000
	values := make([]string, 0, 2*n)
	for i := range 2 * n {
		values = append(values, fmt.Sprint((2*n-i)%n))
	}
	want := slices.Clone(values)
	s := newThings(t, StoreOptions[thing]{Indexers: Indexers[thing]{"many": func(*Item[thing]) []string { return values }}})
	for version := range 3 {
		put(s, "a", version+1, "x")
	}
	if got, err := s.IndexStatus("many"); err != nil || got.Entries != n {
		t.Errorf("%+v, %v", got, err)
	}
	if !slices.Equal(values, want) {
		t.Error("the function's slice was changed")
	}
	if names := found(t, s, "many", "77777"); names != "a" {
		t.Errorf("found %q", names)
	}
}
