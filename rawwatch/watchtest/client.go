package watchtest

import (
	"crypto/tls"
	"net/http"
	"strings"
)

// Client returns an HTTP client for the server: it dials it whatever the
// mode, trusts its authority, and sends the token of [Server.Config] with
// requests that carry no credential of their own. In Unix mode the base of
// URLs is http://localhost. The caller closes its idle connections.
func (s *Server) Client() *http.Client {
	t := &http.Transport{DialContext: s.DialContext, ForceAttemptHTTP2: true, DisableCompression: true}
	if s.authority != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: s.authority.pool(), MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: &bearer{Transport: t, access: s.access}}
}

// bearer adds a token. The embedded transport gives it CloseIdleConnections.
type bearer struct {
	*http.Transport
	access *access
}

// RoundTrip implements http.RoundTripper.
func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if token := b.access.token(); token != "" && r.Header.Get("Authorization") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return b.Transport.RoundTrip(r)
}

// base is the base URL that an HTTP client with [Server.DialContext] uses.
func (s *Server) base() string {
	if s.options.Mode == Unix {
		return "http://localhost"
	}
	return strings.TrimSuffix(s.URL(), "/")
}
