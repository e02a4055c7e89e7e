package rawwatch

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultBusyDelay is what a zero ClientOptions.BusyDelay stands for.
const DefaultBusyDelay = 100 * time.Millisecond

const (
	// busyGap between two arrivals, on average, makes a connection busy, that is
	// 250 in a second, if some of them come close together: then many write, and
	// nobody waits for the one before. Changes that are made one after another,
	// each when the last was seen, are told at once, unless they come faster than
	// one in crowdGap.
	busyGap   = 4 * time.Millisecond
	leftGap   = 2 * busyGap // ends it: arrivals vary
	crowdGap  = 2 * time.Millisecond
	closeGap  = 600 * time.Microsecond
	someClose = 3 // of busyArrivals
	// calmGap without anything, after a wait, ends it. Servers under load stand
	// still for less than that now and then.
	calmGap = 250 * time.Millisecond
	// busyArrivals is over how many arrivals the average is taken.
	busyArrivals = 64
	// busyBatches are read before arrivals are counted again, the first time: some
	// seconds. It is twice as many each time, up to mostBatches, half a minute. After
	// guessBatches each it is guessed.
	busyBatches  = 50
	mostBatches  = 300
	guessBatches = 10
	// After each stormStep the delay is longer by one of stormSteps.
	stormStep  = 200 * time.Millisecond
	stormSteps = 5
	// stormPause is how long a storm may pause and still be the same.
	stormPause = 5 * time.Second
	// sameArrival is how soon after a read the next one belongs to the same
	// arrival: a frame often comes in several TLS records.
	sameArrival = 200 * time.Microsecond
)

// traffic is what all connections of a client know together.
type traffic struct {
	others atomic.Int64 // exchanges that are no live watches
	urgent beat         // others has grown: no more waiting
}

// begins counts an exchange that waits for its answer, and lets nobody delay
// that.
func (t *traffic) begins() {
	t.others.Add(1)
	t.urgent.strike()
}

// moderatedConn reads a busy connection in batches. Waking up for each frame of
// a watch costs several times what the frame costs itself: the scheduler, a
// read of the socket, a window update. Network cards moderate their interrupts
// for the same reason.
//
// A connection is busy once frames come faster than one in busyGap, and not one
// after another, until they cease, or busyBatches were read: then it is asked anew. One that is not pays
// nothing but a reading of the clock, and frames wait for nothing. Nor do they
// while anything but live watches is under way, such as a list.
type moderatedConn struct {
	socket
	delay   time.Duration
	traffic *traffic
	writes  heldWrites
	once    sync.Once
	closed  chan struct{}

	// Of the one goroutine that reads.
	pace  pace
	batch batch
	nap   nap
}

func newModeratedConn(c net.Conn, delay time.Duration, t *traffic) *moderatedConn {
	return &moderatedConn{socket: newSocket(c), delay: delay, traffic: t, closed: make(chan struct{})}
}

// Read implements net.Conn.
func (c *moderatedConn) Read(p []byte) (int, error) {
	if n := c.batch.take(p); n > 0 {
		return n, nil
	}
	if c.traffic.others.Load() > 0 {
		c.pace.calm() // a list comes fast, and says nothing of the watches
	}
	waited := c.pace.busy && !c.batch.full && c.traffic.others.Load() == 0
	if waited {
		c.mute()
		c.nap.wait(untilTick(c.pace.delay(c.delay)), c.closed, c.traffic.urgent.wait())
		c.pace.waited()
	}
	if err := c.writes.release(c.Conn); err != nil {
		return 0, err
	}
	if !c.pace.busy {
		c.batch.full = false
		c.unmute()
		n, err := c.Conn.Read(p)
		c.pace.arrived(n, false)
		return n, err
	}
	n, err := c.batch.read(c.readMuted, p)
	c.pace.arrived(n+len(c.batch.rest), waited)
	if c.pace.busy && c.traffic.others.Load() == 0 {
		c.writes.hold()
	}
	return n, err
}

// Write implements net.Conn. What is written while a batch is being worked off
// goes out in one piece before the next read: each frame that is consumed
// makes HTTP/2 send a window update.
func (c *moderatedConn) Write(p []byte) (int, error) {
	if c.traffic.others.Load() == 0 && c.writes.keep(p) {
		return len(p), nil
	}
	if err := c.writes.release(c.Conn); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Close implements net.Conn.
func (c *moderatedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
