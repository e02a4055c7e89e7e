package faultnet

import (
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// conn is one connection of a [Network].
type conn struct {
	net.Conn
	network *Network
	closed  chan struct{}
	closing sync.Once

	stalled   atomic.Bool
	duplicate atomic.Bool
	deadline  atomic.Pointer[time.Time] // for reads, of a stalled connection

	again []byte // to be read once more; only Read touches it
}

// Read implements net.Conn. One goroutine reads at a time, as TLS does.
func (c *conn) Read(p []byte) (int, error) {
	if len(c.again) > 0 && !c.stalled.Load() {
		n := copy(p, c.again)
		c.again = c.again[n:]
		return n, nil
	}
	n, err := c.Conn.Read(p)
	if c.stalled.Load() {
		// What came after the network had gone is lost, an end as well.
		return 0, c.silence()
	}
	if n > 0 && c.duplicate.CompareAndSwap(true, false) {
		c.again = append([]byte(nil), p[:n]...)
	}
	return n, err
}

// silence waits until the client itself ends the connection, or its patience.
func (c *conn) silence() error {
	var over <-chan time.Time
	if at := c.deadline.Load(); at != nil && !at.IsZero() {
		timer := time.NewTimer(time.Until(*at))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-c.closed:
		return net.ErrClosed
	case <-over:
		return os.ErrDeadlineExceeded
	}
}

// Write implements net.Conn. Into a stalled network it succeeds, as it does
// until the kernel's buffer is full.
func (c *conn) Write(p []byte) (int, error) {
	if c.stalled.Load() {
		select {
		case <-c.closed:
			return 0, net.ErrClosed
		default:
			return len(p), nil
		}
	}
	return c.Conn.Write(p)
}

// SetReadDeadline implements net.Conn. One that is set while a read of a
// stalled connection waits does not end that read; closing does.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.deadline.Store(&t)
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	c.deadline.Store(&t)
	return c.Conn.SetDeadline(t)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	c.network.mu.Lock()
	delete(c.network.open, c)
	c.network.mu.Unlock()
	return c.Conn.Close()
}
