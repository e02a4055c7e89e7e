package rawwatch

import (
	"iter"

	"github.com/rawwatch/rawwatch/decode"
)

// ByIndex returns the items that stand in an index by a value, sorted by
// namespace and name. The error is an [*IndexNameError].
func (s *Snapshot[T]) ByIndex(name, value string) (iter.Seq2[decode.Key, *Item[T]], error) {
	if name == NamespaceIndex {
		return s.Namespace(value), nil
	}
	x, err := s.index(name)
	if err != nil {
		return nil, err
	}
	return func(yield func(decode.Key, *Item[T]) bool) {
		x.tree.root.ascend(&place{value: value}, func(v string, i *Item[T]) bool {
			return v == value && yield(i.Key(), i)
		})
	}, nil
}

// IndexValues returns the values that stand in an index, sorted. The error is
// an [*IndexNameError].
func (s *Snapshot[T]) IndexValues(name string) (iter.Seq[string], error) {
	root := s.items.root
	valueOf := func(_ string, i *Item[T]) string { return i.Namespace }
	if name != NamespaceIndex {
		x, err := s.index(name)
		if err != nil {
			return nil, err
		}
		root, valueOf = x.tree.root, func(v string, _ *Item[T]) string { return v }
	}
	return func(yield func(string) bool) {
		first, last := true, ""
		root.ascend(nil, func(v string, i *Item[T]) bool {
			v = valueOf(v, i)
			if !first && v == last {
				return true
			}
			first, last = false, v
			return yield(v)
		})
	}, nil
}

func (s *Snapshot[T]) index(name string) (*indexView[T], error) {
	for i := range s.indexes {
		if s.indexes[i].name == name {
			return &s.indexes[i], nil
		}
	}
	return nil, &IndexNameError{Index: name, Err: ErrUnknownIndex}
}

// ByIndex returns the items that stand in an index by a value, sorted by
// namespace and name, as they are now. The error is an [*IndexNameError].
func (s *Store[T]) ByIndex(name, value string) (iter.Seq2[decode.Key, *Item[T]], error) {
	return s.Snapshot().ByIndex(name, value)
}

// IndexValues returns the values that stand in an index, sorted, as they are
// now. The error is an [*IndexNameError].
func (s *Store[T]) IndexValues(name string) (iter.Seq[string], error) {
	return s.Snapshot().IndexValues(name)
}
