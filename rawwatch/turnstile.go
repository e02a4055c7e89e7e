package rawwatch

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// settingsGrace is how long the first request on a new HTTP/2 connection goes
// alone when its response headers do not come. The server's SETTINGS frame,
// which says how many streams the connection may carry (RFC 9113, section
// 6.5.2), arrives with or before them.
const settingsGrace = 2 * time.Second

// turnstile lets requests find their connection one at a time.
//
// net/http dials a connection for each request that finds none free: a
// thousand watches that start, or come back, at one instant would open a
// thousand connections, of which HTTP/2 needs ten. Behind the turnstile the
// first one dials while the others wait, and find its connection or, when
// that is full, open the next. When the dial fails, all who waited for it fail
// with it, instead of trying one after the other.
//
// Over HTTP/1.1 each watch has a connection of its own, so there is nothing to
// wait for: once a connection turned out to be that, requests pass freely.
type turnstile struct {
	next http.RoundTripper
	turn chan struct{} // holds one token while a request looks for its connection
	open atomic.Bool   // the last connection that was seen is no HTTP/2
	// trace is what all requests share: HTTP/2 keeps a request's context for as
	// long as its stream lives.
	trace *httptrace.ClientTrace
	// inside is the stay of the request whose turn it is.
	inside atomic.Pointer[pass]

	mu    sync.Mutex // guards round
	round *dialRound
}

// dialRound is what those who wait at the turnstile share: the failure of the
// dial that they wait for.
type dialRound struct {
	failed chan struct{} // closed after err is set
	err    error
}

func newTurnstile(next http.RoundTripper) *turnstile {
	t := &turnstile{next: next, turn: make(chan struct{}, 1), round: &dialRound{failed: make(chan struct{})}}
	t.trace = &httptrace.ClientTrace{GotConn: t.gotConn}
	return t
}

// RoundTrip implements http.RoundTripper.
func (t *turnstile) RoundTrip(r *http.Request) (*http.Response, error) {
	r = t.traced(r)
	if t.open.Load() {
		return t.next.RoundTrip(r)
	}
	t.mu.Lock()
	round := t.round
	t.mu.Unlock()
	select {
	case t.turn <- struct{}{}:
	case <-round.failed:
		return nil, round.err
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	pass := &pass{turn: t.turn}
	t.inside.Store(pass)
	defer pass.release()
	resp, err := t.next.RoundTrip(r)
	if err != nil && !pass.connected() && r.Context().Err() == nil {
		t.fail(err)
	}
	return resp, err
}

// gotConn is told of each connection that a request has found. It is the one
// whose turn it is, unless a request that has left the turnstile had to look
// for another connection: then somebody's stay ends early, and two may dial.
func (t *turnstile) gotConn(info httptrace.GotConnInfo) {
	t.look(info)
	if pass := t.inside.Load(); pass != nil {
		pass.gotConn(info)
	}
}

// traced sees to it that a request tells of its connection.
func (t *turnstile) traced(r *http.Request) *http.Request {
	if r.Context().Value(t) != nil {
		return r
	}
	return r.WithContext(t.context(r.Context()))
}

// context is ctx for a request that tells of its connection, beside whatever
// traces it already.
func (t *turnstile) context(ctx context.Context) context.Context {
	ctx, gate := t.joins(ctx)
	if gate != nil {
		ctx = &tracedContext{ctx, gate}
	}
	return ctx
}

// joins is context where there is a trace already. Elsewhere it returns what adds
// the turnstile's own.
func (t *turnstile) joins(ctx context.Context) (context.Context, *turnstile) {
	earlier := httptrace.ContextClientTrace(ctx)
	if earlier == nil {
		return ctx, t
	}
	both := *earlier
	both.GotConn = func(info httptrace.GotConnInfo) {
		t.gotConn(info)
		if earlier.GotConn != nil {
			earlier.GotConn(info)
		}
	}
	return &twiceTracedContext{tracedContext{ctx, t}, &both}, nil
}

// value is what a context has whose request tells of its connection.
func (t *turnstile) value(key any) any {
	switch key {
	case any(t):
		return t
	case traceKey:
		return t.trace
	}
	return nil
}

// tracedContext is a context with the turnstile's trace. It is what
// httptrace.WithClientTrace makes, which puts traces together by reflection:
// that is much code, and nothing else in an agent needs it.
type tracedContext struct {
	context.Context
	turnstile *turnstile
}

// twiceTracedContext is one that had a trace before.
type twiceTracedContext struct {
	tracedContext
	both *httptrace.ClientTrace
}

// Value implements context.Context.
func (c *twiceTracedContext) Value(key any) any {
	if key == traceKey {
		return c.both
	}
	return c.tracedContext.Value(key)
}

// traceKey is what net/http asks a context for to find its trace.
var traceKey = func() any {
	var asked keySpy
	httptrace.ContextClientTrace(&asked)
	return asked.key
}()

// keySpy is a context that remembers what it was asked for.
type keySpy struct {
	context.Context
	key any
}

// Value implements context.Context.
func (s *keySpy) Value(key any) any {
	s.key = key
	return nil
}

// Value implements context.Context.
func (c *tracedContext) Value(key any) any {
	if value := c.turnstile.value(key); value != nil {
		return value
	}
	return c.Context.Value(key)
}

// look learns whether connections can be shared.
func (t *turnstile) look(info httptrace.GotConnInfo) { t.open.Store(!isHTTP2(info)) }

func isHTTP2(info httptrace.GotConnInfo) bool {
	c, ok := info.Conn.(*tls.Conn)
	return ok && c.ConnectionState().NegotiatedProtocol == "h2"
}

// fail ends the round: whoever waits gets err, whoever comes later tries anew.
func (t *turnstile) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.round.err = err
	close(t.round.failed)
	t.round = &dialRound{failed: make(chan struct{})}
}

// pass is one request's stay inside the turnstile.
type pass struct {
	turn chan struct{}

	mu       sync.Mutex // guards the fields below
	released bool
	got      bool
	grace    *time.Timer
}

// gotConn ends the stay, at once on a connection that is known, a little later
// on a new HTTP/2 one.
func (p *pass) gotConn(info httptrace.GotConnInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = true
	if isHTTP2(info) && !info.Reused {
		if p.grace == nil && !p.released {
			p.grace = time.AfterFunc(settingsGrace, p.release)
		}
		return
	}
	p.releaseLocked()
}

func (p *pass) connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got
}

func (p *pass) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.releaseLocked()
}

func (p *pass) releaseLocked() {
	if p.released {
		return
	}
	p.released = true
	if p.grace != nil {
		p.grace.Stop()
	}
	<-p.turn
}
