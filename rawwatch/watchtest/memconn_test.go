package watchtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memoryPipe()
		large := bytes.Repeat([]byte("0123456789"), memoryBuffer/4) // more than fits
		go func() {
			a.Write(large)
			a.Close()
		}()
		got, err := io.ReadAll(b)
		if err != nil || !bytes.Equal(got, large) {
			t.Errorf("%d bytes of %d, %v", len(got), len(large), err)
		}
		if _, err := b.Write([]byte("x")); err == nil {
			t.Error("writing to a closed peer")
		}
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("reading from a closed end: %v", err)
		}
		b.Close()
	})
}

func TestMemoryConnectionDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memoryPipe()
		defer b.Close()
		defer a.Close()
		begun := time.Now()
		a.SetDeadline(begun.Add(time.Minute))
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != time.Minute {
			t.Errorf("read: %v after %v", err, time.Since(begun))
		}
		if _, err := a.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write: %v", err)
		}
		a.SetDeadline(time.Time{})
		if n, err := a.Write([]byte("x")); n != 1 || err != nil {
			t.Errorf("lifted: %d %v", n, err)
		}
		a.SetWriteDeadline(time.Now().Add(time.Second))
		if n, err := a.Write(make([]byte, memoryBuffer)); n != memoryBuffer-1 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("full: %d %v", n, err)
		}
		go func() {
			<-time.After(time.Hour)
			a.SetReadDeadline(time.Unix(1, 0)) // how net/http wakes its reader
		}()
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("woken: %v", err)
		}
	})
}

func TestMemoryConnectionReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := memoryPipe()
		a.Write([]byte("lost"))
		a.reset()
		if n, err := b.Read(make([]byte, 9)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%d %v", n, err)
		}
		b.Close()
	})
}

func TestMemoryDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newMemoryListener(new(faults))
		var conns []net.Conn
		for range memoryBacklog {
			c, err := l.dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, c)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if _, err := l.dial(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("beyond the backlog: %v", err)
		}
		l.Close()
		if _, err := l.dial(t.Context()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("closed: %v", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: %v", err)
		}
		for _, c := range conns {
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				t.Fatalf("never accepted: %v", err)
			}
		}
	})
}
