package workqueue

import "time"

// Stats is a queue at one moment.
type Stats struct {
	// Queued is how many keys are ready for a worker. A key that was added
	// again while in work counts when that run is over.
	Queued int
	// Delayed is how many wait for their time.
	Delayed int
	// InFlight is how many are in work.
	InFlight int
	// Keys is how many the queue remembers: all of the above, and those with
	// failures that nobody has forgotten. Its memory is in proportion.
	Keys int
	// OldestQueued is how long the longest-waiting key has been ready; 0 when
	// none is.
	OldestQueued time.Duration
	// LongestInFlight is how long the longest-running key has been in work; 0
	// when none is.
	LongestInFlight time.Duration
	// Workers of the Run that goes on; 0 when none does.
	Workers int
	// ShuttingDown tells whether the queue takes no more keys.
	ShuttingDown bool
	// Counts since the queue was made.
	Counts Counts
}

// Counts only ever grow.
type Counts struct {
	Added     uint64 // calls of Add, AddAfter and AddWith that were accepted
	Merged    uint64 // of all that was queued, retries too, what met the same key waiting already
	HandedOut uint64 // keys handed to a worker
	Retried   uint64 // failures that were queued again
	Dropped   uint64 // keys given up: MaxRetries, Terminal
	Discarded uint64 // delayed keys, and failed ones, that a shutdown cut off
	Panics    uint64 // panics contained in reconcile and the callbacks of Run
}

// Len is how many keys are ready for a worker: Stats().Queued.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.unlock()
	q.promote(q.now())
	return q.ready.n
}

// Stats costs the same however many keys there are.
func (q *Queue[K]) Stats() Stats {
	q.mu.Lock()
	defer q.unlock()
	now := q.now()
	q.promote(now)
	s := Stats{
		Queued: q.ready.n, Delayed: len(q.due.slots), InFlight: q.inWork, Keys: len(q.entries.byKey),
		Workers: q.workers, ShuttingDown: q.closed, Counts: q.counts,
	}
	if oldest := q.ready.age.head; oldest != nil {
		s.OldestQueued = time.Duration(now - oldest.since)
	}
	if longest := q.working.head; longest != nil {
		s.LongestInFlight = time.Duration(now - longest.since)
	}
	return s
}

// KeyStatus is what a queue knows about one key.
type KeyStatus[K comparable] struct {
	Key K
	// Queued and InFlight may both be true: added again while in work.
	Queued, InFlight bool
	// Priority of what waits, or else of the run that goes on or was the last.
	Priority int
	// Failures in a row.
	Failures int
	// ReadyIn is how long a delayed key still waits; 0 when it is not delayed.
	ReadyIn time.Duration
}

// Snapshot is the status of every key that the queue remembers, in no order.
// It copies all of them with the queue locked: for people who look into it, not
// for metrics.
func (q *Queue[K]) Snapshot() []KeyStatus[K] {
	q.mu.Lock()
	defer q.unlock()
	now := q.now()
	q.promote(now)
	all := make([]KeyStatus[K], 0, len(q.entries.byKey))
	for key, e := range q.entries.byKey {
		s := KeyStatus[K]{Key: key, Queued: e.ready() || e.place == behind, InFlight: e.work, Priority: e.priority, Failures: e.failures}
		if e.place == nowhere {
			s.Priority = e.workPriority
		}
		if e.place == delayed {
			s.ReadyIn = time.Duration(e.rank - now)
		}
		all = append(all, s)
	}
	return all
}
