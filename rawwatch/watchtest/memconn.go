package watchtest

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// memoryBuffer is how many bytes one direction of an in-memory connection
// holds before writers wait, as a socket's buffer does.
const memoryBuffer = 64 << 10

// memoryAddr is the address of both ends of an in-memory connection.
type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory" }

// lane is one direction of an in-memory connection. Whoever waits in it waits
// on a condition, which is durable blocking for testing/synctest.
type lane struct {
	mu     sync.Mutex
	moved  *sync.Cond
	buffer []byte
	ended  bool  // the writer has closed: EOF after the buffer
	broken error // reset: at once, whatever is buffered

	readLimit, writeLimit deadline
}

// deadline is a point in time that wakes those who wait for the lane.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func newLane() *lane {
	l := new(lane)
	l.moved = sync.NewCond(&l.mu)
	return l
}

func (l *lane) setDeadline(d *deadline, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	d.at = at
	if wait := time.Until(at); !at.IsZero() && wait > 0 {
		d.timer = time.AfterFunc(wait, l.wake)
	}
	l.moved.Broadcast()
}

func (l *lane) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.moved.Broadcast()
}

func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func (l *lane) read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		switch {
		case l.broken != nil:
			return 0, l.broken
		case l.readLimit.passed():
			return 0, os.ErrDeadlineExceeded
		case len(l.buffer) > 0 || len(p) == 0:
			n := copy(p, l.buffer)
			l.buffer = l.buffer[:copy(l.buffer, l.buffer[n:])]
			l.moved.Broadcast()
			return n, nil
		case l.ended:
			return 0, io.EOF
		}
		l.moved.Wait()
	}
}

func (l *lane) write(p []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		switch {
		case l.broken != nil:
			return n, l.broken
		case l.ended:
			return n, io.ErrClosedPipe
		case l.writeLimit.passed():
			return n, os.ErrDeadlineExceeded
		}
		if room := memoryBuffer - len(l.buffer); room > 0 {
			k := min(room, len(p))
			l.buffer = append(l.buffer, p[:k]...)
			p, n = p[k:], n+k
			l.moved.Broadcast()
		}
		if len(p) == 0 {
			return n, nil
		}
		l.moved.Wait()
	}
}

// end closes the lane behind what is buffered; broken, when not nil, takes
// effect at once.
func (l *lane) end(broken error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if broken != nil && l.broken == nil {
		l.broken = broken
		l.buffer = nil
	}
	l.moved.Broadcast()
}

// memoryConn is one end of an in-memory connection.
type memoryConn struct {
	in, out *lane
	fate    AcceptFault // of the server's end: what the dial has met
	once    sync.Once
}

// memoryPipe returns both ends of a new connection.
func memoryPipe() (client, server *memoryConn) {
	a, b := newLane(), newLane()
	return &memoryConn{in: a, out: b}, &memoryConn{in: b, out: a}
}

func (c *memoryConn) Read(p []byte) (int, error)  { return c.in.read(p) }
func (c *memoryConn) Write(p []byte) (int, error) { return c.out.write(p) }

// Close ends both directions: the peer reads what is under way, then EOF; its
// writes fail.
func (c *memoryConn) Close() error {
	c.shut(nil, net.ErrClosed)
	return nil
}

// reset closes as a TCP RST does: the peer loses what it has not read yet.
func (c *memoryConn) reset() { c.shut(syscall.ECONNRESET, syscall.ECONNRESET) }

func (c *memoryConn) shut(out, in error) {
	c.once.Do(func() {
		c.out.end(out)
		c.in.end(in)
		c.SetDeadline(time.Time{}) // stops the timers
	})
}

func (c *memoryConn) LocalAddr() net.Addr  { return memoryAddr{} }
func (c *memoryConn) RemoteAddr() net.Addr { return memoryAddr{} }

func (c *memoryConn) SetDeadline(t time.Time) error {
	c.SetReadDeadline(t)
	c.SetWriteDeadline(t)
	return nil
}

func (c *memoryConn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readLimit, t)
	return nil
}

func (c *memoryConn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writeLimit, t)
	return nil
}
