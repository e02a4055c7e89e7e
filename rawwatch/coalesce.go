package rawwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// keepMap is how many objects a coalescing queue may have held for its map to
// be kept when it runs empty; a larger one is let go.
const keepMap = 1024

// pending is what waits for one object, or a Synced.
type pending[T any] struct {
	record[T]
	// reborn is the Added that follows when record is a Deleted whose name was
	// used again.
	reborn      *Change[T]
	rebornStood knowledge // as in its record
	prev, next  *pending[T]
}

// coalescing is the queue of [Coalesce]: one pending per key, in the order in
// which they began to wait.
type coalescing[T any] struct {
	byKey      map[decode.Key]*pending[T]
	head, tail *pending[T]
	synced     *pending[T] // the Synced that waits; at most one
	free       *pending[T] // used again, linked by next
	mergeBirth bool        // a name used again is one Modified
	n          int         // changes that wait, reborn ones too
	peak       int
	folded     uint64
}

// offer never finds the queue full.
func (q *coalescing[T]) offer(r record[T]) bool {
	if r.change.Item == nil {
		q.offerSynced(r)
		return true
	}
	key := r.change.Item.Key()
	p := q.byKey[key]
	if p == nil {
		p = q.push(r)
		if q.byKey == nil {
			q.byKey = map[decode.Key]*pending[T]{}
		}
		q.byKey[key] = p
		q.peak = max(q.peak, len(q.byKey))
		return true
	}
	q.fold(key, p, &r)
	return true
}

// offerSynced puts the milestone behind everything that was published before
// it. One that still waits is superseded: it would say less.
func (q *coalescing[T]) offerSynced(r record[T]) {
	if q.synced != nil {
		q.drop(q.synced)
		q.n--
		q.folded++
	}
	q.synced = q.push(r)
}

// fold merges what happened next into what waits.
func (q *coalescing[T]) fold(key decode.Key, p *pending[T], r *record[T]) {
	next := &r.change
	if p.reborn != nil {
		q.folded++
		if merge(p.reborn, next) {
			if p.rebornStood.there() {
				*p.reborn = *next
				return
			}
			p.reborn = nil // born and gone, never seen
			q.n--
			q.folded++
		}
		return
	}
	if p.change.Type == Deleted && next.Type != Deleted {
		if !q.mergeBirth {
			reborn := *next
			reborn.Type, reborn.Old = Added, nil
			p.reborn, p.rebornStood = &reborn, r.stood
			q.n++
			return
		}
		seen := p.change.Old
		if seen == nil {
			seen = p.change.Item
		}
		p.change = *next
		p.change.Type, p.change.Old = Modified, seen
		q.folded++
		return
	}
	q.folded++
	if merge(&p.change, next) {
		if p.stood.there() {
			p.change = *next // an earlier process may have told that it is there
			return
		}
		q.forget(key, p)
		q.folded++
	}
}

// merge makes c the net change of c and then next, which is about the same
// object. gone is true when nothing is left to tell: added, then deleted.
func merge[T any](c, next *Change[T]) (gone bool) {
	typ, seen := c.Type, c.Old
	if typ == Added && next.Type == Deleted {
		return true
	}
	*c = *next
	if next.Type != Deleted {
		c.Type = typ
	}
	c.Old = seen
	return false
}

func (q *coalescing[T]) push(r record[T]) *pending[T] {
	p := q.free
	if p == nil {
		p = new(pending[T])
	} else {
		q.free = p.next
	}
	*p = pending[T]{record: r, prev: q.tail}
	if q.tail == nil {
		q.head = p
	} else {
		q.tail.next = p
	}
	q.tail = p
	q.n++
	return p
}

// unlink takes p out of the order.
func (q *coalescing[T]) unlink(p *pending[T]) {
	if p.prev == nil {
		q.head = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		q.tail = p.prev
	} else {
		p.next.prev = p.prev
	}
	p.prev, p.next = nil, nil
}

// drop takes p out of the order and keeps it for the next push.
func (q *coalescing[T]) drop(p *pending[T]) {
	q.unlink(p)
	if p == q.synced {
		q.synced = nil
	}
	*p = pending[T]{next: q.free}
	q.free = p
}

func (q *coalescing[T]) forget(key decode.Key, p *pending[T]) {
	delete(q.byKey, key)
	q.drop(p)
	q.n--
	if q.head == nil && q.peak > keepMap {
		q.byKey, q.free, q.peak = nil, nil, 0
	}
}

func (q *coalescing[T]) peek() (uint64, time.Time, bool) {
	if q.head == nil {
		return 0, time.Time{}, false
	}
	return q.head.first, q.head.at, true
}

func (q *coalescing[T]) take() record[T] { return q.takeFrom(q.head) }

// takeKey takes out what waits for the key, wherever it stands; false when
// nothing does. What is reborn stays, in front of everything.
func (q *coalescing[T]) takeKey(key decode.Key) (record[T], bool) {
	p := q.byKey[key]
	if p == nil {
		return record[T]{}, false
	}
	return q.takeFrom(p), true
}

// waits says whether something waits for the key.
func (q *coalescing[T]) waits(key decode.Key) bool { return q.byKey[key] != nil }

func (q *coalescing[T]) takeFrom(p *pending[T]) record[T] {
	r := p.record
	switch {
	case r.change.Item == nil:
		q.drop(p)
		q.n--
	case p.reborn != nil:
		// It keeps first and at: what is in front must be the oldest, and the
		// two belong together.
		p.change, p.stood = *p.reborn, p.rebornStood
		p.reborn, p.rebornStood = nil, 0
		q.n--
		q.toFront(p)
	default:
		q.forget(r.change.Item.Key(), p)
	}
	return r
}

func (q *coalescing[T]) toFront(p *pending[T]) {
	if q.head == p {
		return
	}
	q.unlink(p)
	p.first, p.at = min(p.first, q.head.first), q.head.at
	p.next, q.head.prev = q.head, p
	q.head = p
}

func (q *coalescing[T]) size() int      { return q.n }
func (q *coalescing[T]) full() bool     { return false }
func (q *coalescing[T]) merged() uint64 { return q.folded }

func (q *coalescing[T]) clear() {
	*q = coalescing[T]{mergeBirth: q.mergeBirth, folded: q.folded}
}
