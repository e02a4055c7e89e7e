package rawwatch

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
)

// HTTP/2 flow control. A stream that nobody reads holds at most streamWindow
// bytes; the connection's window is large enough for every stream that a
// server allows by default (100 to 250) to be full at once, so that a paused
// stream never starves the others (RFC 9113, section 5.2.2).
const (
	streamWindow     = 512 << 10
	connectionWindow = 256 * streamWindow
)

// idleConnections is how long a connection without a request is kept.
const idleConnections = 90 * time.Second

// connectionPool is the transport below everything: one net/http Transport
// with golang.org/x/net's HTTP/2. It is replaced as a whole when a TLS
// credential changed: new requests then use new connections, open watches keep
// theirs until they end.
type connectionPool struct {
	build func() (*http.Transport, error)

	mu      sync.Mutex // guards the fields below
	current *http.Transport
	retired []*http.Transport
}

func newConnectionPool(session *access.Session, o ClientOptions, shared *traffic) (*connectionPool, error) {
	p := &connectionPool{build: func() (*http.Transport, error) { return newTransport(session, o, shared) }}
	first, err := p.build()
	if err != nil {
		return nil, err
	}
	p.current = first
	return p, nil
}

// RoundTrip sends the request on the transport of the day.
func (p *connectionPool) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	t := p.current
	p.mu.Unlock()
	return t.RoundTrip(r)
}

// rotate makes new requests use new connections.
func (p *connectionPool) rotate() {
	next, err := p.build()
	if err != nil {
		return // the old connections still work, and the session has logged why the new credential does not
	}
	p.mu.Lock()
	old := p.current
	p.current = next
	p.retired = append(p.retired, old)
	if len(p.retired) > 2 {
		// Only those with open requests matter, and these end by themselves.
		p.retired = p.retired[1:]
	}
	p.mu.Unlock()
	old.CloseIdleConnections()
}

func (p *connectionPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.CloseIdleConnections()
	for _, t := range p.retired {
		t.CloseIdleConnections()
	}
}

func newTransport(session *access.Session, o ClientOptions, shared *traffic) (*http.Transport, error) {
	t := &http.Transport{
		Proxy:               session.Proxy,
		DialContext:         moderated(dialer(session, o), o.BusyDelay, shared),
		TLSClientConfig:     session.TLSConfig(),
		TLSHandshakeTimeout: o.ConnectTimeout,
		IdleConnTimeout:     idleConnections,
		MaxIdleConnsPerHost: 4,
		DisableCompression:  true, // the exchange asks for it, and inflates
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream:     streamWindow,
			MaxReceiveBufferPerConnection: connectionWindow,
			SendPingTimeout:               o.PingInterval,
			PingTimeout:                   o.PingTimeout,
			// Ending a stream is a write: behind one that is stuck, not even a
			// cancelled context would end it.
			WriteByteTimeout: o.PingTimeout,
		},
	}
	if o.HTTP1 || session.BaseURL().Scheme != "https" {
		return t, nil
	}
	//lint:ignore SA1019 net/http's own HTTP/2 is what Transport.Protocols would choose; this one is golang.org/x/net's
	_, err := http2.ConfigureTransports(t)
	return t, err
}

func dialer(session *access.Session, o ClientOptions) func(context.Context, string, string) (net.Conn, error) {
	if o.DialContext != nil {
		return o.DialContext
	}
	if dial := session.DialContext(); dial != nil {
		return dial
	}
	return (&net.Dialer{
		Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second,
		Control: userTimeout(o.PingInterval + o.PingTimeout),
	}).DialContext
}

// moderated makes connections that are read in batches when they are busy.
func moderated(dial func(context.Context, string, string) (net.Conn, error), delay time.Duration, shared *traffic) func(context.Context, string, string) (net.Conn, error) {
	if delay < 0 {
		return dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return newModeratedConn(c, delay, shared), nil
	}
}
