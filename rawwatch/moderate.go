package rawwatch

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultBusyDelay is what a zero ClientOptions.BusyDelay stands for.
const DefaultBusyDelay = 5 * time.Millisecond

const (
	// busyGap between two reads is short: watch frames come faster than 400 in
	// a second.
	busyGap = 2500 * time.Microsecond
	// busyReads in a row with short gaps make a connection busy.
	busyReads = 16
)

// moderatedConn reads a busy connection in batches. Waking up for each frame of
// a watch costs several times what the frame costs itself: the scheduler, a
// read of the socket, a TLS record, a window update. Network cards moderate
// their interrupts for the same reason.
//
// A connection is busy once frames come faster than one in busyGap, and for as
// long as there is something to read after each delay. One that is not pays
// nothing but two readings of the clock, and frames wait for nothing. Nor do
// they while anything but live watches is under way, such as a list.
type moderatedConn struct {
	net.Conn
	delay  time.Duration
	others *atomic.Int64 // exchanges that are no live watches
	timer  *time.Timer

	once   sync.Once
	closed chan struct{}

	// Of the one goroutine that reads.
	last  time.Time // when the last read returned
	short int       // short gaps in a row
	full  bool      // the last read filled its buffer: there is more
}

func (c *moderatedConn) Read(p []byte) (int, error) {
	waited := c.short >= busyReads && !c.full && c.others.Load() == 0
	began := c.last
	if waited {
		c.wait()
		began = time.Now()
	}
	n, err := c.Conn.Read(p)
	c.last = time.Now()
	c.full = n == len(p)
	switch gap := c.last.Sub(began); {
	case waited && gap <= busyGap/10:
		// Data that was there already shows that the delay is still worth it.
	case waited, gap > busyGap, gap == 0:
		// No time at all passes only on the virtual time of testing/synctest,
		// where a delay would make the test wait for its clock.
		c.short = 0
	case c.short < busyReads:
		c.short++
	}
	return n, err
}

func (c *moderatedConn) wait() {
	if c.timer == nil {
		c.timer = time.NewTimer(c.delay)
	} else {
		c.timer.Reset(c.delay)
	}
	select {
	case <-c.timer.C:
	case <-c.closed:
	}
}

// Close implements net.Conn.
func (c *moderatedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
