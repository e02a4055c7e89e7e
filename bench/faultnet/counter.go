package faultnet

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Counter is a TCP proxy on the loopback interface that counts bytes, whoever
// the client is, and that can hold its clients while the server is away. It is
// safe for concurrent use. Close it.
type Counter struct {
	upstream       string
	listener       net.Listener
	received, sent atomic.Int64
	ctx            context.Context
	stop           context.CancelFunc
	running        sync.WaitGroup

	mu    sync.Mutex // guards all below
	conns map[net.Conn]struct{}
	held  chan struct{} // closed when clients are let through; nil when they are
}

// NewCounter starts a proxy to the upstream address, host and port.
func NewCounter(upstream string) (*Counter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("faultnet: %w", err)
	}
	c := &Counter{upstream: upstream, listener: l, conns: map[net.Conn]struct{}{}}
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.running.Go(c.accept)
	return c, nil
}

// Address is where the proxy listens.
func (c *Counter) Address() string { return c.listener.Addr().String() }

// Received is what the server has sent so far, in bytes of TCP, TLS included.
func (c *Counter) Received() int64 { return c.received.Load() }

// Sent is what the clients have sent so far.
func (c *Counter) Sent() int64 { return c.sent.Load() }

// Hold ends all connections. New ones are accepted, and nothing is done with
// them until Release.
func (c *Counter) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = make(chan struct{})
	}
	for conn := range c.conns {
		_ = conn.Close() // both ends see it
	}
}

// Release lets clients through again.
func (c *Counter) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		close(c.held)
		c.held = nil
	}
}

// Close ends the proxy and all its connections.
func (c *Counter) Close() {
	c.stop()
	_ = c.listener.Close()
	c.Hold()
	c.running.Wait()
}

func (c *Counter) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return // closed
		}
		if !c.add(client) {
			return
		}
		c.running.Go(func() { c.serve(client) })
	}
}

// add keeps hold of a connection, unless the proxy has been closed.
func (c *Counter) add(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		_ = conn.Close()
		return false
	}
	c.conns[conn] = struct{}{}
	return true
}

func (c *Counter) remove(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, conn)
	_ = conn.Close()
}

func (c *Counter) serve(client net.Conn) {
	defer c.remove(client)
	if !c.wait() {
		return
	}
	d := net.Dialer{Timeout: 5 * time.Second}
	server, err := d.DialContext(c.ctx, "tcp", c.upstream)
	if err != nil || !c.add(server) {
		return
	}
	defer c.remove(server)
	var up sync.WaitGroup
	up.Go(func() {
		pass(server, client, &c.sent)
		_ = server.Close()
	})
	pass(client, server, &c.received)
	_ = client.Close()
	up.Wait()
}

// wait returns when clients may go through; false once the proxy is closed.
func (c *Counter) wait() bool {
	for {
		c.mu.Lock()
		held := c.held
		c.mu.Unlock()
		if c.ctx.Err() != nil {
			return false
		}
		if held == nil {
			return true
		}
		select {
		case <-held:
		case <-c.ctx.Done():
		}
	}
}

// pass copies until either end is closed.
func pass(to io.Writer, from io.Reader, count *atomic.Int64) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		count.Add(int64(n))
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
