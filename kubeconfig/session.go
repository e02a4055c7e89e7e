package kubeconfig

import (
	stdcontext "context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// SessionOptions adjusts a [Session].
type SessionOptions struct {
	// Logger hears of credentials that are renewed or cannot be read, and of
	// verification that is off. Nil is silent.
	Logger *slog.Logger
}

// Session is the live side of a [Config]: where to send requests, over which
// TLS, with which credential. Files are read again when they change. It is safe
// for concurrent use.
type Session struct {
	base   *url.URL
	socket string // path of the Unix socket, or ""
	tls    *tlsFiles
	token  *tokenSource
	config Config
	proxy  func(*url.URL) (*url.URL, error)
}

// Open checks the configuration and reads what it refers to. The error names
// the field.
func (c *Config) Open(o SessionOptions) (*Session, error) {
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Session{config: *c}
	if err := s.parseServer(); err != nil {
		return nil, c.fieldError("server", err)
	}
	if err := s.parseProxy(); err != nil {
		return nil, c.fieldError("proxy-url", err)
	}
	if s.base.Scheme == "https" {
		files, err := openTLS(c, log)
		if err != nil {
			return nil, err
		}
		s.tls = files
	}
	if err := headerSafe(c.BearerToken); err != nil {
		return nil, c.fieldError("token", err)
	}
	s.token = newTokenSource(c, log)
	if err := s.token.check(); err != nil {
		return nil, c.fieldError("tokenFile", err)
	}
	return s, nil
}

// fieldError names the field in the cluster or user entry that it stands in.
func (c *Config) fieldError(field string, err error) error {
	entry := "users[" + c.UserName + "]"
	switch field {
	case "server", "proxy-url", "certificate-authority", "insecure-skip-tls-verify":
		entry = "clusters[" + c.ClusterName + "]"
	}
	return &FieldError{File: c.Source, Field: entry + "." + field, Err: err}
}

func (s *Session) parseServer() error {
	if path, ok := strings.CutPrefix(s.config.Server, "unix://"); ok {
		if !strings.HasPrefix(path, "/") {
			return errors.New("a Unix socket needs an absolute path: unix:///run/proxy.sock")
		}
		s.socket = path
		s.base = &url.URL{Scheme: "http", Host: "localhost"}
		return nil
	}
	server := s.config.Server
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil {
		return errors.New("is not a URL")
	}
	if u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("must be https://host:port, http://host:port or unix:///path")
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	u.Path = strings.TrimRight(u.Path, "/")
	s.base = u
	return nil
}

func (s *Session) parseProxy() error {
	if s.config.ProxyURL == "" {
		s.proxy = httpproxy.FromEnvironment().ProxyFunc()
		return nil
	}
	u, err := url.Parse(s.config.ProxyURL)
	if err != nil {
		return errors.New("is not a URL")
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return fmt.Errorf("has the scheme %q; use http, https or socks5", u.Scheme)
	}
	s.proxy = func(*url.URL) (*url.URL, error) { return u, nil }
	return nil
}

// BaseURL is what all request paths are appended to, without a slash at its
// end. For a Unix socket it is http://localhost, reached with DialContext. The
// caller must not change it.
func (s *Session) BaseURL() *url.URL { return s.base }

// Proxy is the Proxy function for a net/http Transport.
func (s *Session) Proxy(r *http.Request) (*url.URL, error) {
	if s.socket != "" {
		return nil, nil
	}
	return s.proxy(r.URL)
}

// DialContext dials the Unix socket; it is nil for all other servers.
func (s *Session) DialContext() func(stdcontext.Context, string, string) (net.Conn, error) {
	if s.socket == "" {
		return nil
	}
	dialer := &net.Dialer{Timeout: 15 * time.Second}
	return func(ctx stdcontext.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "unix", s.socket)
	}
}

// TLSConfig is a new TLS configuration for the caller; nil without TLS. It
// reads certificate files again for each new connection.
func (s *Session) TLSConfig() *tls.Config {
	if s.tls == nil {
		return nil
	}
	return s.tls.config()
}

// Authorize puts the credential and the impersonation on a request, which must
// be the caller's own.
func (s *Session) Authorize(r *http.Request) error {
	if s.tls != nil {
		s.tls.current() // a replaced CA file must not wait for a server that asks for a certificate
	}
	if r.Header.Get("Authorization") == "" {
		token, err := s.token.get()
		switch {
		case err != nil:
			return s.config.fieldError("tokenFile", err)
		case token != "":
			r.Header.Set("Authorization", "Bearer "+token)
		case s.config.Username != "" || s.config.Password != "":
			r.SetBasicAuth(s.config.Username, s.config.Password)
		}
	}
	impersonate(r.Header, s.config.Impersonate)
	return nil
}

// Rejected tells the session that the server answered 401 to the request. It
// reports whether the credential is another one now, so that sending again may
// help.
func (s *Session) Rejected(r *http.Request) bool { return s.token.renew(r.Header.Get("Authorization")) }

// OnRotate calls f whenever a certificate has changed: connections made before
// should be retired. The returned function ends that.
func (s *Session) OnRotate(f func()) (cancel func()) {
	if s.tls == nil {
		return func() {}
	}
	return s.tls.onRotate(f)
}

// Close ends the session.
func (s *Session) Close() error { return nil }

// impersonate sets the headers of "User impersonation".
func impersonate(h http.Header, who Impersonation) {
	if who.UserName == "" {
		return
	}
	h.Set("Impersonate-User", who.UserName)
	if who.UID != "" {
		h.Set("Impersonate-Uid", who.UID)
	}
	for _, group := range who.Groups {
		h.Add("Impersonate-Group", group)
	}
	for key, values := range who.Extra {
		for _, value := range values {
			h.Add("Impersonate-Extra-"+escapeHeader(key), value)
		}
	}
}

// escapeHeader percent-encodes what cannot stand in a header's name.
func escapeHeader(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$&'*+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
