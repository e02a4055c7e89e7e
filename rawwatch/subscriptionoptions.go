package rawwatch

import (
	"context"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// Delivery is what a [Subscription] does with changes that come faster than
// its handler takes them.
type Delivery uint8

const (
	// PushBack keeps every change, up to [SubscriptionOptions].QueueSize of
	// them. When the queue is full the stream waits, and with it every other
	// subscriber of the informer: [SubscriptionStats].Blocking shows it.
	PushBack Delivery = iota
	// Coalesce keeps the newest state of each object that waits to be
	// delivered, and never holds up the stream. What waits is bounded by the
	// objects alive and those that the handler has seen and whose Deleted it
	// has not. Objects come in the order in which they began to wait.
	//
	// A Modified that stands for several has the Old that the handler saw last.
	// An object that was Added and Deleted before the handler saw it is not
	// delivered at all. A name that was used again is Deleted, then Added; see
	// [SubscriptionOptions].MergeRecreated.
	Coalesce
)

// String is the constant's name, or "unknown".
func (d Delivery) String() string {
	switch d {
	case PushBack:
		return "PushBack"
	case Coalesce:
		return "Coalesce"
	}
	return "unknown"
}

// Defaults of [SubscriptionOptions].
const (
	// DefaultQueueSize takes 120 KB when full, which are allocated only once
	// they are needed.
	DefaultQueueSize = 1024
	// DefaultBatchSize is how many changes a batch holds at most.
	DefaultBatchSize = 256
	// DefaultHandlerAttempts is how often a change is offered to a handler that fails.
	DefaultHandlerAttempts = 5
	// RetryForever is the number of attempts of a handler that may miss
	// nothing.
	RetryForever = -1
	// DefaultMaxUnacknowledged bounds what was delivered and not acknowledged.
	DefaultMaxUnacknowledged = 1024
)

// Handler takes one change. It runs on its subscription's goroutine, one call
// at a time; no lock is held. ctx is done when the subscription closes. An
// error, or a panic, is a failed attempt; see [SubscriptionOptions].Attempts.
type Handler[T any] func(ctx context.Context, c Change[T]) error

// BatchHandler takes changes in their order; at least one. The slice is
// borrowed until it returns; what the changes point to may be kept. A failed
// attempt is one of the whole batch.
type BatchHandler[T any] func(ctx context.Context, batch []Change[T]) error

// SubscriptionOptions configure a [Subscription]. The zero value is ready to
// use: each change by itself, pushing back, nothing filtered.
type SubscriptionOptions[T any] struct {
	// Name stands in logs and errors. May be "". With ChangesOnly it is also by
	// what the next process knows the subscriber again: keep it the same, and give
	// each such subscriber of an informer its own.
	Name string

	// Delivery is [PushBack] or [Coalesce].
	Delivery Delivery

	// QueueSize is how many changes wait at most with PushBack, besides those
	// that the handler has in hand. 0 is [DefaultQueueSize]. Coalesce has
	// bounds of its own.
	QueueSize int

	// MergeRecreated makes Coalesce deliver a name that was used again as one
	// Modified, whose Old and Item have different uids. It remains Deleted, then
	// Added, where the handler has failed with the old object, or an earlier
	// process was about to tell of one of them; see ChangesOnly.
	MergeRecreated bool

	// BatchSize is the largest batch of a [BatchHandler]. 0 is
	// [DefaultBatchSize], or QueueSize where that is less. A batch may also be
	// smaller.
	BatchSize int

	// BatchDelay is how long a change may wait for its batch to fill. 0
	// delivers at once what there is.
	BatchDelay time.Duration

	// Filter says which objects the subscriber sees; nil sees all. The
	// subscriber's view stays consistent: an object that begins to pass is
	// Added, one that no longer does is Deleted, with its last state that
	// passed. It must be a function of the Item alone. One that panics counts
	// as true, and is reported.
	Filter func(*Item[T]) bool

	// Predicates are asked about each Modified that is not a resync; all must
	// hold for it to be delivered. One that panics counts as true, and is
	// reported. Added, Deleted and Synced come always.
	Predicates []Predicate[T]

	// Resync is how often every object is delivered again from the store, as
	// a Modified with [CauseResync] whose Old is its Item. Up to a tenth of it
	// is added by chance each time. 0 never. Where a checkpoint holds notes of
	// what was acknowledged beyond it, there is none until all is told that
	// happened meanwhile.
	Resync time.Duration

	// Attempts is how often a change is offered to a handler that fails or
	// panics, before it is dropped. 0 is [DefaultHandlerAttempts], 1 drops at once,
	// [RetryForever] never drops. What comes after waits, as Delivery has it.
	// With Coalesce a newer state of the object takes the place of the one that
	// failed, and gets as many attempts of its own; an object that goes on
	// changing and failing, three times as many in all.
	Attempts int

	// Backoff is the wait between attempts.
	Backoff resume.Backoff

	// OnError is told each failure, on the subscription's goroutine: a
	// [*HandlerError]. nil does nothing; the log has it in any case.
	OnError func(error)

	// Durable subscriptions hold back the informer's checkpoint until they
	// have acknowledged.
	Durable bool

	// ChangesOnly leaves out the objects that the informer's checkpoint holds:
	// the subscriber, which must be Durable and subscribed before Run, has
	// acknowledged them in an earlier process. It gets what has changed since.
	// Where there is no checkpoint, or none that can be gone on from, that is
	// everything.
	//
	// What it is told and acknowledges is noted in the checkpoint at once, if that
	// is a [resume.Noter], and not only with the next save. So when the process is
	// killed, the next one tells again only what was not acknowledged; and it tells
	// that an object is gone which this subscriber was told of, or was just about
	// to be, even if nobody else knows of it: then as Deleted with no more than
	// namespace, name and uid. An object that only this subscriber knows, and that
	// has changed since, comes as Added again.
	ChangesOnly bool

	// ManualAck leaves it to [Subscription.Ack] to acknowledge. Otherwise a
	// handler does so by returning nil. What was dropped or did not pass the
	// filter is acknowledged by itself, and so is a state that was superseded,
	// with its successor.
	ManualAck bool

	// MaxUnacknowledged bounds what was delivered and not acknowledged with
	// ManualAck; beyond it nothing is delivered, and the queue fills. 0 is
	// [DefaultMaxUnacknowledged].
	MaxUnacknowledged int
}

func (o SubscriptionOptions[T]) withDefaults(single bool) SubscriptionOptions[T] {
	o.QueueSize = defaultTo(o.QueueSize, DefaultQueueSize)
	o.BatchSize = defaultTo(o.BatchSize, min(DefaultBatchSize, o.QueueSize))
	if single {
		o.BatchSize, o.BatchDelay = 1, 0
	}
	o.Attempts = defaultTo(o.Attempts, DefaultHandlerAttempts)
	o.MaxUnacknowledged = defaultTo(o.MaxUnacknowledged, DefaultMaxUnacknowledged)
	return o
}

// check is the one place that says which values make sense, after defaults.
func (o SubscriptionOptions[T]) check() error {
	for _, rule := range [...]struct {
		ok           bool
		option, need string
	}{
		{o.Delivery <= Coalesce, "Delivery", "PushBack or Coalesce"},
		{o.QueueSize > 0, "QueueSize", "positive"},
		{o.BatchSize > 0, "BatchSize", "positive"},
		{o.Delivery != PushBack || o.BatchSize <= o.QueueSize, "BatchSize", "at most QueueSize: a larger batch never fills"},
		{o.BatchDelay >= 0, "BatchDelay", "0 or more"},
		{o.Resync == 0 || o.Resync >= time.Second, "Resync", "0 or at least 1s: it delivers every object"},
		{o.Attempts >= RetryForever, "Attempts", "positive, 0 for the default, or RetryForever"},
		{o.MaxUnacknowledged > 0, "MaxUnacknowledged", "positive"},
		{o.Durable || !o.ChangesOnly, "ChangesOnly", "used together with Durable"},
	} {
		if !rule.ok {
			return &OptionError{Option: "SubscriptionOptions." + rule.option, Problem: "must be " + rule.need}
		}
	}
	for _, p := range o.Predicates {
		if p == nil {
			return &OptionError{Option: "SubscriptionOptions.Predicates", Problem: "must be functions: one is nil"}
		}
	}
	return o.Backoff.Check()
}

func defaultTo(v, fallback int) int {
	if v == 0 {
		return fallback
	}
	return v
}
