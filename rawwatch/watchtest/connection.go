package watchtest

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// doorway is the listener of a server: it numbers the connections, keeps
// hold of them, and plays the faults that happen before a request.
type doorway struct {
	net.Listener
	faults *faults

	mu     sync.Mutex
	open   map[*connection]struct{}
	count  int
	closed bool
	gone   sync.WaitGroup // connections that the HTTP server still serves
}

// connection is an accepted connection.
type connection struct {
	net.Conn
	door   *doorway
	number int // from 1
	once   sync.Once
}

func newDoorway(l net.Listener, f *faults) *doorway {
	return &doorway{Listener: l, faults: f, open: make(map[*connection]struct{})}
}

// Accept implements net.Listener.
func (d *doorway) Accept() (net.Conn, error) {
	for {
		raw, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c, ok := d.admit(raw)
		if !ok {
			raw.Close()
			return nil, net.ErrClosed
		}
		switch d.fate(raw) {
		case AcceptReset:
			c.reset()
		case AcceptSilence:
			// Kept, never served: the client's handshake gets no answer.
		default:
			return c, nil
		}
	}
}

// fate is the fault that a new connection meets. In-memory ones have met it
// when they were dialled.
func (d *doorway) fate(raw net.Conn) AcceptFault {
	if m, ok := raw.(*memoryConn); ok {
		return m.fate
	}
	return d.faults.atAccept()
}

func (d *doorway) admit(raw net.Conn) (*connection, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, false
	}
	d.count++
	c := &connection{Conn: raw, door: d, number: d.count}
	d.open[c] = struct{}{}
	return c, true
}

// connections returns those that are open.
func (d *doorway) connections() []*connection {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*connection, 0, len(d.open))
	for c := range d.open {
		all = append(all, c)
	}
	return all
}

// resetAll breaks all connections.
func (d *doorway) resetAll() {
	for _, c := range d.connections() {
		c.reset()
	}
}

// shut breaks all connections and admits no more.
func (d *doorway) shut() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.resetAll()
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() {
		c.door.mu.Lock()
		delete(c.door.open, c)
		c.door.mu.Unlock()
	})
	return c.Conn.Close()
}

// reset closes the connection the hard way: the peer reads "connection reset
// by peer".
func (c *connection) reset() {
	switch raw := c.Conn.(type) {
	case *memoryConn:
		raw.reset()
	case *net.TCPConn:
		raw.SetLinger(0)
	}
	c.Close()
}

type connectionKey struct{}

// remember puts the connection into the context of its requests.
func remember(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, bare(c))
}

// bare finds our connection below TLS.
func bare(c net.Conn) *connection {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*connection)
	return own
}

// track counts the connections that the HTTP server has goroutines for.
func (d *doorway) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		d.gone.Add(1)
	case http.StateClosed, http.StateHijacked:
		d.gone.Done()
	}
}
