// Package faultnet stands between a client and a real server. What cannot be
// had from a server on the same machine, a network that breaks, is had from
// here.
//
// A [Network] dials, and does to its connections what the client's own side
// can suffer: they end, lose every packet without a word, or repeat what came.
// A [Proxy] is toxiproxy, for what happens on the way: resets, bytes that
// trickle, crumbs, connections that end after so many bytes. A [Stutter] sends
// requests twice, as gateways that try again do.
package faultnet

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
)

// ErrDown is what a dial finds while the network is down.
var ErrDown = errors.New("faultnet: the network is down")

// Network dials TCP connections and keeps hold of them. The zero value is up.
// It is safe for concurrent use.
type Network struct {
	// Via, when not nil, gives the address to dial in place of the one asked
	// for. It is set before the first dial.
	Via func(address string) string

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
	if n.Via != nil {
		address = n.Via(address)
	}
	inner, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, network: n, closed: make(chan struct{})}
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
	for _, c := range n.conns() {
		_ = c.Close() // the peer sees the end either way
	}
}

func (n *Network) conns() []*conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Collect(maps.Keys(n.open))
}

// Stall makes every packet of the connections that are open now vanish, both
// ways and for ever, without a FIN: reads wait, writes seem to succeed. New
// connections are well. The number of connections is returned.
func (n *Network) Stall() int {
	conns := n.conns()
	for _, c := range conns {
		c.stalled.Store(true)
	}
	return len(conns)
}

// Duplicate makes each connection that is open now deliver the next bytes
// that come twice, as no TCP does but a broken middlebox. The number of
// connections is returned.
func (n *Network) Duplicate() int {
	conns := n.conns()
	for _, c := range conns {
		c.duplicate.Store(true)
	}
	return len(conns)
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
