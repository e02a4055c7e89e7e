package workqueue

import (
	"log/slog"
	"math/rand/v2"
	"reflect"

	"golang.org/x/time/rate"
)

// Defaults of [Options].
const (
	// DefaultRetryRate and DefaultRetryBurst are those of client-go's default
	// controller rate limiter: ten retries a second, a hundred at once.
	DefaultRetryRate  = 10
	DefaultRetryBurst = 100
	// DefaultPatience lets low priorities have one hand-out in eleven, at worst.
	DefaultPatience = 10
)

// Options of a [Queue]. The zero value is a queue that behaves as most
// controllers want.
type Options[K comparable] struct {
	// Backoff of a key that failed, by the number of its failures in a row.
	Backoff Backoff

	// Limiter is a token bucket over all keys. A retry takes a token and waits
	// until there is one, or until its backoff is over, whichever is later.
	// nil: a bucket of the queue's own with [DefaultRetryRate] and
	// [DefaultRetryBurst]. For none, give rate.NewLimiter(rate.Inf, 0). Several
	// queues may share one.
	Limiter *rate.Limiter

	// LimitAll makes every hand-out take a token, instead of every retry: no
	// more keys a second are begun than the bucket allows, whatever queued
	// them.
	LimitAll bool

	// Patience is how many times in a row the key that has waited longest may
	// be passed over for keys of a higher priority; then it is handed out.
	// 0: [DefaultPatience]; negative: without end, so that low priorities wait
	// as long as there is anything else.
	Patience int

	// MaxRetries is how often in a row a key is retried before it is dropped.
	// 0: without end, as controllers do.
	MaxRetries int

	// Started is called by [Queue.Run] when a worker has got a key, before
	// reconcile; nil: not called. See Done.
	Started func(key K)

	// Done is called by [Queue.Run] when a run is concluded: with nil after
	// reconcile returned no error, with its error when the key is dropped (see
	// MaxRetries and [Terminal]). It is not called for a failure that will be
	// retried, nor for one that was cut short by the end of Run or the queue.
	// nil: not called.
	//
	// Between Started and Done the key is in one worker only, so the two are a
	// bracket: what was known about the key when Started was called is what
	// Done concludes. A change that comes during the run may or may not have
	// been seen by it; the key runs again for it, in a bracket of its own. So a
	// checkpoint notes its position in Started, and acknowledges it in Done.
	Done func(key K, err error)

	// Failed is called by [Queue.Run] for every failure, with what becomes of
	// the key: the report of panics and of dropped keys too. nil: not called.
	Failed func(Failure[K])

	// Logger gets a line for each failure in [Queue.Run]: a warning for one
	// that is retried, an error for a panic or a dropped key. nil: silent.
	Logger *slog.Logger

	// Hooks for metrics: values that implement one or more of [DepthHook],
	// [InFlightHook], [WaitHook], [WorkHook], [RetryHook], [DropHook].
	Hooks []any

	// Chance is the source of the backoff's jitter: numbers in [0, 1), called
	// with the queue locked. nil: math/rand/v2.
	Chance func() float64
}

func (o Options[K]) withDefaults() Options[K] {
	o.Backoff = o.Backoff.withDefaults()
	if o.Limiter == nil {
		o.Limiter = rate.NewLimiter(DefaultRetryRate, DefaultRetryBurst)
	}
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	if o.Chance == nil {
		o.Chance = rand.Float64
	}
	return o
}

func (o Options[K]) validate() error {
	if err := o.Backoff.validate(); err != nil {
		return err
	}
	switch {
	case o.MaxRetries < 0:
		return &OptionError{Option: "MaxRetries", Problem: "is negative: give a number, or 0 for no limit"}
	case o.LimitAll && o.Limiter == nil:
		return &OptionError{Option: "LimitAll", Problem: "needs a Limiter: say how many keys a second may be begun"}
	case o.Limiter == nil || o.Limiter.Limit() == rate.Inf:
		return nil
	case o.Limiter.Limit() <= 0 || o.Limiter.Burst() < 1:
		return &OptionError{Option: "Limiter", Problem: "never has a token: give it a rate above 0 and a burst of at least 1"}
	}
	return nil
}

// unequal tells of a key type that can hold values unequal to themselves, such
// as NaN: no map finds them again. An interface can hold these, too, and slices,
// over which a map panics.
func unequal[K comparable]() bool {
	return holdsFloat(reflect.TypeFor[K]())
}

func holdsFloat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.Interface:
		return true
	case reflect.Array:
		return holdsFloat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsFloat(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
