package main

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/ericchiang/k8s"

	"github.com/rawwatch/rawwatch/bench/usage"
)

// count makes the client's connections count what they receive, and has it ask
// for no compression if plain.
func count(client *k8s.Client, t *usage.Teller, plain bool) error {
	transport, ok := client.Client.Transport.(*http.Transport)
	if !ok {
		return fmt.Errorf("the client's transport is a %T", client.Client.Transport)
	}
	transport.DisableCompression = plain
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{c, t}, nil
	}
	return nil
}

type countedConn struct {
	net.Conn
	teller *usage.Teller
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.teller.Received.Add(int64(n))
	return n, err
}
