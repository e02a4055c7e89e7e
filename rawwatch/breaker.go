package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// BreakerOptions adjust the circuit breaker of a [Client], which all its
// requests share. It opens when the server cannot be reached: requests then
// fail at once with a [*BreakerOpenError] instead of each waiting for the
// network. After Open one request is let through; its success closes the
// breaker.
//
// What counts is a failure to connect, of TLS, a time bound that ran out, and
// the answers 502, 503 and 504 of a proxy. Whatever an API server says itself
// is a success. An API that only fails behind a proxy, such as an aggregated
// one, does not count as long as it is the only resource that fails.
type BreakerOptions struct {
	// Failures in a row that open it; 0 is [DefaultBreakerFailures], less than
	// 0 is no breaker.
	Failures int
	// Open is how long it stays open; 0 is [DefaultBreakerOpen].
	Open time.Duration
}

// Defaults of [BreakerOptions]. The time is short of the waits between a
// watch's attempts, so that a server that is back is noticed by whoever comes
// first.
const (
	DefaultBreakerFailures = 5
	DefaultBreakerOpen     = 5 * time.Second
)

// BreakerState is where the circuit breaker of a [Client] stands.
type BreakerState uint8

const (
	// BreakerClosed lets all requests through.
	BreakerClosed BreakerState = iota
	// BreakerHalfOpen lets one request through to see whether the server is back.
	BreakerHalfOpen
	// BreakerOpen lets none through.
	BreakerOpen
)

// String is "closed", "half-open" or "open".
func (s BreakerState) String() string {
	switch s {
	case BreakerClosed:
		return "closed"
	case BreakerHalfOpen:
		return "half-open"
	case BreakerOpen:
		return "open"
	}
	return "unknown"
}

// BreakerOpenError is a request that was not sent, because the server could not
// be reached lately.
type BreakerOpenError struct {
	// Err is the last failure that was counted; may be nil.
	Err error
}

// Error implements error.
func (e *BreakerOpenError) Error() string {
	s := "not sent: the server could not be reached lately"
	if e.Err != nil {
		s += fmt.Sprintf(" (%v)", e.Err)
	}
	return s
}

// Unwrap gives the last failure that was counted.
func (e *BreakerOpenError) Unwrap() error { return e.Err }

// breaker is a client's circuit breaker; nil lets everything through.
type breaker struct {
	steps *gobreaker.TwoStepCircuitBreaker[struct{}]
	moves breakerMoves

	mu     sync.Mutex // guards the fields below; taken under that of steps
	ailing Resource   // the one resource that a proxy's answers were about
	last   error
	lastAt time.Time
	since  time.Time // when the state last changed
}

func newBreaker(o BreakerOptions, changed func(from, to BreakerState)) *breaker {
	if o.Failures < 0 {
		return nil
	}
	if o.Failures == 0 {
		o.Failures = DefaultBreakerFailures
	}
	if o.Open == 0 {
		o.Open = DefaultBreakerOpen
	}
	b := &breaker{moves: breakerMoves{tell: changed}}
	b.steps = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1,
		Timeout:     o.Open,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= o.Failures },
		IsExcluded:  func(err error) bool { return errors.Is(err, errNeutral) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			b.moved()
			b.moves.add(breakerState(from), breakerState(to))
		},
	})
	return b
}

func (b *breaker) moved() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since = time.Now()
}

func breakerState(s gobreaker.State) BreakerState {
	switch s {
	case gobreaker.StateHalfOpen:
		return BreakerHalfOpen
	case gobreaker.StateOpen:
		return BreakerOpen
	}
	return BreakerClosed
}

// errNeutral is an end of a request that says nothing about the server.
var errNeutral = errors.New("neither a success nor a failure of the server")

// enter asks for leave to send a request. What it returns must be given to leave.
func (b *breaker) enter() (told func(error), err error) {
	if b == nil {
		return nil, nil
	}
	told, err = b.steps.Allow()
	b.moves.flush()
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		return nil, &BreakerOpenError{Err: b.last}
	}
	return told, nil
}

// leave tells how a request for the resource has ended.
func (b *breaker) leave(told func(error), r Resource, err error) {
	if b == nil {
		return
	}
	told(b.verdict(r, err))
	b.moves.flush()
}

func (b *breaker) state() BreakerState {
	if b == nil {
		return BreakerClosed
	}
	s := b.steps.State()
	b.moves.flush()
	return breakerState(s)
}

// report fills in what a client's status says of its breaker.
func (b *breaker) report(s *ClientStatus) {
	if b == nil {
		return
	}
	s.Breaker = b.state() // which may move it
	b.mu.Lock()
	defer b.mu.Unlock()
	s.BreakerSince, s.LastFailure, s.LastFailureTime = b.since, b.last, b.lastAt
}

// verdict is nil for a success, errNeutral, or the failure.
func (b *breaker) verdict(r Resource, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ofServer(err) {
	case reached:
		if r == b.ailing {
			b.ailing = Resource{}
		}
		return nil
	case notSent:
		return errNeutral
	case throughProxy:
		if b.ailing == (Resource{}) {
			b.ailing = r
		}
		if r == b.ailing {
			return errNeutral
		}
	}
	b.last, b.lastAt = err, time.Now()
	return err
}

// reach is what the end of a request says of the server.
type reach uint8

const (
	reached      reach = iota // it answered
	notReached                // it did not
	notSent                   // it was not asked, or not waited for
	throughProxy              // something in front of it answered
)

func ofServer(err error) reach {
	var (
		request    *RequestError
		credential *CredentialError
	)
	switch {
	case err == nil:
		return reached
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled), errors.As(err, &credential), !errors.As(err, &request):
		return notSent
	case request.Code == 0:
		if errors.Is(err, context.DeadlineExceeded) && !ownTimeout(err) {
			return notSent // the caller's own deadline
		}
		return notReached
	case isForeign(err) && (request.Code == http.StatusBadGateway || request.Code == http.StatusServiceUnavailable || request.Code == http.StatusGatewayTimeout):
		return throughProxy
	}
	return reached
}

func ownTimeout(err error) bool {
	var timeout *TimeoutError
	return errors.As(err, &timeout)
}
