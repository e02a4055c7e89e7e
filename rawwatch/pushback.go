package rawwatch

import "time"

// record is a change on its way to one subscription.
type record[T any] struct {
	change Change[T]
	// first is the lowest sequence number that this stands for: that of the
	// oldest change merged into it. Until this is acknowledged, nothing from
	// first on is.
	first uint64
	// at is when that one was published.
	at time.Time
	// stood is how the subscription stood to the object before.
	stood knowledge
}

// queue holds what waits for a subscription's handler, in order. It is guarded
// by the subscription's lock.
type queue[T any] interface {
	// offer takes a change in; false when there is no room.
	offer(r record[T]) bool
	// peek is the next one's first and at; false when there is none.
	peek() (first uint64, at time.Time, ok bool)
	// take removes and returns the next one; there must be one.
	take() record[T]
	// size is the number of changes that wait.
	size() int
	// full says that nothing more is taken in.
	full() bool
	// merged is how many changes were taken in without being delivered apart.
	merged() uint64
	// clear drops everything.
	clear()
}

// ringStart is how many changes a ring has room for at first.
const ringStart = 16

// ring is the queue of [PushBack]: everything, up to a limit. It
// grows to what was needed.
type ring[T any] struct {
	records []record[T]
	head, n int
	limit   int
}

func (q *ring[T]) offer(r record[T]) bool {
	if q.n == q.limit {
		return false
	}
	if q.n == len(q.records) {
		q.grow()
	}
	q.records[(q.head+q.n)%len(q.records)] = r
	q.n++
	return true
}

func (q *ring[T]) grow() {
	bigger := make([]record[T], min(max(2*len(q.records), ringStart), q.limit))
	n := copy(bigger, q.records[q.head:])
	copy(bigger[n:], q.records[:q.head])
	q.records, q.head = bigger, 0
}

func (q *ring[T]) peek() (uint64, time.Time, bool) {
	if q.n == 0 {
		return 0, time.Time{}, false
	}
	r := &q.records[q.head]
	return r.first, r.at, true
}

func (q *ring[T]) take() record[T] {
	r := q.records[q.head]
	q.records[q.head] = record[T]{} // its items are no longer held here
	q.head = (q.head + 1) % len(q.records)
	q.n--
	return r
}

func (q *ring[T]) size() int      { return q.n }
func (q *ring[T]) full() bool     { return q.n == q.limit }
func (q *ring[T]) merged() uint64 { return 0 }
func (q *ring[T]) clear()         { q.records, q.head, q.n = nil, 0, 0 }
