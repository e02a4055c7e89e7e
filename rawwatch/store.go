package rawwatch

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/decode"
)

// Store is a cache of the objects of one query: for each object an [Item] with
// its identity and what of it is kept. One goroutine writes, with
// [Store.Apply]; all other methods are for any number of goroutines at any
// time, wait for nobody, and hold no lock while the caller's code runs.
//
// What a list says is shown all at once when it is complete. Until then readers
// see what was there before: nothing before the first list, never a part of
// one. Each method, and each loop over a sequence, sees one state of the store.
// Use a [Store.Snapshot] for several looks at the same one.
//
// A Store comes from [NewStore] or an [Informer]. The methods of a zero value panic:
// to tell it from an empty one would cost every look.
type Store[T any] struct {
	shown atomic.Pointer[Snapshot[T]]

	keep       Keep[T]
	transform  func(decode.Identity, *T) error
	labels     labelSource[T]
	indexError func(*IndexError)

	// mu is held while live is changed and shown is replaced: by the writer,
	// and by who adds an indexer. No code of users runs under it.
	mu   sync.Mutex
	live state[T]

	tracker tracker
	audit   *storeAudit[T] // under way; the writer's
}

// StoreOptions say what a [Store] keeps. The zero value keeps T's fields.
type StoreOptions[T any] struct {
	// Keep makes a T of an object; nil is [KeepFields]. Others are [KeepRaw],
	// [KeepCompressed] and [KeepIdentity].
	Keep Keep[T]
	// Transform changes what was kept before anybody sees it; nil does nothing.
	// What it drops is not retained. An error, or a panic, is the Item's Err.
	Transform func(id decode.Identity, value *T) error
	// KeepLabels keeps the labels of each object beside its value, for listers
	// with label selectors and for [Item.Labels]. Equal sets of labels are kept
	// once. It is not needed where T has the field metadata.labels, a
	// map[string]string.
	KeepLabels bool
	// Indexers are there from the start; see [Store.AddIndexers].
	Indexers Indexers[T]
	// OnIndexError is told of an object that an index does without, because
	// the index function panicked; nil tells nobody, but see
	// [Store.IndexStatus]. It is called by the writer, or within AddIndexers,
	// and must not block.
	OnIndexError func(*IndexError)
}

// NewStore returns an empty store. The error is a [*decode.TypeError] for a T
// that cannot be decoded into, or of AddIndexers.
func NewStore[T any](o StoreOptions[T]) (*Store[T], error) {
	s := &Store[T]{keep: o.Keep, transform: o.Transform, indexError: o.OnIndexError}
	if s.keep == nil {
		var err error
		if s.keep, err = KeepFields[T](); err != nil {
			return nil, err
		}
	}
	var err error
	if s.labels, err = labelsOf[T](o.KeepLabels); err != nil {
		return nil, err
	}
	s.publish()
	if err := s.AddIndexers(o.Indexers); err != nil {
		return nil, err
	}
	return s, nil
}

// Snapshot returns the store as it is now. It costs nothing to take, never
// changes, and is safe for concurrent use; as long as it is held, the items that
// it shows stay in memory.
func (s *Store[T]) Snapshot() *Snapshot[T] { return s.shown.Load() }

// Get returns the item of a key; false when there is none.
func (s *Store[T]) Get(key decode.Key) (*Item[T], bool) { return s.Snapshot().Get(key) }

// Len is the number of items.
func (s *Store[T]) Len() int { return s.Snapshot().Len() }

// All yields all items, sorted by namespace and name.
func (s *Store[T]) All() iter.Seq2[decode.Key, *Item[T]] {
	return func(yield func(decode.Key, *Item[T]) bool) { s.Snapshot().All()(yield) }
}

// Namespace yields the items of a namespace, sorted by name.
func (s *Store[T]) Namespace(namespace string) iter.Seq2[decode.Key, *Item[T]] {
	return func(yield func(decode.Key, *Item[T]) bool) { s.Snapshot().Namespace(namespace)(yield) }
}

// Prefix yields the items of a namespace whose names begin with prefix, sorted
// by name.
func (s *Store[T]) Prefix(namespace, prefix string) iter.Seq2[decode.Key, *Item[T]] {
	return func(yield func(decode.Key, *Item[T]) bool) { s.Snapshot().Prefix(namespace, prefix)(yield) }
}
