package access

import (
	"context"
	"crypto/tls"
	"net/http"
	"sync"
	"time"
)

// issued is a credential with an end.
type issued struct {
	token   string
	cert    *tls.Certificate
	expires time.Time // zero: when the server rejects it
}

// renewal keeps what a slow source issues: a program, or an issuer on the
// network. All who need the credential share one run of the source. What has
// been issued is used until shortly before it expires, or until the server
// rejects it; a failure is kept too, for a time that doubles, so that a broken
// source is not asked for every request.
type renewal struct {
	source  func(context.Context) (*issued, error)
	session *Session
	leeway  time.Duration
	// changed is called, without the lock, when a client certificate was
	// replaced by another.
	changed func()
	// renewable is nil, or tells whether the source has more to give.
	renewable func() bool

	mu         sync.Mutex // guards the fields below
	now        *issued
	before     *issued   // what was issued last, be it rejected since
	fresh      time.Time // until when now is used without asking
	running    *run      // the run under way
	lastRun    time.Time
	failure    error // of the last run
	failures   int   // in a row
	rejections int   // since the last calm
	lastReject time.Time
}

// run is one run of the source; done is closed at its end.
type run struct{ done chan struct{} }

// get is the credential of the moment, renewed if need be.
func (r *renewal) get(ctx context.Context) (*issued, error) {
	for {
		r.mu.Lock()
		now := time.Now()
		if r.now != nil && now.Before(r.fresh) {
			defer r.mu.Unlock()
			return r.now, nil
		}
		if r.running == nil {
			if r.failure != nil && now.Before(r.lastRun.Add(pause(r.failures))) {
				defer r.mu.Unlock()
				return r.fallback(now)
			}
			if err := r.start(); err != nil {
				r.mu.Unlock()
				return nil, err
			}
		}
		current := r.running
		r.mu.Unlock()
		select {
		case <-current.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// fallback is what there is while renewing fails: a credential that the
// leeway, but not its expiry, has ended, or else the failure.
func (r *renewal) fallback(now time.Time) (*issued, error) {
	if r.now != nil && !r.now.expires.IsZero() && now.Before(r.now.expires) {
		return r.now, nil
	}
	return nil, r.failure
}

// start begins a run, which belongs to the session; mu is held.
func (r *renewal) start() error {
	current := &run{done: make(chan struct{})}
	err := r.session.spawn(func(ctx context.Context) {
		got, err := r.source(ctx)
		r.finish(current, got, err)
	})
	if err == nil {
		r.running = current
	}
	return err
}

func (r *renewal) finish(current *run, got *issued, err error) {
	r.mu.Lock()
	now := time.Now()
	r.running, r.lastRun, r.failure = nil, now, err
	rotated := false
	if err != nil {
		r.failures++
	} else {
		r.failures = r.staleFailures(got, now)
		rotated = r.before != nil && !sameCert(r.before.cert, got.cert)
		r.now, r.before, r.fresh = got, got, r.freshUntil(got, now)
	}
	r.mu.Unlock()
	if rotated {
		r.changed() // before the waiters go on, so that they find new connections
	}
	close(current.done)
}

// staleFailures counts a credential that comes expired as a failure.
func (r *renewal) staleFailures(got *issued, now time.Time) int {
	if got.expires.IsZero() || now.Before(got.expires) {
		return 0
	}
	return r.failures + 1
}

// forever stands for a credential without an expiry.
const forever = 100 * 365 * 24 * time.Hour

// freshUntil is the expiry less the leeway. One that is issued too late for
// that, or by a clock that is not ours, is used for a moment all the same: the
// server decides.
func (r *renewal) freshUntil(got *issued, now time.Time) time.Time {
	if got.expires.IsZero() {
		return now.Add(forever)
	}
	fresh := got.expires.Add(-min(r.leeway, max(0, got.expires.Sub(now)/2)))
	if soonest := now.Add(max(firstRetry, pause(r.failures))); fresh.Before(soonest) {
		return soonest
	}
	return fresh
}

// reject drops the credential, if it is still the one that was rejected, and
// reports whether another one is there or can be had at once. Rejections that
// follow each other are answered at growing distances.
func (r *renewal) reject(was func(*issued) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || !was(r.now) {
		return r.failure == nil
	}
	if r.running != nil {
		return true
	}
	if r.renewable != nil && !r.renewable() {
		return false
	}
	now := time.Now()
	if now.Sub(r.lastReject) > calmAfter {
		r.rejections = 0
	}
	if r.rejections > 0 && now.Before(r.lastRun.Add(pause(r.rejections))) {
		// Of a certificate it is not known whether the connection had the
		// latest, so that another attempt may help.
		return r.now.token == ""
	}
	r.lastReject = now
	r.rejections++
	r.now, r.fresh = nil, time.Time{}
	return true
}

// pause is how long to wait after so many failures in a row.
func pause(failures int) time.Duration {
	if failures < 1 {
		return 0
	}
	return min(firstRetry<<min(failures-1, 10), lastRetry)
}

// apply implements credential.
func (r *renewal) apply(req *http.Request) error {
	got, err := r.get(req.Context())
	if err != nil {
		return err
	}
	if got.token != "" {
		req.Header.Set("Authorization", "Bearer "+got.token)
	}
	return nil
}

// rejected implements credential.
func (r *renewal) rejected(req *http.Request) bool {
	carried := req.Header.Get("Authorization")
	return r.reject(func(i *issued) bool {
		if i.token == "" {
			return true // a certificate only: which one the connection had is not known
		}
		return carried == "Bearer "+i.token
	})
}

// certificate implements certifier.
func (r *renewal) certificate(ctx context.Context) (*tls.Certificate, error) {
	got, err := r.get(ctx)
	if err != nil {
		return nil, err
	}
	return got.cert, nil
}

func sameCert(a, b *tls.Certificate) bool {
	if a == nil || b == nil {
		return a == b
	}
	if len(a.Certificate) != len(b.Certificate) {
		return false
	}
	for i := range a.Certificate {
		if string(a.Certificate[i]) != string(b.Certificate[i]) {
			return false
		}
	}
	return true
}
