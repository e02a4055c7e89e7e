package faultnet

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Proxy is a TCP proxy on the loopback interface that ails on demand:
// toxiproxy, in this process. It is safe for concurrent use. Close it.
type Proxy struct {
	server   *toxiproxy.ApiServer
	upstream string

	mu    sync.Mutex // guards proxy
	proxy *toxiproxy.Proxy
}

// Toxic is one ailment, in toxiproxy's own terms
// (https://github.com/Shopify/toxiproxy#toxics).
type Toxic struct {
	// Type such as "latency", "bandwidth", "slicer", "limit_data",
	// "reset_peer" or "timeout".
	Type string `json:"type"`
	// Attributes of the type.
	Attributes map[string]int `json:"attributes"`
}

// NewProxy starts a proxy to the upstream address, host and port.
func NewProxy(upstream string) (*Proxy, error) {
	zerolog.SetGlobalLevel(zerolog.Disabled) // some toxics have a logger of their own
	p := &Proxy{
		server:   toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop()),
		upstream: upstream,
	}
	return p, p.replace()
}

// replace starts a new toxiproxy on a port of its own.
func (p *Proxy) replace() error {
	next := toxiproxy.NewProxy(p.server, "faultnet", "127.0.0.1:0", p.upstream)
	if err := next.Start(); err != nil {
		return fmt.Errorf("faultnet: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.proxy = next
	return nil
}

func (p *Proxy) current() *toxiproxy.Proxy {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.proxy
}

// Address is where the proxy listens. It stays the same over Down and Up, and
// is another after Heal.
func (p *Proxy) Address() string {
	proxy := p.current()
	proxy.Lock()
	defer proxy.Unlock()
	return proxy.Listen
}

// Ail puts the toxic in place, on what the server sends, for connections that
// are open and those to come, until [Proxy.Heal]. The error is the context's
// when a connection that does not flow keeps toxiproxy from it; Heal helps
// then too.
func (p *Proxy) Ail(ctx context.Context, t Toxic) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.current().Toxics.AddToxicJson(strings.NewReader(string(text)))
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("faultnet: toxic %s: %w", text, err)
	}
	return nil
}

// Heal takes all toxics away, and ends all connections. toxiproxy cannot take
// a toxic from a connection that it is about to write to (it waits for itself
// then, for ever), so a new one takes its place.
func (p *Proxy) Heal() error {
	old := p.current()
	if err := p.replace(); err != nil {
		return err
	}
	stop(old)
	return nil
}

// stopPatience bounds the wait for a toxiproxy that waits for itself.
const stopPatience = 2 * time.Second

func stop(p *toxiproxy.Proxy) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Stop()
	}()
	timer := time.NewTimer(stopPatience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// Down ends all connections and listens no more: dials are refused.
func (p *Proxy) Down() { p.current().Stop() }

// Up listens again, on the same port.
func (p *Proxy) Up() error {
	if err := p.current().Start(); err != nil {
		return fmt.Errorf("faultnet: %w", err)
	}
	return nil
}

// Close ends the proxy and all its connections.
func (p *Proxy) Close() { stop(p.current()) }
