package faultnet

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// echo listens and sends back what comes.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			}()
		}
	}()
	return l.Addr().String()
}

func dial(t *testing.T, n *Network, address string) net.Conn {
	t.Helper()
	c, err := n.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func say(t *testing.T, c net.Conn, text, want string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v, want %q", got, err, want)
	}
}

// A stalled connection is silent both ways until it is closed; a new one is
// well.
func TestStall(t *testing.T) {
	var n Network
	address := echo(t)
	c := dial(t, &n, address)
	say(t, c, "one", "one")
	ended := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 1))
		ended <- err
	}()
	if got := n.Stall(); got != 1 {
		t.Errorf("stalled %d connections, want 1", got)
	}
	if _, err := io.WriteString(c, "lost"); err != nil {
		t.Errorf("a write into nothing: %v", err)
	}
	say(t, dial(t, &n, address), "new", "new")
	select {
	case err := <-ended:
		t.Fatalf("the read ended with %v before anybody closed", err)
	default:
	}
	_ = c.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the read ended with %v, want that it was closed", err)
	}
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("a write after Close succeeds")
	}
}

func TestStalledReadKeepsItsDeadline(t *testing.T) {
	var n Network
	c := dial(t, &n, echo(t))
	n.Stall()
	if err := c.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read: %v, want a deadline", err)
	}
}

func TestDuplicate(t *testing.T) {
	var n Network
	c := dial(t, &n, echo(t))
	n.Duplicate()
	say(t, c, "twice", "twicetwice")
	say(t, c, "once", "once")
}

func TestDownRefuses(t *testing.T) {
	var n Network
	address := echo(t)
	c := dial(t, &n, address)
	n.Down()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("a cut connection can be read")
	}
	if _, err := n.DialContext(t.Context(), "tcp", address); !errors.Is(err, ErrDown) {
		t.Errorf("dial: %v, want ErrDown", err)
	}
	n.Up()
	say(t, dial(t, &n, address), "again", "again")
	if open, dialed := n.Open(), n.Dialed(); open != 1 || dialed != 2 {
		t.Errorf("%d open and %d dialled, want 1 and 2", open, dialed)
	}
}

// Each toxic that the suites use does something, and Heal undoes it.
func TestProxy(t *testing.T) {
	p, err := NewProxy(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	n := Network{Via: func(string) string { return p.Address() }}
	for _, toxic := range []Toxic{
		{"latency", map[string]int{"latency": 30}},
		{"bandwidth", map[string]int{"rate": 1}},
		{"slicer", map[string]int{"average_size": 2, "size_variation": 1, "delay": 10}},
	} {
		if err := p.Ail(t.Context(), toxic); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		say(t, dial(t, &n, "ignored"), "through", "through")
		if took := time.Since(begun); toxic.Type == "latency" && took < 30*time.Millisecond {
			t.Errorf("a latency of 30 ms took %v", took)
		}
		if err := p.Heal(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Ail(t.Context(), Toxic{"limit_data", map[string]int{"bytes": 4}}); err != nil {
		t.Fatal(err)
	}
	c := dial(t, &n, "ignored")
	say(t, c, "12345678", "1234")
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("read on after the limit")
	}
	if err := p.Heal(); err != nil {
		t.Fatal(err)
	}
	address := p.Address()
	p.Down()
	if _, err := n.DialContext(t.Context(), "tcp", ""); err == nil {
		t.Error("dialled a proxy that is down")
	}
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	say(t, dial(t, &n, ""), "up", "up")
	if p.Address() != address {
		t.Errorf("moved from %s to %s", address, p.Address())
	}
}

func TestStutterSendsTwice(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, strings.Repeat("x", 10*thrownAway))
	}))
	t.Cleanup(server.Close)
	var s Stutter
	client := http.Client{Transport: s.Wrap(http.DefaultTransport)}
	for i, on := range []bool{false, true} {
		s.Set(on)
		requests.Store(0)
		resp, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || len(body) != 10*thrownAway {
			t.Errorf("body of %d bytes, %v", len(body), err)
		}
		if got := requests.Load(); got != int64(i+1) {
			t.Errorf("on %t: %d requests, want %d", on, got, i+1)
		}
	}
	if s.Repeated() != 1 {
		t.Errorf("repeated %d, want 1", s.Repeated())
	}
}
