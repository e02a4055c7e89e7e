package rawwatch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTransports runs the same main job over each way to reach a server, on
// real sockets.
func TestTransports(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  watchtest.Mode
		http1 bool
		proto string
	}{
		{"TLS and HTTP/2", watchtest.TLS, false, "HTTP/2.0"},
		{"TLS and HTTP/1.1", watchtest.TLS, true, "HTTP/1.1"},
		{"plain", watchtest.Plain, false, "HTTP/1.1"},
		{"Unix socket", watchtest.Unix, false, "HTTP/1.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := watchtest.NewServer(watchtest.Options{Mode: c.mode})
			defer server.Close()
			client := newClient(t, server.Config(), rawwatch.ClientOptions{HTTP1: c.http1})
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if _, err := server.Create(watchtest.Pods, `{"metadata":{"namespace":"n","name":"a"}}`); err != nil {
				t.Fatal(err)
			}
			var got []string
			for event, err := range client.ListWatch(ctx, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(event.Type)+event.Object.Name)
				if event.Type == rawwatch.Synced {
					if _, err := server.Create(watchtest.Pods, `{"metadata":{"namespace":"n","name":"b"}}`); err != nil {
						t.Fatal(err)
					}
				}
				if event.Object.Name == "b" {
					break
				}
			}
			if strings.Join(got, " ") != "ADDEDa SYNCED ADDEDb" {
				t.Errorf("events %v", got)
			}
			for _, r := range server.Journal() {
				if r.Proto != c.proto {
					t.Errorf("%s came over %s, want %s", r.Verb, r.Proto, c.proto)
				}
			}
		})
	}
}

// TestSharedConnections: many watches, few connections, nobody starves.
func TestSharedConnections(t *testing.T) {
	inWorld(t, watchtest.Options{StreamLimit: 10}, func(w *world) {
		var all []*follower
		for range 35 {
			all = append(all, w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}))
		}
		w.pass(10 * time.Second)
		connections := map[int]bool{}
		for _, r := range w.requests("watch") {
			connections[r.Connection] = true
		}
		if len(connections) < 4 || len(connections) > 5 {
			w.Errorf("%d connections for 35 watches of 10 per connection", len(connections))
		}
		a := w.create(pods, "n", "a")
		w.settle()
		for _, f := range all {
			f.expectState(a)
		}
	})
}

// TestPausedStreamStarvesNobody: one consumer stops reading, its window fills
// up, and the others on the same connection go on.
func TestPausedStreamStarvesNobody(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		resume := make(chan struct{})
		var done sync.WaitGroup
		ctx, cancel := context.WithCancel(w.Context())
		done.Go(func() {
			for range w.client.ListWatch(ctx, rawwatch.ConfigMaps.Query(), rawwatch.ListWatchOptions{}) {
				<-resume
			}
		})
		w.settle()
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		text := strings.Repeat("x", 100<<10)
		for i := range 100 { // 10 MB, far more than the stream's window
			w.create(watchtest.ConfigMaps, "n", "c"+strings.Repeat("c", i), `"data":{"x":"`+text+`"}`)
		}
		a := w.create(pods, "n", "a")
		w.pass(time.Second) // a busy connection is read in batches
		f.expectState(a)
		cancel()
		close(resume)
		done.Wait()
	})
}

// blackhole is a connection whose packets vanish once the switch is thrown:
// nothing arrives, nothing is refused, no FIN is seen.
type blackhole struct {
	net.Conn
	dark *atomic.Bool
	gone chan struct{}
}

func (c *blackhole) Write(p []byte) (int, error) {
	if c.dark.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

func (c *blackhole) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.dark.Load() {
		<-c.gone
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *blackhole) Close() error {
	select {
	case <-c.gone:
	default:
		close(c.gone)
	}
	return c.Conn.Close()
}

// TestVanishedPackets: the connection is dead without a word. HTTP/2 notices
// by its ping, HTTP/1.1 at the end of the watch's time and its grace.
func TestVanishedPackets(t *testing.T) {
	for _, c := range []struct {
		name  string
		http1 bool
		bound time.Duration
	}{
		{"HTTP/2", false, rawwatch.DefaultPingInterval + rawwatch.DefaultPingTimeout + 5*time.Second},
		{"HTTP/1.1", true, 10*time.Minute + rawwatch.DefaultWatchGrace + 5*time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			var dark atomic.Bool
			var server atomic.Pointer[watchtest.Server]
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := server.Load().DialContext(ctx, network, address)
				if err != nil || dark.Load() {
					return conn, err
				}
				return &blackhole{Conn: conn, dark: &dark, gone: make(chan struct{})}, nil
			}
			inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{HTTP1: c.http1, DialContext: func(ctx context.Context, n, a string) (net.Conn, error) { return dial(ctx, n, a) }}, func(w *world) {
				server.Store(w.server)
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.create(pods, "n", "a")
				w.settle()
				f.expect("SYNCED list", "ADDED stream n/a")
				dark.Store(true)
				b := w.touch(pods, "n", "a", "1")
				w.pass(c.bound)
				f.expect("MODIFIED stream n/a")
				f.expectState(b)
			})
		})
	}
}

// TestSilentServer: each phase of a request has its own bound.
func TestSilentServer(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault watchtest.Fault
		what  string
		after time.Duration
	}{
		{"no headers", watchtest.Fault{Verb: "list", Hold: true}, "response headers", rawwatch.DefaultHeaderTimeout},
		{"a list that stops in the middle", watchtest.Fault{Verb: "list", Cut: watchtest.Stall, AfterBytes: 10}, "list data", rawwatch.DefaultDataTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.server.Inject(c.fault)
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.pass(c.after - time.Second)
				if all := f.failed(); len(all) != 0 {
					w.Errorf("failed early: %v", all)
				}
				w.pass(time.Minute)
				e := failure[*rawwatch.TimeoutError](f)
				if e.What != c.what || e.After != c.after || !errors.Is(e, context.DeadlineExceeded) {
					w.Errorf("got %+v", e)
				}
				f.expect("SYNCED list")
			})
		})
	}
}

// TestHeadersAndWrapper: what goes with every request.
func TestHeadersAndWrapper(t *testing.T) {
	var wrapped atomic.Int64
	options := rawwatch.ClientOptions{
		UserAgent: "edge-agent/7",
		Header:    http.Header{"X-Team": {"edge"}, "Accept": {"text/plain"}},
		WrapTransport: func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(r *http.Request) (*http.Response, error) {
				wrapped.Add(1)
				if r.Header.Get("Authorization") == "" {
					t.Error("the wrapper does not see the request as it is sent")
				}
				return next.RoundTrip(r)
			})
		},
	}
	inWorldWith(t, watchtest.Options{}, options, func(w *world) {
		w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		for _, r := range w.server.Journal() {
			if r.Header.Get("User-Agent") != "edge-agent/7" || r.Header.Get("X-Team") != "edge" || !strings.Contains(r.Header.Get("Accept"), "application/json") {
				w.Errorf("%s with %v", r.Verb, r.Header)
			}
		}
		if wrapped.Load() != 2 {
			w.Errorf("%d requests went through the wrapper, want 2", wrapped.Load())
		}
	})
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLogHoldsNoCredential, and says what a person needs to know.
func TestLogHoldsNoCredential(t *testing.T) {
	var log lockedBuffer
	options := rawwatch.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	inWorldWith(t, watchtest.Options{}, options, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.server.Inject(watchtest.Fault{Count: 2, Answer: watchtest.StatusAnswer(watchtest.Failure(503))})
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(time.Minute)
		w.forget()
		w.pass(time.Minute)
		f.going()
	})
	text := log.String()
	for _, want := range []string{"synced", "watch interrupted", "503", "retry_in", "no longer reaches back", "pods"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, watchtest.DefaultToken) {
		t.Errorf("the log gives away the token:\n%s", text)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestUnusableOptions(t *testing.T) {
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Plain})
	defer server.Close()
	var wrong *rawwatch.OptionError
	if _, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{PingTimeout: -1}); !errors.As(err, &wrong) || wrong.Option != "ClientOptions.PingTimeout" {
		t.Errorf("got %v", err)
	}
	if _, err := rawwatch.NewClient(nil, rawwatch.ClientOptions{}); err == nil {
		t.Error("a nil config was accepted")
	}
}

// TestWatch: one stream, one attempt, the server's own words.
func TestWatch(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		a := w.create(pods, "n", "a")
		w.touch(pods, "n", "a", "1")
		w.delete(pods, "n", "a")
		var got []string
		for event, err := range w.client.Watch(w.Context(), rawwatch.Pods.Query(), rawwatch.WatchOptions{ResourceVersion: a.ResourceVersion, Timeout: time.Minute}) {
			if err != nil {
				w.Fatal(err)
			}
			got = append(got, string(event.Type)+" "+event.ResourceVersion)
		}
		if len(got) != 2 || !strings.HasPrefix(got[0], "MODIFIED ") || !strings.HasPrefix(got[1], "DELETED ") {
			w.Errorf("events %v", got)
		}
		w.counts(0, 1)

		w.server.Compact(w.server.Revision())
		var status *decode.StatusError
		for _, err := range w.client.Watch(w.Context(), rawwatch.Pods.Query(), rawwatch.WatchOptions{ResourceVersion: a.ResourceVersion}) {
			if !errors.As(err, &status) || !status.IsExpired() {
				w.Errorf("from a forgotten version: %v", err)
			}
		}
		if status == nil {
			w.Error("a forgotten version was accepted")
		}
	})
}

func TestWatchNeedsAVersion(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, version := range []string{"", "0"} {
			var wrong *rawwatch.OptionError
			for _, err := range w.client.Watch(w.Context(), rawwatch.Pods.Query(), rawwatch.WatchOptions{ResourceVersion: version}) {
				if !errors.As(err, &wrong) {
					w.Errorf("version %q: %v", version, err)
				}
			}
		}
		w.counts(0, 0)
	})
}

// TestClosedClient: nothing is sent any more, and a ListWatch ends.
func TestClosedClient(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		if err := w.client.Close(); err != nil {
			w.Fatal(err)
		}
		w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
		w.server.ClearJournal()
		w.pass(time.Minute)
		if err := f.ended(); !errors.Is(err, rawwatch.ErrClosed) {
			w.Errorf("ListWatch ended with %v", err)
		}
		for _, err := range w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
			if !errors.Is(err, rawwatch.ErrClosed) {
				w.Errorf("List: %v", err)
			}
		}
		w.counts(0, 0)
	})
}
