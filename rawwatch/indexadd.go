package rawwatch

import (
	"maps"
	"slices"
)

// AddIndexers adds indexes, at any time; what is in the store is in them when
// AddIndexers returns. The error is an [*IndexNameError]: an index of this name
// exists, or has no function; those of the others that come before it by name
// have then been added.
func (s *Store[T]) AddIndexers(indexers Indexers[T]) error {
	for _, name := range slices.Sorted(maps.Keys(indexers)) {
		if err := s.addIndex(name, indexers[name]); err != nil {
			return &IndexNameError{Index: name, Err: err}
		}
	}
	return nil
}

// building is an index that follows the items of a store.
type building[T any] struct {
	*index[T]
	root *node[T] // of the items that are in it
}

// follow takes in what is different in other items. It calls the index function.
func (b *building[T]) follow(root *node[T]) (failed []*IndexError) {
	diff(b.root, root, func(old, new *Item[T]) bool {
		m := b.plan(old, new)
		b.move(&m, old, new)
		if m.failed != nil {
			failed = append(failed, m.failed)
		}
		return true
	})
	b.root = root
	return failed
}

// clone is a second index, which goes its own way.
func (b *building[T]) clone() *building[T] {
	x := *b.index
	b.tree.freeze()
	x.tree.freeze()
	x.skipped = maps.Clone(x.skipped)
	return &building[T]{&x, b.root}
}

// patience is how often an index that is being built follows a store that goes
// on changing, before it makes the writer wait for the rest: the one case in
// which an index function runs under the writer's lock.
const patience = 64

// addIndex builds an index beside the store, so that neither readers nor the
// writer wait for the index function, and puts it in when nothing has changed
// since it last looked.
func (s *Store[T]) addIndex(name string, values IndexFunc[T]) error {
	if values == nil {
		return ErrIndexFunc
	}
	shown := &building[T]{index: &index[T]{name: name, values: values, tree: tree[T]{indexed: true}}}
	live := shown.clone()
	for round := 0; ; round++ {
		s.mu.Lock()
		if s.hasIndex(name) {
			s.mu.Unlock()
			return ErrIndexExists
		}
		s.live.items.freeze() // so that the writer leaves these nodes alone
		a, b := s.Snapshot().items.root, s.live.items.root
		var failed []*IndexError
		done := a == shown.root && b == live.root
		if round == patience {
			failed, done = s.catchUp(&shown, &live, a, b), true
		}
		if done {
			s.install(shown, live)
		}
		s.mu.Unlock()
		if !done {
			failed = s.catchUp(&shown, &live, a, b)
		}
		s.report(failed)
		if done {
			return nil
		}
	}
}

// catchUp makes an index of what is shown, and one of what is not shown yet.
// They are the same most of the time.
func (s *Store[T]) catchUp(shown, live **building[T], a, b *node[T]) (failed []*IndexError) {
	if a == (*live).root && a != (*shown).root {
		*shown = (*live).clone()
	}
	failed = (*shown).follow(a)
	if a == b && (*live).root != b {
		*live = (*shown).clone()
	}
	return append(failed, (*live).follow(b)...)
}

// install puts an index in. It is called with mu held.
func (s *Store[T]) install(shown, live *building[T]) {
	view := *s.Snapshot()
	view.indexes = append(slices.Clip(view.indexes), indexView[T]{live.name, shown.tree})
	live.tree.freeze()
	s.live.indexes = append(slices.Clip(s.live.indexes), live.index)
	s.shown.Store(&view)
}

func (s *Store[T]) hasIndex(name string) bool {
	return name == NamespaceIndex || slices.ContainsFunc(s.live.indexes, func(x *index[T]) bool { return x.name == name })
}

// moves asks all index functions what a change means. No lock is held.
func (s *Store[T]) moves(indexes []*index[T], old, new *Item[T]) []move {
	if len(indexes) == 0 {
		return nil
	}
	moves := make([]move, len(indexes))
	for i, x := range indexes {
		moves[i] = x.plan(old, new)
	}
	return moves
}

func (s *Store[T]) report(failed []*IndexError) {
	for _, err := range failed {
		if s.indexError != nil {
			s.indexError(err)
		}
	}
}

// IndexStatus is how an index is.
type IndexStatus struct {
	// Entries is how often items stand in it: once for each of their values.
	Entries int
	// Skipped is how many items of the store are not in it because its function
	// panicked over them, and Last the latest such panic, or nil.
	Skipped int
	Last    *IndexError
}

// IndexStatus returns how an index is, what is being listed included. The error
// is an [*IndexNameError].
func (s *Store[T]) IndexStatus(name string) (IndexStatus, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.live.indexes {
		if x.name == name {
			return IndexStatus{Entries: x.tree.size, Skipped: len(x.skipped), Last: x.last}, nil
		}
	}
	if name == NamespaceIndex {
		return IndexStatus{Entries: s.live.items.size}, nil
	}
	return IndexStatus{}, &IndexNameError{Index: name, Err: ErrUnknownIndex}
}
