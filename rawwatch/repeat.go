package rawwatch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// objectRequest is a request for one object, or one that writes to it.
type objectRequest struct {
	address
	request
	retry RetryOptions
	// repeatable says that sending it twice does no more than sending it once.
	repeatable bool
	// gone is what a 404 means for the second attempt and later ones: that an
	// earlier one did its work. Only a delete has it.
	gone bool
	// warned is told the answer's warnings; may be nil.
	warned func(string)
}

// send sends the request, again where it is safe and may help, and returns the
// whole answer. The time of the call bounds all attempts together.
func (c *Client) send(ctx context.Context, q objectRequest) ([]byte, error) {
	limit := c.listTimeout
	if limit == 0 {
		limit = DefaultDocumentTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{What: "complete answer", After: limit})
	defer cancel()
	backoff, retries := q.retry.backoff(), q.retry.retries()
	for n := 1; ; n++ {
		body, err := c.sendOnce(ctx, q)
		if n > 1 && q.gone && IsNotFound(err) {
			return nil, nil
		}
		if err == nil || !q.repeatable || n > retries || !mayPass(ctx, err) {
			return body, err
		}
		wait := max(backoff.Wait(n, rand.Float64()), classify(err).RetryAfter)
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
			return nil, err // the failure says more than a timeout would
		}
		if !sleep(ctx, wait) {
			return nil, err
		}
	}
}

// sleep waits; false when the context ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *Client) sendOnce(ctx context.Context, q objectRequest) ([]byte, error) {
	x, err := c.open(ctx, q.request)
	if err != nil {
		return nil, q.explained(err)
	}
	defer x.finish()
	q.warn(x.resp.Header)
	body, err := io.ReadAll(io.LimitReader(x, MaxDocument+1))
	if err == nil && len(body) > MaxDocument {
		err = &AnswerLimitError{Limit: MaxDocument}
	}
	if err != nil {
		return nil, c.failed(q, x.resp.StatusCode, err)
	}
	return body, nil
}

// failed is a request whose answer began well.
func (c *Client) failed(q objectRequest, code int, err error) error {
	return &RequestError{
		Verb: q.verb(), URL: c.target(q.request).Redacted(), Code: code, Err: err,
		Resource: q.address.resource, Namespace: q.key.Namespace, Name: q.key.Name, Subresource: q.subresource,
	}
}

func (q objectRequest) verb() string { return q.address.verb }

// explained completes the error with what only a request for one object knows.
// It is a copy: hooks may have kept the other.
func (q objectRequest) explained(err error) error {
	var e *RequestError
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Name, named.Subresource = q.key.Name, q.subresource
	return &named
}

// mayPass reports whether the same request may go well a moment later.
func mayPass(ctx context.Context, err error) bool {
	var e *RequestError
	if ctx.Err() != nil || !errors.As(err, &e) {
		return false
	}
	switch e.statusCode() {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusInternalServerError:
		return classify(err).RetryAfter > 0 // the server says that it will be over
	case http.StatusOK, http.StatusCreated, http.StatusAccepted:
		return tornAnswer(err)
	case 0:
		var certificate *tls.CertificateVerificationError
		var credential *CredentialError
		return !errors.Is(err, ErrClosed) && !errors.As(err, &certificate) && !errors.As(err, &credential)
	}
	return false
}

// tornAnswer reports whether the connection broke in the midst of a good
// answer. Of all that a good answer can fail with, the others are no accidents.
func tornAnswer(err error) bool {
	var size *AnswerLimitError
	return !errors.As(err, &size) && !isForeign(err) && !isGarbage(err) && statusIn(err) == nil
}

// MayHaveHappened reports whether a write that failed with the error may have
// been carried out all the same: the answer was lost, or came from something
// that cannot know. False means that nothing has changed, for certain. After
// true, look (with [Client.Get]) before writing again.
func MayHaveHappened(err error) bool {
	var e *RequestError
	if !errors.As(err, &e) {
		return false // nil, or nothing was sent
	}
	switch code := e.statusCode(); {
	case code == 0:
		return !neverSent(err)
	case code >= 300 && code < 500:
		return code == http.StatusRequestTimeout
	}
	return true
}

// neverSent reports whether the request did not leave.
func neverSent(err error) bool {
	var certificate *tls.CertificateVerificationError
	var credential *CredentialError
	var network *net.OpError
	var held *BreakerOpenError
	return errors.Is(err, ErrClosed) || errors.As(err, &held) || errors.As(err, &certificate) || errors.As(err, &credential) ||
		errors.As(err, &network) && network.Op == "dial"
}

// AnswerLimitError is an answer to a request for one object that is larger
// than any object is. A write has been carried out nevertheless.
type AnswerLimitError struct {
	// Limit is what it may be, in bytes.
	Limit int64
}

// Error implements error.
func (e *AnswerLimitError) Error() string {
	return "the answer is larger than " + strconv.FormatInt(e.Limit, 10) + " bytes"
}
