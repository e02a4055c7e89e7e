package rawwatch_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// cable can be unplugged: dials then fail.
type cable struct {
	dial  func(context.Context, string, string) (net.Conn, error)
	out   atomic.Bool
	dials atomic.Int64
}

var errNoCable = errors.New("no cable")

func (c *cable) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c.dials.Add(1)
	if c.out.Load() {
		return nil, errNoCable
	}
	return c.dial(ctx, network, address)
}

// TestBreakerSparesADeadServer: many watches of a server that is away for an
// hour do not each knock at its door; all are back soon after it is.
func TestBreakerSparesADeadServer(t *testing.T) {
	var line cable
	var states stateLog
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{DialContext: line.DialContext, Hooks: []rawwatch.Hook{&states}}, func(w *world) {
		line.dial = w.server.DialContext
		const watches = 50
		var all []*follower
		for range watches {
			all = append(all, w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}))
		}
		w.pass(time.Second)
		line.out.Store(true)
		w.server.Restart()
		w.pass(time.Minute) // the breaker has tripped by now
		before := line.dials.Load()
		w.pass(time.Hour)
		if n := line.dials.Load() - before; n > 3600/5+1 || n < 60 {
			w.Errorf("%d dials in an hour with an open breaker", n)
		}
		s := w.client.Status()
		if s.Breaker == rawwatch.BreakerClosed || !errors.Is(s.LastFailure, errNoCable) {
			w.Errorf("status: %+v", s)
		}
		var open *rawwatch.BreakerOpenError
		if err := all[0].reflector.Status().LastError; !errors.As(err, &open) && !errors.Is(err, errNoCable) {
			w.Errorf("last error of a watch: %v", err)
		}
		line.out.Store(false)
		w.pass(70 * time.Second) // two backoffs at the most
		for i, f := range all {
			if s := f.reflector.Status(); !s.Connected {
				w.Errorf("watch %d is not back: %v", i, s.LastError)
			}
			f.stop()
		}
		if s := w.client.Status(); s.Breaker != rawwatch.BreakerClosed || s.OpenStreams != 0 {
			w.Errorf("status: %+v", s)
		}
		if log := states.String(); !strings.HasPrefix(log, "closed>open open>half-open half-open>") || !strings.HasSuffix(log, "half-open>closed") {
			w.Errorf("the breaker went %s", log)
		}
	})
}

type stateLog struct {
	mu   sync.Mutex
	text []string
}

func (l *stateLog) OnBreaker(from, to rawwatch.BreakerState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, from.String()+">"+to.String())
}

func (l *stateLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.text, " ")
}

// TestOneBadResourceStopsNoOther: an aggregated API whose proxy answers 503 for
// an hour does not keep others from being listed.
func TestOneBadResourceStopsNoOther(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Inject(watchtest.Fault{Resource: "configmaps", Count: -1, Answer: &watchtest.Answer{
			Code: http.StatusServiceUnavailable, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte("service unavailable\n"),
		}})
		w.follow(rawwatch.ConfigMaps.Query(), rawwatch.ListWatchOptions{})
		for range 60 {
			w.pass(time.Minute)
			if s := w.client.Status(); s.Breaker != rawwatch.BreakerClosed {
				w.Fatalf("the breaker is %s", s.Breaker)
			}
		}
		for _, err := range w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
			w.Error(err)
		}
	})
}

// TestEndpointsAreTriedInTurn: when the first server goes, the next one is
// asked, at once.
func TestEndpointsAreTriedInTurn(t *testing.T) {
	var line cable
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if !strings.HasPrefix(address, "second.example:") {
			return line.DialContext(ctx, network, address)
		}
		return line.dial(ctx, network, address)
	}
	inWorldWith(t, watchtest.Options{Mode: watchtest.MemoryPlain}, rawwatch.ClientOptions{
		DialContext: dial, Endpoints: []string{"http://third.example:1", "http://second.example:6443"},
	}, func(w *world) {
		line.dial = w.server.DialContext
		w.create(pods, "n", "a")
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		f.expect("ADDED list n/a", "SYNCED list")
		first := w.client.Status().Endpoint
		line.out.Store(true)
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(5 * time.Second)
		w.touch(pods, "n", "a", "1")
		w.settle()
		f.expect("MODIFIED stream n/a")
		if s := w.client.Status(); s.Endpoint != "http://second.example:6443" || s.Endpoint == first {
			w.Errorf("status: %+v, was %s", s, first)
		}
	})
	for _, bad := range []string{"ftp://a", "https://a", "http://", "http://u@a", "http://a?b", ":"} {
		server := watchtest.NewServer(watchtest.Options{Mode: watchtest.MemoryPlain})
		_, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{Endpoints: []string{bad}})
		var option *rawwatch.OptionError
		if !errors.As(err, &option) || option.Option != "ClientOptions.Endpoints" {
			t.Errorf("%s: %v", bad, err)
		}
		server.Close()
	}
}

// TestBudgetBoundsRequests: whatever asks, a server hears no more.
func TestBudgetBoundsRequests(t *testing.T) {
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{Budget: rawwatch.Budget{PerSecond: 10, Burst: 5}}, func(w *world) {
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				for _, err := range w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
					w.Error(err)
				}
			})
		}
		w.pass(time.Second)
		if n := len(w.requests("list")); n < 14 || n > 16 {
			w.Errorf("%d requests in the first second, want 5 and 10", n)
		}
		all.Wait()
		ctx, cancel := context.WithTimeout(w.Context(), time.Millisecond)
		defer cancel()
		for range 7 {
			for _, err := range w.client.List(ctx, rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
				if !errors.Is(err, context.DeadlineExceeded) {
					w.Errorf("beyond the deadline: %v", err)
				}
			}
		}
	})
}

// counters counts what hooks are told.
type counters struct {
	starts, ends, pages, objects, opens, closes, frames, bytes, lags atomic.Int64
	begins, relists, changes, backoffs, bad                          atomic.Int64
}

func (c *counters) OnRequestStart(rawwatch.RequestInfo)                           { c.starts.Add(1) }
func (c *counters) OnRequestEnd(_ rawwatch.RequestInfo, _ rawwatch.RequestResult) { c.ends.Add(1) }
func (c *counters) OnPage(_ rawwatch.RequestInfo, p rawwatch.PageInfo) {
	c.pages.Add(1)
	c.objects.Add(int64(p.Objects))
}
func (c *counters) OnStreamOpen(rawwatch.RequestInfo, decode.Encoding) { c.opens.Add(1) }
func (c *counters) OnStreamClose(_ rawwatch.RequestInfo, r rawwatch.StreamResult) {
	c.closes.Add(1)
	c.bytes.Add(r.Bytes)
}
func (c *counters) OnFrame(_ rawwatch.RequestInfo, _ decode.EventType, bytes int64) {
	c.frames.Add(1)
	c.bytes.Add(-bytes)
}
func (c *counters) OnLag(rawwatch.RequestInfo, time.Duration)         { c.lags.Add(1) }
func (c *counters) OnRelistBegin(rawwatch.RequestInfo, resume.Reason) { c.begins.Add(1) }
func (c *counters) OnRelistEnd(_ rawwatch.RequestInfo, r rawwatch.RelistResult) {
	c.relists.Add(1)
	c.changes.Add(int64(r.Changes))
}
func (c *counters) OnBackoff(rawwatch.RequestInfo, rawwatch.BackoffInfo)  { c.backoffs.Add(1) }
func (c *counters) OnDecodeError(rawwatch.RequestInfo, decode.Key, error) { c.bad.Add(1) }

func TestHooksAreTold(t *testing.T) {
	var c counters
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{Hooks: []rawwatch.Hook{&c}}, func(w *world) {
		w.create(pods, "n", "a")
		w.create(pods, "n", "b")
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 1})
		w.touch(pods, "n", "a", "1")
		w.settle()
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(5 * time.Second)
		w.touch(pods, "n", "a", "2")
		w.server.SendFrame(watchtest.Selector{}, []byte(`{"type":"MODIFIED","object":{"metadata":{"namespace":"n","name":"x","labels":7,"resourceVersion":5}}}`+"\n"))
		w.settle()
		f.stop()
		for name, got := range map[string][2]int64{
			"request starts": {c.starts.Load(), 4}, "request ends": {c.ends.Load(), 4},
			"pages": {c.pages.Load(), 2}, "objects": {c.objects.Load(), 2},
			"streams opened": {c.opens.Load(), 2}, "streams closed": {c.closes.Load(), 2},
			"frames": {c.frames.Load(), 3}, "bytes that no frame told of, line ends": {c.bytes.Load(), 2},
			"relists begun": {c.begins.Load(), 1}, "relists ended": {c.relists.Load(), 1}, "changes of relists": {c.changes.Load(), 2},
			"backoffs": {c.backoffs.Load(), 1}, "decode errors": {c.bad.Load(), 1},
		} {
			if got[0] != got[1] {
				w.Errorf("%s: %d, want %d", name, got[0], got[1])
			}
		}
		if c.lags.Load() == 0 {
			w.Error("no lag was told")
		}
	})
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	_, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{Hooks: []rawwatch.Hook{"no hook"}})
	var option *rawwatch.OptionError
	if !errors.As(err, &option) {
		t.Errorf("a value that is no hook: %v", err)
	}
}
