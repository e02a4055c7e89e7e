package rawwatch

// Predicate says whether the step from one state of an object to the next is
// worth a handler's while. old may be nil, where the state before is not known;
// the predicates below then hold. It is called on a subscription's goroutine and
// must not change the items.
type Predicate[T any] func(old, item *Item[T]) bool

// Changed holds when what get takes from the value differs: a generation, a
// phase, a struct of the fields that matter.
func Changed[T any, V comparable](get func(T) V) Predicate[T] {
	return func(old, item *Item[T]) bool {
		return old == nil || get(old.Value) != get(item.Value)
	}
}

// ChangedFunc is [Changed] for what == does not compare, such as slices and
// maps: it holds when equal is false.
func ChangedFunc[T any](equal func(a, b T) bool) Predicate[T] {
	return func(old, item *Item[T]) bool {
		return old == nil || !equal(old.Value, item.Value)
	}
}

// LabelsChanged holds when a label came, went, or has another value. The store
// must keep labels; see [StoreOptions].
func LabelsChanged[T any]() Predicate[T] {
	return func(old, item *Item[T]) bool {
		if old == nil {
			return true
		}
		a, b := old.Labels(), item.Labels()
		if a.Len() != b.Len() {
			return true
		}
		for key, value := range a.All() {
			if other, ok := b.Get(key); !ok || other != value {
				return true
			}
		}
		return false
	}
}

// AnyOf holds when one of the predicates does; without any it never holds.
func AnyOf[T any](predicates ...Predicate[T]) Predicate[T] {
	return func(old, item *Item[T]) bool {
		for _, p := range predicates {
			if p(old, item) {
				return true
			}
		}
		return false
	}
}
