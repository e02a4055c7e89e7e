package access

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

// Session is the live side of a [Config]: where to connect, and credentials
// that renew themselves. It is safe for concurrent use. Close it.
type Session struct {
	options          SessionOptions
	log              Logger
	environmentProxy func(*url.URL) (*url.URL, error)
	link             atomic.Pointer[link]
	follower         interface{ look() bool } // nil unless Config.Follow; not linked where no files are read

	mu      sync.Mutex // guards the fields below
	hooks   map[int]func()
	nextKey int
	closed  bool

	ctx   context.Context // ends with the session
	end   context.CancelFunc
	tasks sync.WaitGroup // whatever spawn started
}

// Open checks the configuration, reads its certificate and token files, and
// gives its live side. Nothing is sent and no plugin runs yet. The config is
// copied. Errors are as those of [Files.Load].
func (c *Config) Open(o SessionOptions) (*Session, error) {
	if err := o.fillDefaults(); err != nil {
		return nil, err
	}
	s := &Session{options: o, log: o.Logger, hooks: map[int]func(){}}
	s.environmentProxy = proxyOf(o.Getenv)
	s.ctx, s.end = context.WithCancel(context.Background())
	l, err := s.newLink(c)
	if err != nil {
		s.end()
		return nil, err
	}
	s.link.Store(l)
	if c.Follow {
		if err := c.follow(s); err != nil {
			s.end()
			return nil, err
		}
	}
	return s, nil
}

// BaseURL is what all request paths are appended to, without a slash at its
// end. For a Unix socket it is http://localhost, reached with DialContext. The
// caller owns it. It changes when a followed file does.
func (s *Session) BaseURL() *url.URL {
	base := *s.link.Load().address.base
	return &base
}

// Proxy is the Proxy function of a net/http Transport.
func (s *Session) Proxy(r *http.Request) (*url.URL, error) {
	l := s.link.Load()
	switch {
	case l.address.socket != "":
		return nil, nil
	case l.proxy != nil:
		return l.proxy, nil
	}
	return s.environmentProxy(r.URL)
}

// DialContext dials the Unix socket; it is nil for all other servers.
func (s *Session) DialContext() func(context.Context, string, string) (net.Conn, error) {
	socket := s.link.Load().address.socket
	if socket == "" {
		return nil
	}
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
}

// TLSConfig is a new TLS configuration that the caller owns; nil without TLS.
// Its client certificate is read again, or renewed, for each new connection;
// its authorities are those of the moment, so ask for a new one in OnRotate.
func (s *Session) TLSConfig() *tls.Config {
	if t := s.link.Load().tls; t != nil {
		return t.tlsConfig()
	}
	return nil
}

// Authorities are the certificate authorities of the moment, in PEM as they
// were read; nil where those of the system are trusted. They must not be
// changed.
func (s *Session) Authorities() []byte {
	t := s.link.Load().tls
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text[0]
}

// Authorize puts the credential and the impersonation on a request, which must
// be the caller's own; headers that are there already stay. It may run a
// plugin or ask an issuer, and then waits for that, or for the request's
// context. The error names the credential's entry.
func (s *Session) Authorize(r *http.Request) error {
	l := s.link.Load()
	if l.tls != nil {
		l.tls.look(false) // a new CA must not wait for a handshake that fails
	}
	l.config.Impersonate.impersonate(r.Header)
	if r.Header.Get("Authorization") != "" {
		return nil
	}
	return l.credential.apply(r)
}

// Rejected tells the session that the server answered 401 to the request,
// which is as Authorize left it. It reports whether there is, or will be,
// another credential, so that sending once more may help. Call it once for
// each answer.
func (s *Session) Rejected(r *http.Request) bool {
	before := s.link.Load()
	if s.follower != nil && s.follower.look() && s.link.Load() != before {
		return true
	}
	again := before.credential.rejected(r)
	if before.tls != nil && before.tls.rejected() {
		again = true
	}
	return again
}
