package rawwatch

import "github.com/rawwatch/rawwatch/decode"

// state is what the writer works on: what is shown, or what will be once the
// list under way is complete.
type state[T any] struct {
	items   tree[T]
	indexes []*index[T]
}

// Apply takes in one event of a [Client.ListWatch] and delivers what it changes,
// after the store shows it. The events of a list, from the first list or from
// a relist, are taken in but not shown, and nothing is delivered; Synced then
// shows all of them at once and delivers the net difference, in the order of
// keys, before itself. An object that a relist finds replaced by another of its
// name is Deleted, then Added.
//
// Apply is for one goroutine: the store's writer. It keeps nothing of the
// event's borrowed bytes. deliver is called without a lock, and not after it
// has returned false, upon which Apply returns false too; the event is taken in
// whatever deliver says. A nil deliver is allowed.
func (s *Store[T]) Apply(e Event, deliver func(Change[T]) bool) bool {
	if deliver == nil {
		deliver = func(Change[T]) bool { return true }
	}
	c := Change[T]{Type: e.Type, Cause: e.Cause, ResourceVersion: e.ResourceVersion}
	switch e.Type {
	case Added, Modified:
		c.Old = s.live.items.get(place{Key: e.Object.Key()})
		c.Item = s.item(e, c.Old)
		c.Err = c.Item.Err()
		s.replace(c.Old, c.Item, e.Cause == CauseStream)
	case Deleted:
		if c.Old = s.gone(e.Object.Identity); c.Old == nil {
			return true
		}
		s.replace(c.Old, nil, e.Cause == CauseStream)
		c.Item = s.last(e, c.Old)
	case Synced:
		return s.synced(e.Cause, deliver) && deliver(c)
	case Bookmark:
		return deliver(c)
	}
	if e.Cause != CauseStream {
		return true // told when the list is complete
	}
	return s.tell(c, deliver)
}

// tell delivers a change of one object. What the store does not know of, it
// calls Added, and what it knows of another uid is Deleted first.
func (s *Store[T]) tell(c Change[T], deliver func(Change[T]) bool) bool {
	switch {
	case c.Type == Deleted:
	case c.Old == nil:
		c.Type = Added
	case c.Old.UID != c.Item.UID:
		gone := c
		gone.Type, gone.Item, gone.Err, gone.ResourceVersion = Deleted, c.Old, nil, ""
		if !deliver(gone) {
			return false
		}
		c.Type, c.Old = Added, nil
	default:
		c.Type = Modified
	}
	return deliver(c)
}

// synced shows what lists have said and tells what that changes.
func (s *Store[T]) synced(cause Cause, deliver func(Change[T]) bool) bool {
	before := s.Snapshot()
	s.mu.Lock()
	s.publish()
	s.mu.Unlock()
	return diff(before.items.root, s.Snapshot().items.root, func(old, new *Item[T]) bool {
		if new == nil {
			return deliver(Change[T]{Type: Deleted, Cause: cause, Item: old, Old: old})
		}
		return s.tell(Change[T]{Cause: cause, Item: new, Old: old, Err: new.Err()}, deliver)
	})
}

// item makes the item of an event.
func (s *Store[T]) item(e Event, old *Item[T]) *Item[T] {
	item := &Item[T]{Identity: e.Object.Identity}
	if old != nil && old.UID == item.UID {
		item.Identity = renewed(old.Identity, item.Identity)
	}
	err := e.Err
	if err == nil {
		o := e.Object
		o.Identity = item.Identity
		err = s.keepObject(o, item)
	}
	if err != nil {
		item.Value = *new(T)
		item.more = &itemMore{err: err}
		if old != nil && old.UID == item.UID {
			item.Value, item.more.labels = old.Value, old.Labels().set
		}
	}
	return item
}

// gone is the item that a deletion is about: the one of its key, unless that is
// known to be another object.
func (s *Store[T]) gone(id decode.Identity) *Item[T] {
	item := s.live.items.get(place{Key: id.Key()})
	if item == nil || id.UID != "" && item.UID != id.UID {
		return nil
	}
	return item
}

// last is the last known state of a deleted object: the one that came with the
// event if it can be understood, or the one that the store held.
func (s *Store[T]) last(e Event, old *Item[T]) *Item[T] {
	if e.Object.IsStub() || e.Err != nil {
		return old
	}
	if item := s.item(e, old); item.Err() == nil {
		return item
	}
	return old
}

// replace puts new in the place of old; either may be nil.
func (s *Store[T]) replace(old, new *Item[T], show bool) {
	for {
		s.mu.Lock()
		indexes := s.live.indexes
		s.mu.Unlock()
		moves := s.moves(indexes, old, new)
		s.mu.Lock()
		if len(s.live.indexes) != len(indexes) {
			s.mu.Unlock() // an indexer was added meanwhile
			continue
		}
		s.live.replace(old, new, s.tracker)
		for i := range moves {
			s.live.indexes[i].move(&moves[i], old, new)
		}
		if show {
			s.publish()
		}
		s.mu.Unlock()
		for i := range moves {
			if failed := moves[i].failed; failed != nil {
				s.report([]*IndexError{failed})
			}
		}
		return
	}
}

func (l *state[T]) replace(old, new *Item[T], t tracker) {
	if new == nil {
		l.items.remove(place{Key: old.Key()})
		return
	}
	p := place{Key: new.Key()}
	l.items.put(p, new)
	if t.listing {
		l.items.mark(p, t.relist)
	}
}

// mark notes that the item at p was seen in a relist.
func (t *tree[T]) mark(p place, relist uint32) {
	n := t.leafOf(&p)
	n.mark(n.at(&p, tagOf(p.Name)), relist)
}

// publish shows the live state. It is called with mu held.
func (s *Store[T]) publish() {
	view := &Snapshot[T]{items: s.live.items, labels: s.labels}
	s.live.items.freeze()
	if len(s.live.indexes) > 0 {
		view.indexes = make([]indexView[T], len(s.live.indexes))
	}
	for i, x := range s.live.indexes {
		view.indexes[i] = indexView[T]{x.name, x.tree}
		x.tree.freeze()
	}
	s.shown.Store(view)
}
