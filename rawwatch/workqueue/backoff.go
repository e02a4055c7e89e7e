package workqueue

import (
	"math"
	"time"
)

// Defaults of [Backoff]: those of client-go's default controller rate limiter,
// with jitter.
const (
	DefaultBackoffBase   = 5 * time.Millisecond
	DefaultBackoffMax    = 1000 * time.Second
	DefaultBackoffJitter = 0.2
)

// Backoff is how long a key waits after its failures: Base after the first,
// twice as long after each further one, Max at most. Jitter then shortens it,
// so that keys that failed together do not come back together.
type Backoff struct {
	// Base is the wait after the first failure. 0: [DefaultBackoffBase].
	Base time.Duration
	// Max bounds the wait. 0: [DefaultBackoffMax], or Base if that is longer.
	Max time.Duration
	// Jitter is the largest part of a wait that chance takes off, at most 1.
	// 0: [DefaultBackoffJitter]; negative: none.
	Jitter float64
}

func (b Backoff) withDefaults() Backoff {
	if b.Base == 0 {
		b.Base = DefaultBackoffBase
	}
	if b.Max == 0 {
		b.Max = max(DefaultBackoffMax, b.Base)
	}
	if b.Jitter == 0 {
		b.Jitter = DefaultBackoffJitter
	}
	return b
}

func (b Backoff) validate() error {
	switch {
	case b.Base < 0:
		return &OptionError{Option: "Backoff.Base", Problem: "is negative: give a duration, or 0 for the default"}
	case b.Max < 0:
		return &OptionError{Option: "Backoff.Max", Problem: "is negative: give a duration, or 0 for the default"}
	case b.Max != 0 && b.Max < b.withDefaults().Base:
		return &OptionError{Option: "Backoff.Max", Problem: "is less than Backoff.Base: no wait could be both"}
	case b.Jitter > 1 || math.IsNaN(b.Jitter):
		return &OptionError{Option: "Backoff.Jitter", Problem: "is not a part of one: give a number up to 1, or a negative one for none"}
	}
	return nil
}

// wait is the time to wait after so many failures in a row; chance is in [0, 1).
func (b Backoff) wait(failures int, chance float64) time.Duration {
	d := b.Max
	if doublings := failures - 1; doublings < 62 && b.Base <= b.Max>>doublings {
		d = b.Base << doublings
	}
	if b.Jitter > 0 {
		d -= time.Duration(float64(d) * b.Jitter * chance)
	}
	return d
}
