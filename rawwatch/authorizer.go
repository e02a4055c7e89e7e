package rawwatch

import (
	"context"
	"io"
	"net/http"

	"github.com/rawwatch/rawwatch/access"
)

// authorizer puts the credential on each request. When the server answers 401
// and the credential can be renewed, it renews it and sends the same request
// once more.
type authorizer struct {
	next    http.RoundTripper
	session *access.Session
	// within gives a request the context that it is sent in: a copy is made here
	// anyway.
	within func(context.Context) context.Context
}

// RoundTrip implements http.RoundTripper.
func (a *authorizer) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, sent, err := a.send(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	again, err := replay(r)
	if err != nil || !a.session.Rejected(sent) {
		return resp, nil // the 401 says more than that there is no second body
	}
	// A short rest of the body is read so that the connection can be used again.
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
	resp, _, err = a.send(again)
	return resp, err
}

// send sends a copy, since a RoundTripper must not change the caller's request.
func (a *authorizer) send(r *http.Request) (*http.Response, *http.Request, error) {
	sent := r.Clone(a.within(r.Context()))
	// A plugin may wait for a person, and has a bound of its own.
	wait, waits := r.Context().Value(headerWait{}).(*headerWait)
	if waits {
		wait.bound.clear()
	}
	if err := a.session.Authorize(sent); err != nil {
		return nil, nil, &CredentialError{Err: err}
	}
	if waits {
		wait.begin()
	}
	resp, err := a.next.RoundTrip(sent)
	return resp, sent, err
}
