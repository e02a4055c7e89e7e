package rawwatch

import (
	"context"
	"io"
	"sync"
	"time"
)

// bound is a time bound that can be moved while the exchange goes on.
type bound struct {
	cancel context.CancelCauseFunc

	mu    sync.Mutex // guards the fields below
	timer *time.Timer
	cause error
}

// set makes the exchange fail with a [*TimeoutError] after the duration,
// unless it is set or cleared before. Zero clears.
func (b *bound) set(what string, after time.Duration) {
	if after == 0 {
		b.clear()
		return
	}
	b.setCause(&TimeoutError{What: what, After: after}, after)
}

func (b *bound) setCause(cause error, after time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cause = cause
	if b.timer == nil {
		b.timer = time.AfterFunc(after, b.expire)
		return
	}
	b.timer.Reset(after)
}

func (b *bound) expire() {
	b.mu.Lock()
	cause := b.cause
	b.mu.Unlock()
	if cause != nil {
		b.cancel(cause)
	}
}

func (b *bound) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cause = nil
	if b.timer != nil {
		b.timer.Stop()
	}
}

// patientReader reads a body whose bytes must not be too far apart, and, if it
// has an end, must all have come by then. The time counts while the server is
// waited for, not while the consumer is at work.
type patientReader struct {
	body  io.Reader
	bound *bound
	wait  time.Duration // 0 is for ever
	cause error         // what the exchange fails with
	end   time.Time     // when it fails with errWatchOver; zero is never
	// before is called before each read; nil is nothing.
	before func()
}

// expect sets the bound from the next read on.
func (r *patientReader) expect(wait time.Duration, cause error) { r.wait, r.cause = wait, cause }

// Read implements io.Reader.
func (r *patientReader) Read(p []byte) (int, error) {
	r.begins()
	n, err := r.body.Read(p)
	r.ends()
	return n, err
}

func (r *patientReader) begins() {
	if r.before != nil {
		r.before()
	}
	wait, cause := r.wait, r.cause
	if !r.end.IsZero() {
		if left := max(time.Until(r.end), 1); wait == 0 || left < wait {
			wait, cause = left, errWatchOver
		}
	}
	if wait > 0 {
		r.bound.setCause(cause, wait)
	}
}

func (r *patientReader) ends() {
	if r.wait > 0 || !r.end.IsZero() {
		r.bound.clear()
	}
}
