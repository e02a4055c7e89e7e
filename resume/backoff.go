package resume

import (
	"math"
	"time"
)

// Defaults of [Backoff]. Min and Max are those that client-go's reflector
// uses, so that a cluster's servers see nothing new.
const (
	DefaultBackoffMin    = 800 * time.Millisecond
	DefaultBackoffMax    = 30 * time.Second
	DefaultBackoffFactor = 2.0
	DefaultBackoffJitter = 0.5
)

// Backoff is how long to wait after the n-th failure in a row: Min × Factor
// to the power of n-1, at most Max, less a random share of it. A zero field
// stands for its default.
type Backoff struct {
	// Min is the first wait and Max the longest, both before jitter is taken
	// off.
	Min, Max time.Duration

	// Factor is by how much each wait is longer than the one before; at
	// least 1.
	Factor float64

	// Jitter is the largest share of a wait that chance takes off: 0.5 means
	// a wait between half and all of it. Less than 0 is none; at most 1.
	Jitter float64

	// ResetAfter is how long requests must have gone well before the failures
	// are forgotten. 0 is Max: a watch that lived as long as the longest wait
	// costs the server no more requests than waiting would.
	ResetAfter time.Duration
}

func (b Backoff) withDefaults() Backoff {
	b.Min = orDefault(b.Min, DefaultBackoffMin)
	b.Max = orDefault(b.Max, max(DefaultBackoffMax, b.Min))
	b.Factor = orDefault(b.Factor, DefaultBackoffFactor)
	b.Jitter = orDefault(b.Jitter, DefaultBackoffJitter)
	b.ResetAfter = orDefault(b.ResetAfter, b.Max)
	return b
}

// Wait is the wait after the n-th failure in a row, for those who retry
// something of their own; n counts from 1. chance, in [0,1), decides how much
// jitter takes off.
func (b Backoff) Wait(n int, chance float64) time.Duration {
	return b.withDefaults().wait(max(n, 1), chance)
}

// Check says, as an [*OptionError], which field makes no sense once the zero
// ones stand for their defaults; nil when all do.
func (b Backoff) Check() error {
	return Options{Backoff: b, SlowRetry: max(DefaultSlowRetry, b.Min)}.withDefaults().check()
}

// wait is the wait after the n-th failure, n from 1; chance is in [0,1).
func (b Backoff) wait(n int, chance float64) time.Duration {
	d := float64(b.Min) * math.Pow(b.Factor, float64(n-1))
	d = min(d, float64(b.Max)) // also +Inf
	return time.Duration(d * (1 - max(b.Jitter, 0)*chance))
}

func orDefault[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}
