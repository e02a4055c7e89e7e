package rawwatch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
)

// roundTripper is a function as an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func get(t *testing.T, ctx context.Context, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNoDialStorm opens more streams at one instant than two connections can
// carry, and counts the connections that the server sees.
func TestNoDialStorm(t *testing.T) {
	const streams, perConnection = 50, 20
	var connections atomic.Int64
	release := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	server.EnableHTTP2 = true
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: perConnection}
	server.Config.ConnState = connCounter(&connections)
	server.StartTLS()
	defer server.Close()
	defer close(release)

	base := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}}
	//lint:ignore SA1019 as in the client
	if _, err := http2.ConfigureTransports(base); err != nil {
		t.Fatal(err)
	}
	defer base.CloseIdleConnections()
	gate := newTurnstile(base)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var open sync.WaitGroup
	for range streams {
		open.Go(func() {
			resp, err := gate.RoundTrip(get(t, ctx, server.URL))
			if err != nil {
				t.Error(err)
				return
			}
			if resp.ProtoMajor != 2 {
				t.Errorf("HTTP/%d, want HTTP/2", resp.ProtoMajor)
			}
			t.Cleanup(func() { _ = resp.Body.Close() })
		})
	}
	open.Wait() // all are open at the same time
	if got, want := connections.Load(), int64((streams+perConnection-1)/perConnection); got != want {
		t.Errorf("%d connections for %d streams of %d per connection, want %d", got, streams, perConnection, want)
	}
}

func connCounter(n *atomic.Int64) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			n.Add(1)
		}
	}
}

// TestFailedDialFailsThoseWhoWait has many requests wait for one dial that
// takes its time and fails: all fail then, none dials again after it.
func TestFailedDialFailsThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("refused")
		var dials atomic.Int64
		gate := newTurnstile(roundTripper(func(*http.Request) (*http.Response, error) {
			dials.Add(1)
			time.Sleep(10 * time.Second) // virtual
			return nil, refused
		}))
		var all sync.WaitGroup
		begin := time.Now()
		for range 100 {
			all.Go(func() {
				if _, err := gate.RoundTrip(get(t, t.Context(), "http://x")); !errors.Is(err, refused) {
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		if took := time.Since(begin); took != 10*time.Second || dials.Load() != 1 {
			t.Errorf("%d dials in %v, want one in 10 s", dials.Load(), took)
		}
	})
}

// TestCancelledRequestDoesNotFailOthers: that one gives up says nothing about
// the server.
func TestCancelledRequestDoesNotFailOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newTurnstile(roundTripper(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(time.Second):
				httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Reused: true})
				return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}))
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := gate.RoundTrip(get(t, impatient, "http://x")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the impatient one: %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if _, err := gate.RoundTrip(get(t, t.Context(), "http://x")); err != nil {
				t.Errorf("the patient one: %v", err)
			}
		})
		all.Wait()
	})
}

// TestConnectionInHandFreesTheTurnstile: a request whose answer takes long
// does not hold up the next one, once it has its connection.
func TestConnectionInHandFreesTheTurnstile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newTurnstile(roundTripper(func(r *http.Request) (*http.Response, error) {
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Reused: true})
			time.Sleep(time.Minute) // virtual
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		}))
		begin := time.Now()
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { _, _ = gate.RoundTrip(get(t, t.Context(), "http://x")) })
		}
		all.Wait()
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("took %v, want all at the same time in one minute", took)
		}
	})
}

// TestHTTP1NeedsNoTurnstile: each watch has its own connection there, so a slow
// handshake is nothing to wait for one after the other.
func TestHTTP1NeedsNoTurnstile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newTurnstile(roundTripper(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second) // virtual: dial and handshake
			client, server := net.Pipe()
			defer client.Close()
			defer server.Close()
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Conn: client})
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		}))
		ask := func() { _, _ = gate.RoundTrip(get(t, t.Context(), "http://x")) }
		ask()
		begin := time.Now()
		var all sync.WaitGroup
		for range 1000 {
			all.Go(ask)
		}
		all.Wait()
		if took := time.Since(begin); took != time.Second {
			t.Errorf("1,000 connections took %v, want them at the same time in one second", took)
		}
	})
}

// TestCallersTraceIsKept: whoever traces the request that is sent through the
// turnstile is told all it would have been told without, once.
func TestCallersTraceIsKept(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	gate := newTurnstile(transport)
	var got, wrote, resolved int
	r := get(t, httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { got++ },
		WroteRequest: func(httptrace.WroteRequestInfo) { wrote++ },
		DNSStart:     func(httptrace.DNSStartInfo) { resolved++ },
	}), strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
	resp, err := gate.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got != 1 || wrote != 1 || resolved != 1 {
		t.Errorf("the caller was told of %d connections, %d requests, %d names; want one of each", got, wrote, resolved)
	}
	if !gate.open.Load() {
		t.Error("the turnstile was not told of the connection, which is not HTTP/2")
	}
}
