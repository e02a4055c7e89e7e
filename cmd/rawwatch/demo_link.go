package main

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// link is the demo's network cable: it can be pulled, and it can be cut in the
// middle of a message.
type link struct {
	mu    sync.Mutex // guards the fields below
	down  bool
	conns map[*cuttable]struct{}
}

func newLink() *link { return &link{conns: map[*cuttable]struct{}{}} }

// dial opens a connection over the cable.
func (l *link) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	down := l.down
	l.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ENETUNREACH}
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &cuttable{Conn: conn, link: l, left: -1}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
	return c, nil
}

// unplug breaks all connections; until plug no new one can be opened.
func (l *link) unplug() {
	l.mu.Lock()
	l.down = true
	open := l.open()
	l.mu.Unlock()
	for _, c := range open {
		c.limit(0)
		_ = c.Conn.Close()
	}
}

func (l *link) plug() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}

// cutAfter lets n more bytes from the server through on each open connection,
// then breaks it.
func (l *link) cutAfter(n int) {
	l.mu.Lock()
	open := l.open()
	l.mu.Unlock()
	for _, c := range open {
		c.limit(n)
	}
}

// open lists the connections; l.mu is held.
func (l *link) open() []*cuttable {
	var all []*cuttable
	for c := range l.conns {
		all = append(all, c)
	}
	return all
}

// cuttable is a connection that can be broken after a number of bytes.
type cuttable struct {
	net.Conn
	link *link

	mu   sync.Mutex // guards left
	left int        // bytes until the cut; negative: no cut
}

func (c *cuttable) limit(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = n
}

// Read reads what the cable lets through.
func (c *cuttable) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left < 0 || n < c.left {
		c.left -= min(n, max(c.left, 0))
		return n, err
	}
	n, c.left = c.left, 0
	_ = c.Conn.Close()
	return n, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
}

// Close closes the connection.
func (c *cuttable) Close() error {
	c.link.mu.Lock()
	delete(c.link.conns, c)
	c.link.mu.Unlock()
	return c.Conn.Close()
}
