package rawwatch_test

import (
	"context"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestPanickingConsumer: a loop body that panics ends its request, as one that
// breaks does, for whoever recovers.
func TestPanickingConsumer(t *testing.T) {
	var requests []context.Context
	wrap := func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			requests = append(requests, r.Context())
			return next.RoundTrip(r)
		})
	}
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{WrapTransport: wrap}, func(w *world) {
		w.create(pods, "n", "a")
		w.create(pods, "n", "b")
		list := w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{})
		reflector := rawwatch.NewReflector(w.client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		for _, loop := range []func(){
			func() {
				for range list {
					panic("in the loop")
				}
			},
			func() {
				for range reflector.Events(w.Context()) {
					panic("in the loop")
				}
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						w.Error("the panic was lost")
					}
				}()
				loop()
			}()
		}
		if s := reflector.Status(); !s.Stopped {
			w.Errorf("the status is %+v", s)
		}
		if len(requests) != 2 {
			w.Errorf("%d requests", len(requests))
		}
		for i, ctx := range requests {
			if ctx.Err() == nil {
				w.Errorf("request %d is still open", i)
			}
		}
	})
}

// TestEndlessPatience: the longest bounds that there are do not overflow into
// none at all.
func TestEndlessPatience(t *testing.T) {
	for name, c := range map[string]struct {
		grace, timeout time.Duration
	}{
		"grace":   {math.MaxInt64, time.Minute},
		"timeout": {0, math.MaxInt64},
		"both":    {math.MaxInt64, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{WatchGrace: c.grace}, func(w *world) {
				first := w.create(pods, "n", "a")
				time.AfterFunc(time.Second, func() { w.create(pods, "n", "b") })
				for event, err := range w.client.Watch(w.Context(), rawwatch.Pods.Query(), rawwatch.WatchOptions{ResourceVersion: first.ResourceVersion, Timeout: c.timeout}) {
					if err != nil || event.Object.Name != "b" {
						w.Errorf("got %+v, %v", event, err)
					}
					return
				}
				w.Error("the watch ended at once")
			})
		})
	}
}

// TestServerThatReadsNoMore: watches on a connection that takes no byte any
// more, and brings some all the while, end with their contexts all the same.
// (In real time: a bubble's does not pass while goroutines wait for a mutex.)
func TestServerThatReadsNoMore(t *testing.T) {
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.TLS, BookmarkInterval: 10 * time.Millisecond})
	defer server.Close()
	var full atomic.Bool
	client := newClient(t, server.Config(), rawwatch.ClientOptions{
		PingTimeout: 100 * time.Millisecond,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			var d net.Dialer
			conn, err := d.DialContext(ctx, network, address)
			return &fullConn{Conn: conn, full: &full, closed: make(chan struct{})}, err
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const n = 5
	ended := make(chan struct{}, n)
	for range n {
		go func() {
			for range client.ListWatch(ctx, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}) {
			}
			ended <- struct{}{}
		}()
	}
	if err := server.AwaitWatches(ctx, watchtest.Selector{}, n); err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	cancel()
	for range n {
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("a watch has not ended with its context")
		}
	}
}

// fullConn stands for a connection whose peer has stopped reading.
type fullConn struct {
	net.Conn
	full     *atomic.Bool
	deadline atomic.Pointer[time.Time]
	once     sync.Once
	closed   chan struct{}
}

func (c *fullConn) SetWriteDeadline(at time.Time) error {
	c.deadline.Store(&at)
	return c.Conn.SetWriteDeadline(at)
}

func (c *fullConn) Write(p []byte) (int, error) {
	if !c.full.Load() {
		return c.Conn.Write(p)
	}
	over := make(<-chan time.Time)
	if at := c.deadline.Load(); at != nil && !at.IsZero() {
		over = time.After(time.Until(*at))
	}
	select {
	case <-over:
		return 0, os.ErrDeadlineExceeded
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *fullConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
