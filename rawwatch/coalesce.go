package rawwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// keepMap is how many objects a coalescing queue may have held for its map to
// be kept when it runs empty; a larger one is let go.
const keepMap = 1024

// pending is one change that waits, or a Synced.
type pending[T any] struct {
	record[T]
	follows    bool // prev is of the same key, and was told apart from this
	prev, next *pending[T]
}

// coalescing is the queue of [Coalesce], in the order in which keys began to
// wait. What waits of a key stands side by side: one change for each uid that the
// subscriber has to be told of, and a Deleted apart from what comes after it. That
// is a Deleted and an Added at most, but for what an earlier process noted.
type coalescing[T any] struct {
	byKey      map[decode.Key]*pending[T] // the last of each
	head, tail *pending[T]
	synced     *pending[T] // the Synced that waits; at most one
	free       *pending[T] // used again, linked by next
	mergeBirth bool        // a name used again is one Modified
	n          int
	peak       int
	folded     uint64
	notes      bool // somebody notes what is acknowledged
	unseen     []unseen
}

// offer never finds the queue full.
func (q *coalescing[T]) offer(r record[T]) bool {
	if r.change.Item == nil {
		q.offerSynced(r)
		return true
	}
	key := r.change.Item.Key()
	if last := q.byKey[key]; last != nil {
		q.fold(key, last, &r)
		return true
	}
	if q.byKey == nil {
		q.byKey = map[decode.Key]*pending[T]{}
	}
	q.byKey[key] = q.insert(q.tail, &r)
	q.peak = max(q.peak, len(q.byKey))
	return true
}

// offerSynced puts the milestone behind everything that was published before
// it. One that still waits is superseded: it would say less.
func (q *coalescing[T]) offerSynced(r record[T]) {
	if q.synced != nil {
		q.drop(q.synced)
		q.folded++
	}
	q.synced = q.insert(q.tail, &r)
}

// fold merges what happened next into the last that waits of its key, or puts it
// behind that one.
func (q *coalescing[T]) fold(key decode.Key, last *pending[T], r *record[T]) {
	c, next := &last.change, &r.change
	reborn := c.Type == Deleted && next.Type != Deleted
	switch {
	case reborn && q.mergeBirth && last.stood == 0 && r.stood == 0:
		seen := before(c)
		*c = *next
		c.Type, c.Old = Modified, seen
	case reborn || r.stood != 0 || c.Item.UID != next.Item.UID:
		r.first, r.at = last.first, last.at // what is in front must be the oldest
		p := q.insert(last, r)
		p.follows, q.byKey[key] = true, p
		return
	case !merge(c, next):
	case last.stood.there():
		*c = *next // an earlier process may have told that it is there
	default: // born and gone, never seen
		q.overlook(next, last.first)
		q.forget(key, last)
		q.folded++
	}
	q.folded++
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

// insert puts a record behind another, or in front for nil.
func (q *coalescing[T]) insert(prev *pending[T], r *record[T]) *pending[T] {
	p := q.free
	if p == nil {
		p = new(pending[T])
	} else {
		q.free = p.next
	}
	*p = pending[T]{record: *r}
	q.link(prev, p)
	q.n++
	return p
}

func (q *coalescing[T]) link(prev, p *pending[T]) {
	next := q.head
	if prev == nil {
		q.head = p
	} else {
		next, prev.next = prev.next, p
	}
	if next == nil {
		q.tail = p
	} else {
		next.prev = p
	}
	p.prev, p.next = prev, next
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
}

// drop takes p out of the order and keeps it for the next push.
func (q *coalescing[T]) drop(p *pending[T]) {
	q.unlink(p)
	if p == q.synced {
		q.synced = nil
	}
	*p = pending[T]{next: q.free}
	q.free = p
	q.n--
}

// forget drops p, the first or the last of its key.
func (q *coalescing[T]) forget(key decode.Key, p *pending[T]) {
	switch {
	case p.follows:
		q.byKey[key] = p.prev
	case p.next != nil && p.next.follows:
		p.next.follows = false
	default:
		delete(q.byKey, key)
	}
	q.drop(p)
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

// takeKey takes out the first that waits for the key, wherever it stands, to take
// the place of what was taken before; false when there is none, or none that can:
// what an earlier process noted stands for itself. The rest stays, in front of
// everything; so does the new one of a name used again, which cannot take the old
// one's place.
func (q *coalescing[T]) takeKey(key decode.Key) (record[T], bool) {
	first := q.firstOf(key)
	if first == nil || first.stood != 0 {
		return record[T]{}, false
	}
	if c := &first.change; c.Type == Modified && c.recreated() {
		gone := first.record
		q.folded--
		q.toFront(first)
		c.Type, c.Old = Added, nil
		return gone.ended(), true
	}
	r := q.takeFrom(first)
	for p, more := q.byKey[key], true; p != nil && more; {
		prev := p.prev
		more = p.follows
		q.toFront(p)
		p = prev
	}
	return r, true
}

// ended is the Deleted that is a part of a name used again. Its number is its own:
// to acknowledge it says nothing of the new one.
func (r record[T]) ended() record[T] {
	c := &r.change
	c.Type, c.Item, c.Err, c.ResourceVersion = Deleted, c.Old, nil, ""
	c.Sequence--
	return r
}

// waits says whether something waits for the key.
func (q *coalescing[T]) waits(key decode.Key) bool { return q.byKey[key] != nil }

func (q *coalescing[T]) takeFrom(p *pending[T]) record[T] {
	r := p.record
	if r.change.Item == nil {
		q.drop(p)
	} else {
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
	q.link(nil, p)
}

func (q *coalescing[T]) size() int      { return q.n }
func (q *coalescing[T]) full() bool     { return false }
func (q *coalescing[T]) merged() uint64 { return q.folded }

func (q *coalescing[T]) clear() {
	*q = coalescing[T]{mergeBirth: q.mergeBirth, folded: q.folded, notes: q.notes}
}

// firstOf is the first that waits for the key; nil for none.
func (q *coalescing[T]) firstOf(key decode.Key) *pending[T] {
	p := q.byKey[key]
	for p != nil && p.follows {
		p = p.prev
	}
	return p
}
