package rawwatch

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Retries of gets: three, between half a second and ten, or as long as the
// server asks for within the bound.
const (
	getRetries  = 3
	getWaitMin  = 500 * time.Millisecond
	getWaitMax  = 10 * time.Second
	maxGetBody  = 32 << 20
	getDeadline = 2 * time.Minute
)

// GetDocument requests one document that is read as a whole, such as those of
// discovery, /version or /readyz?verbose. The path is relative to the server's
// URL, without a leading slash; accept is the content type asked for. The
// request is tried again, a bounded number of times, when the network or the
// server is in trouble. The bytes are the caller's. Errors are of type
// [*RequestError]; a document over 32 MiB, or one that is not JSON, is an
// error.
func (c *Client) GetDocument(ctx context.Context, path, accept string) ([]byte, error) {
	bound := getDeadline
	if c.listTimeout > 0 {
		bound = c.listTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, bound, &TimeoutError{What: "complete answer", After: bound})
	defer cancel()
	q := request{verb: "get", path: path, accept: accept}
	target := c.target(q)
	fail := func(code int, err error) error {
		return &RequestError{Verb: q.verb, URL: target.Redacted(), Code: code, Err: err}
	}
	r, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, fail(0, err)
	}
	c.setHeader(r.Header, accept)
	resp, err := c.getter().Do(r)
	if err != nil {
		return nil, fail(0, bareError(ctx, err))
	}
	x := &exchange{resp: resp, ctx: ctx, cancel: func(error) { cancel() }, bound: newBound(nil), whole: newBound(nil)}
	defer x.close()
	if err := checkAnswer(x); err != nil {
		return nil, fail(resp.StatusCode, err)
	}
	body, err := io.ReadAll(io.LimitReader(x, maxGetBody+1))
	if err != nil {
		return nil, fail(resp.StatusCode, err)
	}
	if len(body) > maxGetBody {
		return nil, fail(resp.StatusCode, &BodyError{ContentType: resp.Header.Get("Content-Type") + ", more than 32 MiB"})
	}
	return body, nil
}

// getter is a retryable client over this client's transport. It keeps the last
// answer, whatever its code, so that the server's Status is never lost.
func (c *Client) getter() *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     c.transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Logger:       retryLog{c.log},
		RetryWaitMin: getWaitMin,
		RetryWaitMax: getWaitMax,
		RetryMax:     getRetries,
		CheckRetry:   retryGet,
		Backoff:      getBackoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// retryGet says whether a get is worth another try: not when the answer would
// be the same.
func retryGet(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err != nil {
		return transient(err), nil
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, nil
	}
	return false, nil
}

// getBackoff obeys Retry-After up to the bound, and doubles otherwise; either
// way a fifth is left to chance.
func getBackoff(minimum, maximum time.Duration, attempt int, resp *http.Response) time.Duration {
	wait := min(minimum<<attempt, maximum)
	if resp != nil {
		if asked := retryAfter(resp.Header); asked > 0 {
			wait = min(asked, maximum)
		}
	}
	return wait + time.Duration(rand.Int64N(int64(wait)/5+1))
}

// bareError strips what net/http's client wraps around an error: method and
// URL, which [RequestError] says already.
func bareError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	type urlError interface {
		error
		Timeout() bool
		Unwrap() error
	}
	var outer urlError
	if errors.As(err, &outer) {
		if inner := outer.Unwrap(); inner != nil {
			return inner
		}
	}
	return err
}
