package rawwatch

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// pair is a muted socket and the other end of its connection.
func pair(t *testing.T) (*socket, *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	s := newSocket(c)
	if s.mute(); !s.mut {
		t.Fatal("a TCP socket cannot be muted")
	}
	return &s, other.(*net.TCPConn)
}

func lowWater(t *testing.T, s *socket) (n int) {
	t.Helper()
	if err := s.raw.Control(func(fd uintptr) {
		n, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMutedSocketGivesWhatThereIs: few bytes are read at once, and leave it
// muted.
func TestMutedSocketGivesWhatThereIs(t *testing.T) {
	s, other := pair(t)
	if n := lowWater(t, s); n < 1000 {
		t.Errorf("muted, %d bytes wake the reader", n)
	}
	if _, err := other.Write([]byte("few")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond) // they are there, or the next test is this one
	buffer := make([]byte, 100)
	if n, err := s.readMuted(buffer); err != nil || string(buffer[:n]) != "few" {
		t.Errorf("%q, %v", buffer[:n], err)
	}
}

// TestMutedSocketWaits: with nothing there, it waits for the first byte, not
// for a batch, over and over.
func TestMutedSocketWaits(t *testing.T) {
	s, other := pair(t)
	buffer := make([]byte, 100)
	for range 200 {
		go func() { _, _ = other.Write([]byte("x")) }()
		if n, err := s.readMuted(buffer); err != nil || string(buffer[:n]) != "x" {
			t.Fatalf("%q, %v", buffer[:n], err)
		}
		s.mute()
	}
	if s.unmute(); lowWater(t, s) != 1 || s.mut {
		t.Error("still muted")
	}
	go func() { _, _ = other.Write([]byte("y")) }()
	if n, err := s.readMuted(buffer); err != nil || string(buffer[:n]) != "y" {
		t.Errorf("%q, %v", buffer[:n], err)
	}
}

// TestMutedSocketEnds: the connection's end, a reset, a deadline and a Close
// are told as by any connection.
func TestMutedSocketEnds(t *testing.T) {
	for name, test := range map[string]struct {
		during func(s *socket, other *net.TCPConn)
		want   error
	}{
		"end":      {func(_ *socket, other *net.TCPConn) { _ = other.Close() }, io.EOF},
		"reset":    {func(_ *socket, other *net.TCPConn) { _ = other.SetLinger(0); _ = other.Close() }, syscall.ECONNRESET},
		"deadline": {func(s *socket, _ *net.TCPConn) { _ = s.SetReadDeadline(time.Now()) }, os.ErrDeadlineExceeded},
		"Close":    {func(s *socket, _ *net.TCPConn) { _ = s.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			s, other := pair(t)
			go func() {
				time.Sleep(5 * time.Millisecond)
				test.during(s, other)
			}()
			if n, err := s.readMuted(make([]byte, 100)); n != 0 || !errors.Is(err, test.want) {
				t.Errorf("%d, %v, want %v", n, err, test.want)
			}
		})
	}
}
