package workqueue

import (
	"context"
	"strconv"
	"time"
)

// Reconcile brings one object to the state that it should have. It is given the
// key only and reads the rest itself: by the time it runs, the event that
// queued the key may be history.
type Reconcile[K comparable] func(ctx context.Context, key K) (Result, error)

// Result is what a reconcile without error asks for. The zero Result asks for
// nothing: the key runs again when it is added again.
type Result struct {
	// RequeueAfter runs the key again after that time, as AddAfter would. 0 or
	// less: not. The failures of the key are forgotten either way.
	RequeueAfter time.Duration
	// Priority for that run, or for the retry when there is an error. nil: the
	// priority that the key was handed out with.
	Priority *int
}

// Verdict is what becomes of a key that failed.
type Verdict int

// The verdicts.
const (
	// Retried: queued again after Failure.RetryIn.
	Retried Verdict = iota + 1
	// Dropped: given up, after [Options].MaxRetries or a [Terminal] error. The
	// next Add of the key starts afresh.
	Dropped
	// Discarded: not retried because the queue is shut down. Nobody should take
	// the key as done.
	Discarded
)

// String is "retried", "dropped" or "discarded".
func (v Verdict) String() string {
	switch v {
	case Retried:
		return "retried"
	case Dropped:
		return "dropped"
	case Discarded:
		return "discarded"
	}
	return "Verdict(" + strconv.Itoa(int(v)) + ")"
}

// Failure is one run that failed.
type Failure[K comparable] struct {
	Key K
	// Err is what reconcile returned, a [*PanicError], or a [*GoexitError].
	Err error
	// Failures in a row, this one included.
	Failures int
	// Verdict is what becomes of the key.
	Verdict Verdict
	// RetryIn is the wait before the next run when Verdict is Retried; 0 when
	// the key was added again meanwhile.
	RetryIn time.Duration
}
