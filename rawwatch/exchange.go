package rawwatch

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// exchange is one request and the response that is being read.
//
// Reading returns the reason when the client itself ended the exchange: the
// cause that one of its bounds was set with, a [*TimeoutError] as a rule.
type exchange struct {
	resp     *http.Response
	body     io.Reader // of resp, inflated
	early    early     // read from resp before body was
	inflater *inflater // of body; nil when it comes plain
	// encoding of the body, as its content type says.
	encoding decode.Encoding
	ctx      context.Context
	cancel   context.CancelCauseFunc
	bound    bound  // of the step under way: headers, the next data, a watch's life
	whole    *bound // of all of it; nil is none
	// others counts the exchange among those that are no live watches; nil once
	// it is one, or over.
	others *atomic.Int64
	client *Client
	// gate adds its trace to the request's context; nil when it is there already.
	gate *turnstile
}

// request describes an exchange to [Client.open].
type request struct {
	verb      string // the Kubernetes verb, for errors
	path      string // below the server's base URL
	query     string // of the URL, encoded
	accept    string
	resource  Resource // for errors
	namespace string
	// gzip asks for a compressed answer, unless the configuration forbids it.
	gzip bool
	// whole bounds the entire exchange; 0 is no bound.
	whole time.Duration
	// via wraps the transport for this request; nil is the client's own.
	via func(http.RoundTripper) http.RoundTripper
	// write is what a request that changes something sends; nil is a GET.
	write *writeBody
}

// open sends the request and returns when a good answer begins. Every other
// answer is read, closed and returned as a [*RequestError]. It is sent once, but
// for one that changes nothing and has another server to go to.
func (c *Client) open(ctx context.Context, q request) (*exchange, error) {
	report := c.requestStarts(q)
	told, err := c.breaker.enter()
	if err != nil {
		target := c.target(q)
		err = &RequestError{Verb: q.verb, URL: target.Redacted(), Resource: q.resource, Namespace: q.namespace, Err: err}
		report(nil, err)
		return nil, err
	}
	x, err := c.openCounted(ctx, q, told)
	c.heardFrom(err)
	report(x, err)
	return x, err
}

// openCounted is openSomewhere that tells the breaker, also when code of the
// caller's panics: that says nothing of the server, but a breaker which lets one
// request through would wait for its end for ever.
func (c *Client) openCounted(ctx context.Context, q request, told func(error)) (x *exchange, err error) {
	err = errNeutral
	defer func() { c.breaker.leave(told, q.resource, err) }()
	return c.openSomewhere(ctx, q)
}

func (c *Client) openSomewhere(ctx context.Context, q request) (*exchange, error) {
	for tried := 1; ; tried++ {
		base, number := c.endpoints.base()
		x, err := c.openAt(ctx, base, q)
		if err == nil || !elsewhere(err) {
			return x, err
		}
		c.endpoints.leave(number)
		if tried == c.endpoints.count() || !q.atOnce(err) {
			return x, err
		}
	}
}

// openAt is open for one server.
func (c *Client) openAt(ctx context.Context, base *url.URL, q request) (*exchange, error) {
	fail := func(code int, err error) error {
		target := q.target(base)
		return &RequestError{Verb: q.verb, URL: target.Redacted(), Resource: q.resource, Namespace: q.namespace, Code: code, Err: err}
	}
	if c.closed.Load() {
		return nil, fail(0, ErrClosed)
	}
	if err := c.spend(ctx); err != nil {
		return nil, fail(0, err)
	}
	ctx, gate := c.gate.joins(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	x := &exchange{client: c, gate: gate, ctx: ctx, cancel: cancel, bound: bound{cancel: cancel}, others: &c.traffic.others}
	c.traffic.begins()
	if q.whole > 0 {
		x.whole = &bound{cancel: cancel}
		x.whole.set("complete answer", q.whole)
	}
	x.awaitHeaders()
	var err error
	if x.resp, err = c.roundTrip(exchangeContext{x}, q.target(base), q); err != nil {
		err = x.reason(err)
		x.close()
		return nil, fail(0, err)
	}
	x.body = rawBody{x}
	if strings.EqualFold(x.resp.Header.Get("Content-Encoding"), "gzip") {
		x.inflater = &inflater{in: compressed{body: x.body}}
		x.body = x.inflater
	}
	if err := checkAnswer(x); err != nil {
		code, retryAfter := x.resp.StatusCode, retryAfter(x.resp.Header)
		x.close()
		// Before hooks or anybody else sees it.
		failed := fail(code, q.write.withoutValues(err)).(*RequestError)
		failed.RetryAfter = retryAfter
		return nil, failed
	}
	x.bound.clear()
	return x, nil
}

// target is the URL of the request on the server of the moment.
func (c *Client) target(q request) *url.URL {
	base, _ := c.endpoints.base()
	target := q.target(base)
	return &target
}

func (q request) target(base *url.URL) url.URL {
	target := *base
	target.User = nil
	target.Path = strings.TrimSuffix(base.Path, "/") + q.path // which is no copy, as a rule
	if !strings.HasPrefix(q.path, "/") {
		target.Path = strings.TrimSuffix(base.Path, "/") + "/" + q.path
	}
	target.RawPath = ""
	target.RawQuery = q.query
	return target
}

// Read reads the body of the response, inflated.
func (x *exchange) Read(p []byte) (int, error) { return x.body.Read(p) }

// rawBody is the body as it was sent.
type rawBody struct{ x *exchange }

func (b rawBody) Read(p []byte) (int, error) {
	n, err := b.x.early.take(p)
	if n == 0 && err == nil {
		n, err = b.x.resp.Body.Read(p)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.x.reason(err)
	}
	return n, err
}

// awaitHeaders sets the bound on response headers.
func (x *exchange) awaitHeaders() {
	x.bound.setCause(x.client.headersLate, x.client.options.HeaderTimeout)
}

// reason replaces an error that is only the echo of a cancelled context by
// what cancelled it.
func (x *exchange) reason(err error) error {
	if cause := context.Cause(x.ctx); cause != nil {
		return cause
	}
	return err
}

// close ends the exchange. A body that was not read to its end takes its
// HTTP/1.1 connection with it.
func (x *exchange) close() {
	x.bound.clear()
	if x.whole != nil {
		x.whole.clear()
	}
	x.live()
	if x.inflater != nil {
		x.inflater.close()
	}
	if x.resp != nil {
		_ = x.resp.Body.Close()
	}
	x.cancel(context.Canceled)
}

// live says that the exchange is a watch whose frames come as things happen.
func (x *exchange) live() {
	if x.others != nil {
		x.others.Add(-1)
		x.others = nil
	}
}

// settle lets go of what is only looked at when an answer begins: its headers,
// and the request. A watch would keep both for as long as it lives.
func (x *exchange) settle() { x.resp.Header, x.resp.Request = nil, nil }

// finish reads the little that may follow a complete document, so that an
// HTTP/1.1 connection can be used again, and closes.
func (x *exchange) finish() {
	_, _ = io.CopyN(io.Discard, x.resp.Body, maxErrorBody)
	x.close()
}

// encodingOf is what the content type says of a body. JSON has several names.
func encodingOf(contentType string) (e decode.Encoding, ok bool) {
	if e, ok = decode.EncodingOfType(contentType); ok {
		return e, true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return decode.JSON, err == nil && strings.HasSuffix(media, "+json")
}
