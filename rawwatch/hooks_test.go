package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// endings keeps how streams ended.
type endings struct {
	mu  sync.Mutex
	all []string
}

func (e *endings) OnStreamClose(_ rawwatch.RequestInfo, r rawwatch.StreamResult) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, fmt.Sprintf("%s %v", r.Reason, r.Err != nil))
}

func (e *endings) took() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.all
	e.all = nil
	return all
}

// TestHookStreamCloseSaysWhy: each way in which a stream ends has its word.
func TestHookStreamCloseSaysWhy(t *testing.T) {
	var ends endings
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{Hooks: []rawwatch.Hook{&ends}}, func(w *world) {
		expect := func(want string) {
			t.Helper()
			if got := ends.took(); !slices.Equal(got, []string{want}) {
				t.Errorf("streams ended %q, want %q", got, want)
			}
		}
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{WatchTimeoutMin: 10 * time.Minute, WatchTimeoutMax: 10 * time.Minute})
		w.pass(10*time.Minute + time.Second)
		expect("timeout false")
		w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
		w.pass(time.Minute)
		expect("ended false")
		w.server.CutWatches(watchtest.Selector{}, watchtest.Abort)
		w.pass(time.Minute)
		expect("failed true")
		w.server.Inject(watchtest.Fault{Verb: "watch", Count: 1, Answer: &watchtest.Answer{Code: 200,
			Header: http.Header{"Content-Type": {"application/json"}},
			Body:   []byte(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}` + "\n"),
		}})
		w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
		w.pass(time.Minute)
		if got := ends.took(); !slices.Equal(got, []string{"ended false", "failed true"}) {
			t.Errorf("a history that is gone: %q", got)
		}
		w.pass(2 * time.Minute) // a bookmark has come
		w.server.CutWatches(watchtest.Selector{}, watchtest.Stall)
		w.pass(4 * time.Minute)
		expect("silent false")
		f.stop()
		expect("closed false")
	})
}

// TestHookRequestEndWithoutAnAnswer: the breaker's refusals are requests, too.
func TestHookRequestEndWithoutAnAnswer(t *testing.T) {
	var line cable
	line.out.Store(true)
	var ends requestEnds
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{DialContext: line.DialContext, Hooks: []rawwatch.Hook{&ends}}, func(w *world) {
		for range rawwatch.DefaultBreakerFailures + 1 {
			for _, err := range w.client.List(w.Context(), rawwatch.Pods.InNamespace("n"), rawwatch.ListOptions{}) {
				if err == nil {
					t.Error("a list without a server")
				}
			}
		}
		var open *rawwatch.BreakerOpenError
		last := ends.all[len(ends.all)-1]
		if len(ends.all) != rawwatch.DefaultBreakerFailures+1 || last.Code != 0 || !errors.As(last.Err, &open) {
			t.Errorf("%d requests, the last: %+v", len(ends.all), last)
		}
		if errors.As(ends.all[0].Err, &open) || !errors.Is(ends.all[0].Err, errNoCable) {
			t.Errorf("the first: %+v", ends.all[0])
		}
	})
}

type requestEnds struct{ all []rawwatch.RequestResult }

func (e *requestEnds) OnRequestEnd(_ rawwatch.RequestInfo, r rawwatch.RequestResult) {
	e.all = append(e.all, r)
}

// flood is a server that sends frames without end, as fast as they are read. It
// allocates nothing for a frame.
type flood struct {
	frame []byte
	rest  []byte
}

const floodFrame = `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":"a","uid":"u","resourceVersion":"1000000000"},"spec":{"env":"%s"}}}` + "\n"

func (f *flood) RoundTrip(r *http.Request) (*http.Response, error) {
	body := io.NopCloser(strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000000000"},"items":[]}`))
	if r.URL.Query().Get("watch") != "" {
		f.frame = fmt.Appendf(nil, floodFrame, strings.Repeat("x", 1000))
		body = io.NopCloser(f)
	}
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: body, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}}, nil
}

// Read gives frame after frame, the resourceVersion one more each time.
func (f *flood) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		version := f.frame[strings.Index(floodFrame, "1000000000"):]
		for i := len("1000000000") - 1; i >= 0; i-- {
			if version[i]++; version[i] <= '9' {
				break
			}
			version[i] = '0'
		}
		f.rest = f.frame
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// frameCounter is the one hook of a program that counts.
type frameCounter struct{ frames, bytes int64 }

func (c *frameCounter) OnFrame(_ rawwatch.RequestInfo, _ decode.EventType, bytes int64) {
	c.frames++
	c.bytes += bytes
}

// flooded returns the events of a watch in the flood, the first of them taken.
func flooded(tb testing.TB, hooks ...rawwatch.Hook) func() (rawwatch.Event, error, bool) {
	tb.Helper()
	client, err := rawwatch.NewClient(&kubeconfig.Config{Server: "http://flood.example"}, rawwatch.ClientOptions{
		Hooks: hooks, WrapTransport: func(http.RoundTripper) http.RoundTripper { return new(flood) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	next, stop := iter.Pull2(client.ListWatch(context.Background(), rawwatch.Pods.Query(), rawwatch.ListWatchOptions{Encoding: rawwatch.EncodingJSON}))
	tb.Cleanup(func() {
		stop()
		if err := client.Close(); err != nil {
			tb.Error(err)
		}
	})
	for range 10 { // Synced, and what is allocated once
		if _, err, ok := next(); err != nil || !ok {
			tb.Fatal(err)
		}
	}
	return next
}

// BenchmarkHooks is what a frame of 1 KB costs a reflector without hooks, with
// one that counts frames, and with one that times the consumer.
func BenchmarkHooks(b *testing.B) {
	for _, c := range []struct {
		name  string
		hooks []rawwatch.Hook
	}{{"none", nil}, {"frames", []rawwatch.Hook{new(frameCounter)}}, {"lag", []rawwatch.Hook{new(lagSum)}}} {
		b.Run("hooks="+c.name, func(b *testing.B) {
			next := flooded(b, c.hooks...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err, _ := next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type lagSum struct{ sum time.Duration }

func (l *lagSum) OnLag(_ rawwatch.RequestInfo, d time.Duration) { l.sum += d }

// TestHooksAllocateNothing: a frame costs no allocation more with a hook.
func TestHooksAllocateNothing(t *testing.T) {
	allocations := func(hooks ...rawwatch.Hook) float64 {
		next := flooded(t, hooks...)
		return testing.AllocsPerRun(1000, func() {
			if _, err, _ := next(); err != nil {
				t.Fatal(err)
			}
		})
	}
	var frames frameCounter
	without, counting, lagging := allocations(), allocations(&frames), allocations(new(lagSum))
	if counting != without || lagging != without {
		t.Errorf("%v allocations for a frame without hooks, %v and %v with one", without, counting, lagging)
	}
	if frames.frames < 1000 || frames.bytes < 1000*1000 {
		t.Errorf("%d frames of %d bytes were told", frames.frames, frames.bytes)
	}
}

type backoffs struct {
	mu  sync.Mutex
	all []rawwatch.BackoffInfo
}

func (b *backoffs) OnBackoff(_ rawwatch.RequestInfo, i rawwatch.BackoffInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, i)
}

// TestHookBackoffIsToldOfEachWait: also of those that no failure is behind.
func TestHookBackoffIsToldOfEachWait(t *testing.T) {
	var waits backoffs
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{Hooks: []rawwatch.Hook{&waits}}, func(w *world) {
		w.server.Inject(watchtest.Fault{Verb: "list", Count: 1, Answer: &watchtest.Answer{Code: 429, Header: http.Header{"Retry-After": {"7"}}}})
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(30 * time.Second)
		w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
		w.pass(30 * time.Second)
		f.stop()
		if len(waits.all) != 2 {
			t.Fatalf("%+v", waits.all)
		}
		if b := waits.all[0]; b.Class != resume.Throttled || b.Reason != resume.ReasonThrottled || b.Err == nil || b.Wait < 7*time.Second {
			t.Errorf("throttled: %+v", b)
		}
		if b := waits.all[1]; b.Class != 0 || b.Reason != resume.ReasonEnded || b.Err != nil || b.Wait <= 0 {
			t.Errorf("ended: %+v", b)
		}
	})
}
