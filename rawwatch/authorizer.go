package rawwatch

import (
	"io"
	"net/http"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
)

// authorizer puts the credential on each request. When the server answers 401
// and the credential can be renewed, it renews it and sends the same request
// once more.
type authorizer struct {
	next    http.RoundTripper
	session *access.Session
}

// RoundTrip implements http.RoundTripper, and so leaves the request as it is.
func (a *authorizer) RoundTrip(r *http.Request) (*http.Response, error) {
	return a.own(r.WithContext(r.Context()))
}

// own is RoundTrip for a request that is the client's own. Its header may be
// shared: it is replaced, and not written to.
func (a *authorizer) own(r *http.Request) (*http.Response, error) {
	header := r.Header
	resp, err := a.send(r, header)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	again, err := replay(r)
	if err != nil || !a.session.Rejected(r) {
		return resp, nil // the 401 says more than that there is no second body
	}
	// A short rest of the body is read so that the connection can be used again.
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
	return a.send(again.WithContext(again.Context()), header)
}

// send sends the request with a copy of the header, and the credential.
func (a *authorizer) send(r *http.Request, header http.Header) (*http.Response, error) {
	r.Header = header.Clone()
	// A plugin may wait for a person, and has a bound of its own.
	x, waits := r.Context().Value(headerWait{}).(*exchange)
	if waits {
		x.bound.clear()
	}
	if err := a.session.Authorize(r); err != nil {
		return nil, &CredentialError{Err: err}
	}
	if waits {
		x.awaitHeaders()
	}
	return a.next.RoundTrip(r)
}
