package conformance

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// spy sees each request and answer of a client.
type spy struct {
	next   http.RoundTripper
	change func(*http.Request) // may be nil; gets a copy

	mu     sync.Mutex // guards below
	protos map[string]int
	listed int
	asked  int // for initial events
}

func (s *spy) wrap(next http.RoundTripper) http.RoundTripper {
	s.next, s.protos = next, map[string]int{}
	return s
}

func (s *spy) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.change != nil {
		r = r.Clone(r.Context())
		s.change(r)
	}
	resp, err := s.next.RoundTrip(r)
	if err == nil {
		s.mu.Lock()
		s.protos[resp.Proto]++
		if q := r.URL.Query(); !q.Has("watch") {
			s.listed++
		} else if q.Has("sendInitialEvents") {
			s.asked++
		}
		s.mu.Unlock()
	}
	return resp, err
}

func (s *spy) seen(proto string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.protos[proto]
}

// lists counts the requests that were no watch.
func (s *spy) lists() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed
}

// initials counts the requests for initial events as a stream.
func (s *spy) initials() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// One request in fifty is answered with GOAWAY: the connection takes no
// further request. Lists and a watch that comes back often do not mind.
func TestGoaway(t *testing.T) {
	c := realapi.Start(t, realapi.Options{Flags: []string{"--goaway-chance=0.02"}})
	for i := range 20 {
		mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("g-%d", i), nil))
	}
	var network faultnet.Network
	client := newClient(t, c.Config(), rawwatch.ClientOptions{DialContext: network.DialContext})
	f := follow(t, client, rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{
		Backoff: eager.Backoff, WatchTimeoutMin: time.Second, WatchTimeoutMax: time.Second,
	})
	f.untilSynced(t, 1)
	for round := range 60 {
		listed := 0
		for o, err := range client.List(t.Context(), f.query, rawwatch.ListOptions{PageLimit: 5}) {
			if err != nil {
				t.Fatalf("list %d: %v", round, err)
			}
			if o.Name != "" {
				listed++
			}
		}
		if listed < 20 {
			t.Fatalf("list %d: %d objects", round, listed)
		}
		mustWrite(t, c.Direct(), "PATCH", inDefault+"/g-1", object{"data": object{"round": fmt.Sprint(round)}})
	}
	f.untilEqual(t, listed(c, f.query))
	if n := network.Dialed(); n < 2 {
		t.Errorf("%d connections for 300 requests: no GOAWAY was sent, the test proves nothing", n)
	}
	if f.Syncs() != 1 {
		t.Errorf("%d complete lists, want 1: a GOAWAY is no reason to list", f.Syncs())
	}
}

// A server that ends watches after two to four seconds, long before the
// client's own timeout: the watch goes on from where it was, without a list.
func TestServerChosenTimeouts(t *testing.T) {
	t.Parallel()
	c := realapi.Start(t, realapi.Options{Flags: []string{"--min-request-timeout=2"}})
	mustWrite(t, c.Direct(), "POST", inDefault, named("ticks", nil))
	// The server chooses only when the client does not say.
	silent := &spy{change: func(r *http.Request) {
		q := r.URL.Query()
		q.Del("timeoutSeconds")
		u := *r.URL
		u.RawQuery = q.Encode()
		r.URL = &u
	}}
	client := newClient(t, c.Config(), rawwatch.ClientOptions{WrapTransport: silent.wrap})
	f := follow(t, client, rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{ListFirst: true})
	f.untilSynced(t, 1)
	for n := 0; f.reflector.Status().Streams < 3; n++ {
		mustWrite(t, c.Direct(), "PATCH", inDefault+"/ticks", object{"data": object{"n": fmt.Sprint(n)}})
		count := n + 1
		f.until(t, "the change", func() bool { return f.Counts()["MODIFIED/stream"] >= count })
	}
	f.untilEqual(t, listed(c, f.query))
	status := f.reflector.Status()
	if status.Lists != 1 || len(f.lastFailures(1)) != 0 {
		t.Errorf("%d lists and failures %q, want 1 list and none", status.Lists, f.lastFailures(3))
	}
}

// The client's own timeout ends the watch on the server: it goes on at once.
func TestOwnTimeouts(t *testing.T) {
	c, namespace := shared(t)
	f := follow(t, newClient(t, c.Config(), rawwatch.ClientOptions{}), rawwatch.ConfigMaps.InNamespace(namespace), rawwatch.ListWatchOptions{
		WatchTimeoutMin: time.Second, WatchTimeoutMax: time.Second,
	})
	f.untilSynced(t, 1)
	for n := 0; f.reflector.Status().Streams < 5; n++ {
		mustWrite(t, c.Direct(), "POST", configMaps(namespace), named(fmt.Sprintf("t-%d", n), nil))
		count := n + 1
		f.until(t, "the object", func() bool { return f.Counts()["ADDED/stream"] >= count })
	}
	f.untilEqual(t, listed(c, f.query))
	if status := f.reflector.Status(); status.Lists != 1 || len(f.lastFailures(1)) != 0 {
		t.Errorf("%d lists and failures %q, want 1 list and none", status.Lists, f.lastFailures(3))
	}
}

// Many watches share connections, and a new one is opened where the server's
// limit of streams is reached: no dial storm, and no watch waits for ever.
func TestManyWatchesShareConnections(t *testing.T) {
	c := realapi.Start(t, realapi.Options{Flags: []string{"--http2-max-streams-per-connection=100"}})
	var network faultnet.Network
	client := newClient(t, c.Config(), rawwatch.ClientOptions{DialContext: network.DialContext})
	const watches = 250
	all := make([]*follower, watches)
	history := newHistory(t)
	for i := range all {
		all[i] = followWith(t, client, rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{ListFirst: true}, history, new(Beat))
	}
	for _, f := range all {
		f.untilSynced(t, 1)
		f.until(t, "an open watch", func() bool { return f.reflector.Status().Connected })
	}
	mustWrite(t, c.Direct(), "POST", inDefault, named("seen-by-all", nil))
	for _, f := range all {
		f.until(t, "the object", func() bool { return f.State()["default/seen-by-all"] != "" })
	}
	if n := network.Open(); n < 3 || n > 6 {
		t.Errorf("%d connections for %d watches at 100 streams each, want 3 or a few more", n, watches)
	}
}

// HTTP/1.1, forced: each watch has a connection of its own, all else is the
// same. By default HTTP/2 is what is spoken.
func TestProtocolVersions(t *testing.T) {
	c, namespace := shared(t)
	for _, p := range []struct {
		proto string
		http1 bool
	}{{"HTTP/1.1", true}, {"HTTP/2.0", false}} {
		t.Run(p.proto, func(t *testing.T) {
			s := &spy{}
			client := newClient(t, c.Config(), rawwatch.ClientOptions{HTTP1: p.http1, WrapTransport: s.wrap})
			f := follow(t, client, rawwatch.ConfigMaps.InNamespace(namespace), rawwatch.ListWatchOptions{ListFirst: true, PageLimit: 1})
			f.untilSynced(t, 1)
			name := fmt.Sprintf("p-%t", p.http1)
			mustWrite(t, c.Direct(), "POST", configMaps(namespace), named(name, nil))
			f.until(t, "the object", func() bool { return f.State()[namespace+"/"+name] != "" })
			f.untilEqual(t, listed(c, f.query))
			if s.seen(p.proto) < 2 || len(s.protos) != 1 {
				t.Errorf("spoke %v, want %s alone", s.protos, p.proto)
			}
		})
	}
}
