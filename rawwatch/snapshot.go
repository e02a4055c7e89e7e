package rawwatch

import (
	"iter"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// Snapshot is a [Store] at one moment: a consistent view of all items and all
// indexes, which never changes.
type Snapshot[T any] struct {
	items   tree[T]
	indexes []indexView[T]
	labels  labelSource[T]
}

// indexView is an index at one moment.
type indexView[T any] struct {
	name string
	tree tree[T]
}

// Get returns the item of a key; false when there is none.
func (s *Snapshot[T]) Get(key decode.Key) (*Item[T], bool) {
	item := s.items.get(place{Key: key})
	return item, item != nil
}

// Len is the number of items.
func (s *Snapshot[T]) Len() int { return s.items.size }

// All yields all items, sorted by namespace and name.
func (s *Snapshot[T]) All() iter.Seq2[decode.Key, *Item[T]] {
	return func(yield func(decode.Key, *Item[T]) bool) {
		s.items.root.ascend(nil, func(_ string, i *Item[T]) bool { return yield(i.Key(), i) })
	}
}

// Namespace yields the items of a namespace, sorted by name.
func (s *Snapshot[T]) Namespace(namespace string) iter.Seq2[decode.Key, *Item[T]] {
	return s.Prefix(namespace, "")
}

// Prefix yields the items of a namespace whose names begin with prefix, sorted
// by name.
func (s *Snapshot[T]) Prefix(namespace, prefix string) iter.Seq2[decode.Key, *Item[T]] {
	return func(yield func(decode.Key, *Item[T]) bool) {
		from := place{Key: decode.Key{Namespace: namespace, Name: prefix}}
		s.items.root.ascend(&from, func(_ string, i *Item[T]) bool {
			return i.Namespace == namespace && strings.HasPrefix(i.Name, prefix) && yield(i.Key(), i)
		})
	}
}
