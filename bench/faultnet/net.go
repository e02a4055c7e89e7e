// Package faultnet stands between a client and a real server: connections
// that it dialled can be cut, and new ones refused, whenever a test likes.
// What cannot be had from a server on the same machine, a network that
// breaks, is had from here.
package faultnet

import (
	"context"
	"errors"
	"net"
	"sync"
)

// ErrDown is what a dial finds while the network is down.
var ErrDown = errors.New("faultnet: the network is down")

// Network dials TCP connections and keeps hold of them. The zero value is up.
// It is safe for concurrent use.
type Network struct {
	mu     sync.Mutex // guards all below
	down   bool
	dialed int
	open   map[*conn]struct{}
}

// DialContext dials as net.Dialer does, and fails with [ErrDown] while the
// network is down. It fits rawwatch.ClientOptions.DialContext.
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if n.isDown() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: ErrDown}
	}
	inner, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, network: n}
	if !n.add(c) {
		return nil, errors.Join(&net.OpError{Op: "dial", Net: network, Err: ErrDown}, inner.Close())
	}
	return c, nil
}

func (n *Network) isDown() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}

func (n *Network) add(c *conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		return false
	}
	if n.open == nil {
		n.open = map[*conn]struct{}{}
	}
	n.open[c] = struct{}{}
	n.dialed++
	return true
}

// Cut closes all connections, as a reset would; new ones may be dialled.
func (n *Network) Cut() {
	n.mu.Lock()
	conns := make([]*conn, 0, len(n.open))
	for c := range n.open {
		conns = append(conns, c)
	}
	n.mu.Unlock()
	for _, c := range conns {
		_ = c.Close() // the peer sees the end either way
	}
}

// Down cuts all connections and refuses new ones until Up.
func (n *Network) Down() {
	n.mu.Lock()
	n.down = true
	n.mu.Unlock()
	n.Cut()
}

// Up lets connections be dialled again.
func (n *Network) Up() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = false
}

// Open is the number of connections that are open now.
func (n *Network) Open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.open)
}

// Dialed is the number of connections that were ever open.
func (n *Network) Dialed() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dialed
}

type conn struct {
	net.Conn
	network *Network
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.network.mu.Lock()
	delete(c.network.open, c)
	c.network.mu.Unlock()
	return c.Conn.Close()
}
