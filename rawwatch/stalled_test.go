package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// countingConn counts what arrives.
type countingConn struct {
	net.Conn
	read *atomic.Int64
}

func (c countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// TestStalledHandlerOnSockets: a handler that pushes back blocks while 100,000
// updates of 1,000 objects arrive, over real sockets. What is read of its stream
// is bounded by its window and what waits by its queue, both of which say so;
// another watch on the same connection goes on all the while. Nothing is lost
// when the handler goes on. Under the race detector, and in short, it is 10,000
// updates, which are ten times the window all the same.
func TestStalledHandlerOnSockets(t *testing.T) {
	const objects, queue = 1000, 100
	updates := 100_000
	if raceDetector || testing.Short() {
		updates = 10_000
	}
	const window = 512 << 10 // of a stream; see pool.go
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.TLS, History: 2 * updates, Protobuf: watchtest.ProtobufOff})
	defer server.Close()
	text := strings.Repeat("x", 300)
	for n := range objects {
		if _, err := server.Create(pods, fmt.Sprintf(`{"metadata":{"name":"p%d","namespace":"n"},"spec":{"nodeName":"begin","text":%q}}`, n, text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := server.Create(watchtest.ConfigMaps, `{"metadata":{"name":"c","namespace":"n"}}`); err != nil {
		t.Fatal(err)
	}
	var read, dials atomic.Int64
	client := newClient(t, server.Config(), rawwatch.ClientOptions{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return countingConn{conn, &read}, err
	}})
	stalled := socketInformer[pod](t, client, rawwatch.Pods.Query())
	lively := socketInformer[labelled](t, client, rawwatch.ConfigMaps.Query())

	blocked, release := make(chan struct{}), make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	t.Cleanup(free) // before the informers end
	block := sync.OnceFunc(func() { close(blocked) })
	last := map[decode.Key]string{}
	s, err := stalled.Subscribe(func(_ context.Context, c rawwatch.Change[pod]) error {
		if c.Type == rawwatch.Modified {
			block()
			<-release
		}
		if c.Item != nil {
			last[c.Item.Key()] = c.Item.ResourceVersion
		}
		return nil
	}, rawwatch.SubscriptionOptions[pod]{QueueSize: queue})
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan string)
	if _, err := lively.Subscribe(func(ctx context.Context, c rawwatch.Change[labelled]) error {
		if c.Item != nil {
			select {
			case heard <- c.Item.ResourceVersion:
			case <-ctx.Done():
			}
		}
		return nil
	}, rawwatch.SubscriptionOptions[labelled]{}); err != nil {
		t.Fatal(err)
	}
	<-heard // as it was

	read.Store(0)
	beside := 0
	for n := range updates {
		if _, err := server.Patch(pods, "n", fmt.Sprintf("p%d", n%objects), fmt.Sprintf(`{"spec":{"nodeName":"node-%d"}}`, n)); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			<-blocked
		}
		if n%1000 == 0 {
			o, err := server.Patch(watchtest.ConfigMaps, "n", "c", fmt.Sprintf(`{"metadata":{"labels":{"n":"%d"}}}`, n))
			if err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-heard:
				beside++
				if got != o.ResourceVersion {
					t.Fatalf("the other watch tells %s, want %s", got, o.ResourceVersion)
				}
			case <-time.After(time.Minute):
				t.Fatalf("the other watch does not go on: %+v", lively.Status())
			}
		}
	}
	stats, arrived := s.Stats(), read.Load()
	t.Logf("blocked after %d updates: %+v; %d bytes arrived; %d changes on the other watch; %d connections", updates, stats, arrived, beside, dials.Load())
	if !stats.Blocking || stats.QueueLength != queue || stats.InHand != 1 || stats.Lag == 0 {
		t.Errorf("not reported: %+v", stats)
	}
	if most := int64(window + (queue+beside+100)*2*(len(text)+500)); arrived > most {
		t.Errorf("%d bytes arrived, more than %d", arrived, most)
	}
	if dials.Load() != 1 {
		t.Errorf("%d connections, want one for both", dials.Load())
	}
	free()
	want := server.Revision()
	deadline := time.Now().Add(2 * time.Minute)
	for s.Stats().QueueLength+s.Stats().InHand > 0 || !hasAll(server, stalled) {
		if time.Now().After(deadline) {
			t.Fatalf("it does not catch up with %d: %+v", want, stalled.Status())
		}
		time.Sleep(10 * time.Millisecond) // real time: there are sockets
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for key, item := range stalled.Store().All() {
		if last[key] != item.ResourceVersion {
			t.Errorf("%v: told of %s last, the store holds %s", key, last[key], item.ResourceVersion)
		}
	}
}

func hasAll(server *watchtest.Server, i *rawwatch.Informer[pod]) bool {
	for key, item := range i.Store().All() {
		if o, err := server.Get(pods, key.Namespace, key.Name); err != nil || o.ResourceVersion != item.ResourceVersion {
			return false
		}
	}
	return true
}

// socketInformer runs an informer until the test ends, and returns it in sync.
func socketInformer[T any](t *testing.T, client *rawwatch.Client, q rawwatch.Query) *rawwatch.Informer[T] {
	t.Helper()
	i, err := rawwatch.NewInformer(client, q, rawwatch.InformerOptions[T]{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- i.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	})
	if err := i.WaitForSync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return i
}
