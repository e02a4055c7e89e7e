package workqueue

import (
	"math"
	"sync"
	"time"
)

// Queue is a set of keys that need work, in the order in which workers get
// them. All its methods may be called from any goroutine. Make one with [New];
// the zero value is of no use. It starts no goroutine, so one that is no longer
// needed may simply be forgotten.
type Queue[K comparable] struct {
	options Options[K]
	hooks   hooks
	base    time.Time     // times are kept as nanoseconds since then
	drained chan struct{} // closed when shut down and nothing is queued or in work

	mu      sync.Mutex // guards what follows; not held while user code runs, but for Chance
	entries entries[K]
	ready   readySet[K]
	due     heap[K] // the delayed, by due time
	working list[K] // those in work, the longest first
	inWork  int
	owed    int // in work, and added again since
	seq     uint64
	waiters waiters
	alarm   alarm
	tokenAt int64 // when the limiter has the next token; 0: nobody waits for it
	untold  int   // change of the depth that the hooks do not know yet
	closed  bool
	over    bool // drained is closed
	workers int  // of the Run that goes on
	counts  Counts
}

// New makes a queue; the error is an [*OptionError].
func New[K comparable](options Options[K]) (*Queue[K], error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	if unequal[K]() {
		return nil, &OptionError{Option: "the key type", Problem: "holds a floating-point number or an interface: a NaN would never be found again, and what an interface holds may not be comparable at all; use another form of it"}
	}
	sorted, err := sortHooks(options.Hooks)
	if err != nil {
		return nil, err
	}
	options = options.withDefaults()
	q := &Queue[K]{options: options, hooks: sorted, base: time.Now(), drained: make(chan struct{})}
	q.entries.byKey = map[K]*entry[K]{}
	q.ready.patience = options.Patience
	q.ready.line.which, q.ready.age.which, q.working.which = byOrder, byAge, byAge
	return q, nil
}

// AddOptions say how a key is added.
type AddOptions struct {
	// Priority: the higher, the sooner. client-go's world uses 0 for changes
	// and -100 for the objects of an initial list.
	Priority int
	// After is how long the key waits before it is ready. 0 or less: ready now.
	After time.Duration
}

// Add queues a key for a worker. A key that is queued already stays where it
// is; one that is in work runs once more afterwards; one that is delayed is
// ready at once. The error is a [*ShutDownError].
func (q *Queue[K]) Add(key K) error { return q.AddWith(key, AddOptions{}) }

// AddAfter is Add after a delay. The key does not count as queued until then.
func (q *Queue[K]) AddAfter(key K, delay time.Duration) error {
	return q.AddWith(key, AddOptions{After: delay})
}

// AddWith is Add with options. When the key is queued or delayed already, the
// earlier of the two times and the higher of the two priorities count; raising
// the priority keeps its place among those of the same priority.
func (q *Queue[K]) AddWith(key K, options AddOptions) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return &ShutDownError{Op: "add"}
	}
	q.counts.Added++
	q.want(q.entries.obtain(key), options)
	q.unlock()
	return nil
}

// want merges a wish into what the entry waits for.
func (q *Queue[K]) want(e *entry[K], o AddOptions) {
	if e.place == nowhere {
		e.priority = o.Priority
		q.settle(e, o.After)
		return
	}
	q.counts.Merged++
	if o.Priority > e.priority {
		e.priority = o.Priority
		if e.ready() {
			q.ready.raise(e, rankOf(o.Priority))
		}
	}
	if e.place == delayed && (o.After <= 0 || later(q.now(), o.After) < e.rank) {
		q.due.remove(e)
		q.settle(e, o.After)
	}
}

// settle gives an entry that is nowhere its place.
func (q *Queue[K]) settle(e *entry[K], after time.Duration) {
	now := q.now()
	if after <= 0 {
		q.makeReady(e, now)
		return
	}
	e.place, e.rank, e.seq = delayed, later(now, after), q.nextSeq()
	q.due.push(e)
	q.setAlarm(now)
}

// makeReady puts an entry that is nowhere where a worker finds it; since is
// when it became ready.
func (q *Queue[K]) makeReady(e *entry[K], since int64) {
	if e.work {
		e.place = behind
		q.owed++
		return
	}
	e.rank, e.seq, e.since = rankOf(e.priority), q.nextSeq(), since
	q.ready.add(e)
	q.untold++
	q.waiters.wake()
}

// promote makes ready what is due.
func (q *Queue[K]) promote(now int64) {
	for e := q.due.top(); e != nil && e.rank <= now; e = q.due.top() {
		q.due.remove(e)
		q.makeReady(e, e.rank)
	}
}

// unlock ends a change and tells the hooks what it did to the depth.
func (q *Queue[K]) unlock() {
	delta := q.untold
	q.untold = 0
	q.mu.Unlock()
	q.hooks.tellDepth(delta)
}

func (q *Queue[K]) nextSeq() uint64 {
	q.seq++
	return q.seq
}

// now is the monotonic time since the queue was made.
func (q *Queue[K]) now() int64 { return int64(time.Since(q.base)) }

// rankOf sorts higher priorities first.
func rankOf(priority int) int64 { return -max(int64(priority), -math.MaxInt64) }

// later adds without overflow.
func later(now int64, d time.Duration) int64 {
	if int64(d) > math.MaxInt64-now {
		return math.MaxInt64
	}
	return now + int64(d)
}
