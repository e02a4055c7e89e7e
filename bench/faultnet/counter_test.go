package faultnet_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
)

// echo answers each connection with what it says.
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
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().String()
}

func dialCounter(t *testing.T, c *faultnet.Counter) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", c.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// say sends a text and reads it back.
func say(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, len(text))
	if _, err := io.ReadFull(conn, back); err != nil || string(back) != text {
		t.Fatalf("%q, %v came back, want %q", back, err, text)
	}
}

func TestCounterCountsAndHolds(t *testing.T) {
	c, err := faultnet.NewCounter(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	first := dialCounter(t, c)
	say(t, first, "hello")
	if c.Received() != 5 || c.Sent() != 5 {
		t.Errorf("received %d, sent %d, want 5 of each", c.Received(), c.Sent())
	}
	c.Hold()
	if _, err := first.Read(make([]byte, 1)); err == nil {
		t.Error("a connection goes on after Hold")
	}
	second := dialCounter(t, c)
	if _, err := second.Write([]byte("held")); err != nil {
		t.Fatal(err)
	}
	if c.Sent() != 5 {
		t.Error("a held client was let through")
	}
	c.Release()
	back := make([]byte, 4)
	if _, err := io.ReadFull(second, back); err != nil || string(back) != "held" {
		t.Errorf("%q, %v came back after Release, want held", back, err)
	}
}

// Close ends what is open, what is held, and what is let through no more.
func TestCounterCloses(t *testing.T) {
	c, err := faultnet.NewCounter(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	open := dialCounter(t, c)
	say(t, open, "hello")
	c.Hold()
	held := dialCounter(t, c)
	c.Close() // waits for all of its goroutines
	for name, conn := range map[string]net.Conn{"open": open, "held": held} {
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("the %s connection goes on after Close", name)
		}
	}
}
