package rawwatch

import (
	"errors"
	"iter"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch/selector"
)

// ErrLabelsNotKept: a lister with a label selector was asked for of a store
// that does not know its objects' labels.
var ErrLabelsNotKept = errors.New("rawwatch: the store does not keep labels: set KeepLabels, or give T the field metadata.labels, a map[string]string")

// Lister is a view of a [Store]: those of its items that a label selector
// selects, of one namespace or all. Nothing is sent; each look is at the store
// as it is then. A Lister is a small value that may be copied, and is safe for
// concurrent use.
type Lister[T any] struct {
	store *Store[T]
	sel   selector.Selector

	namespace string
	within    bool // only that namespace
}

// NewLister returns the view of a store's items that sel selects; the zero
// selector selects all. The error is [ErrLabelsNotKept].
func NewLister[T any](s *Store[T], sel selector.Selector) (Lister[T], error) {
	if !sel.Empty() && !s.labels.known() {
		return Lister[T]{}, ErrLabelsNotKept
	}
	return Lister[T]{store: s, sel: sel}, nil
}

// In returns the part of the view that is in a namespace.
func (l Lister[T]) In(namespace string) Lister[T] {
	l.namespace, l.within = namespace, true
	return l
}

// Get returns the item of a key; false when the view has none.
func (l Lister[T]) Get(key decode.Key) (*Item[T], bool) {
	item, ok := l.store.Get(key)
	if !ok || !l.selects(item) {
		return nil, false
	}
	return item, true
}

// All yields the items, sorted by namespace and name.
func (l Lister[T]) All() iter.Seq2[decode.Key, *Item[T]] {
	if l.within {
		return l.filter(l.store.Namespace(l.namespace))
	}
	return l.filter(l.store.All())
}

// ByIndex returns the items of the view that stand in one of the store's
// indexes by a value, as they are now. The error is an [*IndexNameError].
func (l Lister[T]) ByIndex(name, value string) (iter.Seq2[decode.Key, *Item[T]], error) {
	items, err := l.store.ByIndex(name, value)
	if err != nil {
		return nil, err
	}
	return l.filter(items), nil
}

func (l Lister[T]) filter(items iter.Seq2[decode.Key, *Item[T]]) iter.Seq2[decode.Key, *Item[T]] {
	return func(yield func(decode.Key, *Item[T]) bool) {
		for k, i := range items {
			if l.selects(i) && !yield(k, i) {
				return
			}
		}
	}
}

func (l Lister[T]) selects(i *Item[T]) bool {
	if l.within && i.Namespace != l.namespace {
		return false
	}
	return l.sel.Empty() || l.sel.Matches(func(key string) (string, bool) { return l.store.labels.get(i, key) })
}
