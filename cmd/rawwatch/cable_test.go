package main

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// cable forwards connections to a server until it is unplugged.
type cable struct {
	listener net.Listener
	server   string
	work     sync.WaitGroup

	mu    sync.Mutex // guards the fields below
	down  bool
	conns map[net.Conn]struct{}
}

// startCable gives a server a second address, and the kubeconfig for that.
func startCable(t *testing.T, server *watchtest.Server) (*cable, string) {
	t.Helper()
	config := *server.Config()
	address, err := url.Parse(config.Server)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: listener, server: address.Host, conns: map[net.Conn]struct{}{}}
	c.work.Go(c.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		c.unplug()
		c.work.Wait()
	})
	config.Server = "https://" + listener.Addr().String()
	config.BearerToken = plantedToken
	return c, writeConfig(t, &config)
}

func (c *cable) accept() {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return
		}
		c.work.Go(func() { c.forward(conn) })
	}
}

func (c *cable) forward(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.server)
	if err != nil {
		return
	}
	defer server.Close()
	if !c.join(client, server) {
		return
	}
	c.work.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	_, _ = io.Copy(client, server)
}

// join remembers the connections of both sides; it refuses when unplugged.
func (c *cable) join(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return false
	}
	for _, conn := range conns {
		c.conns[conn] = struct{}{}
	}
	return true
}

func (c *cable) unplug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = true
	for conn := range c.conns {
		_ = conn.Close()
	}
	clear(c.conns)
}

func (c *cable) plug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = false
}
