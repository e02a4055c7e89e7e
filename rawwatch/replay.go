package rawwatch

import "github.com/rawwatch/rawwatch/decode"

// snapshotDue takes the snapshot whose turn has come: all that was published
// before it has been delivered, so that no object goes back in time.
func (s *Subscription[T]) snapshotDue() (snapshot[T], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snapshot == nil || !s.initial && !s.reached(s.snapshot.sequence) {
		return snapshot[T]{}, false
	}
	snap := *s.snapshot
	s.snapshot = nil
	return snap, true
}

func (s *Subscription[T]) reached(sequence uint64) bool {
	if first, _, ok := s.queue.peek(); ok {
		return first > sequence
	}
	return s.offered >= sequence
}

// noteMoved remembers an object that is delivered in a newer state than the
// snapshot that waits has: only coalescing can do that.
func (s *Subscription[T]) noteMoved(c *Change[T]) {
	if s.snapshot == nil || c.Item == nil || c.Sequence <= s.snapshot.sequence {
		return
	}
	if s.moved == nil {
		s.moved = map[decode.Key]struct{}{}
	}
	s.moved[c.Item.Key()] = struct{}{}
}

// replay delivers a snapshot: to begin with, or as a resync.
func (s *Subscription[T]) replay(snap snapshot[T]) {
	initial := s.initial // only written by this goroutine
	cause := CauseStore
	switch {
	case !initial:
		cause = CauseResync
	case snap.restored && !snap.synced:
		cause = CauseCheckpoint
	}
	snap.items(func(key decode.Key, item *Item[T]) bool {
		r := record[T]{change: Change[T]{Type: Added, Cause: cause, Item: item, Sequence: snap.sequence, Err: item.Err()}}
		if !initial {
			r.change.Type, r.change.Old = Modified, item
		}
		if s.current(key, &r, initial) {
			s.hold(r)
		}
		return s.ctx.Err() == nil
	})
	if initial && snap.synced {
		s.hold(record[T]{change: Change[T]{Type: Synced, Cause: CauseStore, Sequence: snap.sequence, ResourceVersion: snap.resourceVersion}})
	}
	s.release()
	s.replayed(initial)
}

// current says whether the object of a snapshot is to be delivered, and in what
// state: where changes coalesce, one that waits is newer.
func (s *Subscription[T]) current(key decode.Key, r *record[T], initial bool) bool {
	if initial {
		r.first = 1 // nothing is acknowledged before it
	}
	if s.newest == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !initial {
		_, moved := s.moved[key]
		return !moved && !s.newest.waits(key)
	}
	next, waits := s.newest.takeKey(key)
	if !waits {
		return true
	}
	s.tally.superseded++
	if merge(&r.change, &next.change) {
		s.tally.superseded++
		return false
	}
	return true
}

// hold adds a record to the hand, and delivers it once it is full.
func (s *Subscription[T]) hold(r record[T]) {
	s.hand = append(s.hand, held[T]{record: r})
	if len(s.hand) >= s.options.BatchSize || s.options.ManualAck && len(s.hand) >= s.options.MaxUnacknowledged {
		s.release()
	}
}

// release delivers what the hand holds, as soon as enough is acknowledged.
func (s *Subscription[T]) release() {
	for len(s.hand) > 0 {
		if s.ctx.Err() != nil {
			s.empty()
			return
		}
		s.mu.Lock()
		room := !s.options.ManualAck || s.hand[0].first == 0 || s.ledger.n+len(s.hand) <= s.options.MaxUnacknowledged
		if room {
			s.tally.inHand = len(s.hand)
		}
		s.mu.Unlock()
		if room {
			s.deliver()
			return
		}
		select {
		case <-s.wake:
		case <-s.ctx.Done():
		}
	}
}

func (s *Subscription[T]) replayed(initial bool) {
	s.mu.Lock()
	if s.ctx.Err() == nil {
		s.initial = false
	}
	clear(s.moved)
	s.mu.Unlock()
	if !initial {
		s.asked = false
		s.resync.Reset(s.resyncAfter())
	}
}
