package rawwatch

import "slices"

// unseen is an object of which the handler is not told: it came and went while it
// waited, or passed the filter meanwhile. What is saved in between says that it is
// there. So it is noted that the subscription does not know it, and acknowledged
// only then.
type unseen struct {
	delivery
	first uint64 // the sequence number with which it came
}

// mostUnseen bounds them, while a handler takes its time. Of more, the next process
// may tell Deleted, or Modified, though they were never told.
const mostUnseen = 1024

// overlook adds one, for who notes.
func (q *coalescing[T]) overlook(c *Change[T], first uint64) {
	if !q.notes || len(q.unseen) >= mostUnseen {
		return
	}
	d := delivery{&c.Item.Identity, hidden, c.Sequence}
	if c.Type == Deleted {
		d.knowledge = gone
	}
	q.unseen = append(q.unseen, unseen{d, first})
}

// overlook adds what is in hand and was missed; it needs mu.
func (s *Subscription[T]) overlook() {
	if s.newest == nil || !s.newest.notes {
		return
	}
	for i := range s.hand {
		h := &s.hand[i]
		if h.missed {
			s.newest.overlook(&h.change, h.first)
		}
	}
}

// misses reports whether what is in hand, and not to be shown, may have passed the
// filter meanwhile.
func (s *Subscription[T]) misses(h *held[T]) bool {
	c := &h.change
	merged := h.first != 0 && h.first < c.Sequence
	return s.newest != nil && s.noter.Load() != nil && merged && c.Item != nil && (c.Type == Deleted || !s.passes(c.Item, c))
}

// noteUnseen notes them, while nothing is in hand: but for those of a name of which
// something older waits, or is to be acknowledged by hand.
func (s *Subscription[T]) noteUnseen() {
	notes := s.noter.Load()
	if notes == nil || s.newest == nil {
		return
	}
	s.mu.Lock()
	q, n := s.newest, 0
	s.deliveries = s.deliveries[:0]
	for i, u := range q.unseen {
		if q.waitsBefore(u) || s.ledger.holds(u) {
			continue
		}
		s.deliveries = append(s.deliveries, u.delivery)
		q.unseen[n], q.unseen[i] = u, q.unseen[n]
		n++
	}
	s.mu.Unlock()
	if n == 0 {
		return
	}
	s.tellNoter(*notes)
	s.mu.Lock()
	q.unseen = slices.Delete(q.unseen, 0, n) // more may have come behind them
	s.mu.Unlock()
}

// waitsBefore reports whether something older of the name waits.
func (q *coalescing[T]) waitsBefore(u unseen) bool {
	p := q.firstOf(u.of.Key())
	return p != nil && p.first <= u.first
}

// holds reports whether something older of the name is outstanding.
func (l *ledger) holds(u unseen) bool {
	for e := l.newest[u.of.Key()]; e != nil; e = e.older {
		if e.sequence < u.sequence {
			return true
		}
	}
	return false
}

// unseenFrom is the lowest first of them; limit when there are none.
func (q *coalescing[T]) unseenFrom(limit uint64) uint64 {
	for i := range q.unseen {
		limit = min(limit, q.unseen[i].first)
	}
	return limit
}
