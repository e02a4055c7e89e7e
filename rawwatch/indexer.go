package rawwatch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rawwatch/rawwatch/decode"
)

// IndexFunc returns the values by which an item is found in an index: none, or
// several. It is called for new items and again for those that they replace, by
// the store's writer and by who adds the indexer. It must always return the
// same for the same item, and must not wait for the store's writer.
type IndexFunc[T any] func(*Item[T]) []string

// Indexers are index functions by the name of their index.
type Indexers[T any] map[string]IndexFunc[T]

// NamespaceIndex is the name of the index that every store has: by namespace.
const NamespaceIndex = "namespace"

// Errors of indexes. They come wrapped in an [*IndexNameError].
var (
	// ErrUnknownIndex: there is no index of this name.
	ErrUnknownIndex = errors.New("there is no such index; add it with StoreOptions.Indexers or AddIndexers")
	// ErrIndexExists: the store has an index of this name.
	ErrIndexExists = errors.New("there is an index of this name already")
	// ErrIndexFunc: the index has no function.
	ErrIndexFunc = errors.New("its index function is nil")
)

// An IndexNameError says what is wrong with an index that was named.
type IndexNameError struct {
	Index string
	Err   error // ErrUnknownIndex, ErrIndexExists, ErrIndexFunc
}

// Error implements error.
func (e *IndexNameError) Error() string { return fmt.Sprintf("rawwatch: index %q: %v", e.Index, e.Err) }

// Unwrap returns the cause.
func (e *IndexNameError) Unwrap() error { return e.Err }

// An IndexError says that an index function panicked over an object. The object
// is in the store, but not in this index.
type IndexError struct {
	Index string
	Key   decode.Key
	// Panic is what it panicked with. It may hold values of the object, and so
	// is not in the error's text.
	Panic any
}

// Error implements error.
func (e *IndexError) Error() string {
	return fmt.Sprintf("rawwatch: the function of index %q panicked over %s (with a %T); the object is not in this index", e.Index, e.Key, e.Panic)
}

// Unwrap returns the panic's value if it is an error.
func (e *IndexError) Unwrap() error {
	err, _ := e.Panic.(error)
	return err
}

// index is one index of a store.
type index[T any] struct {
	name    string
	values  IndexFunc[T]
	tree    tree[T]
	skipped map[decode.Key]*Item[T] // those that the function panicked over
	last    *IndexError
}

// move is what an index has to do when one item replaces another.
type move struct {
	from, to []string
	failed   *IndexError // to could not be had
	unknown  bool        // from could not be had
}

// of calls the index function. Its values come sorted and without repetitions:
// an object may have a hundred thousand labels.
func (x *index[T]) of(item *Item[T]) (values []string, failed *IndexError) {
	defer func() {
		if p := recover(); p != nil {
			values, failed = nil, &IndexError{Index: x.name, Key: item.Key(), Panic: p}
		}
	}()
	values = x.values(item)
	if len(values) > 1 { // the function's slice may be anybody's
		values = slices.Clone(values)
		slices.Sort(values)
		values = slices.Compact(values)
	}
	return values, nil
}

func holds(sorted []string, value string) bool {
	_, found := slices.BinarySearch(sorted, value)
	return found
}

// plan asks the index function what a change means for the index.
func (x *index[T]) plan(old, new *Item[T]) (m move) {
	if old != nil && x.skipped[old.Key()] != old {
		var failed *IndexError
		m.from, failed = x.of(old)
		m.unknown = failed != nil
	}
	if new != nil {
		m.to, m.failed = x.of(new)
	}
	return m
}

// move takes old out of the index, and puts new in.
func (x *index[T]) move(m *move, old, new *Item[T]) {
	lost := m.unknown
	if old != nil {
		key := old.Key()
		for _, v := range m.from {
			if holds(m.to, v) && new.Key() == key {
				continue // about to be replaced
			}
			lost = x.tree.remove(placeOf(v, key)) != old || lost
		}
		delete(x.skipped, key)
	}
	for _, v := range m.to {
		before := x.tree.put(placeOf(v, new.Key()), new)
		lost = lost || old != nil && holds(m.from, v) && before != old
	}
	if m.failed != nil {
		if x.skipped == nil {
			x.skipped = map[decode.Key]*Item[T]{}
		}
		x.skipped[new.Key()], x.last = new, m.failed
	}
	if lost {
		x.sweep(old)
	}
}

// sweep looks through the whole index for an item that does not stand where
// the index function says: it does not always say the same.
func (x *index[T]) sweep(item *Item[T]) {
	var stray []place
	x.tree.root.ascend(nil, func(value string, i *Item[T]) bool {
		if i == item {
			stray = append(stray, placeOf(value, i.Key()))
		}
		return true
	})
	for _, p := range stray {
		x.tree.remove(p)
	}
}
