package discovery

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// A get is tried again three times, after half a second to ten, or after as
// long as the server asks for within that bound.
const (
	retries = 3
	waitMin = 500 * time.Millisecond
	waitMax = 10 * time.Second
)

func (s server) get(ctx context.Context, path, accept string) ([]byte, error) {
	return s.client.GetDocument(ctx, path, rawwatch.DocumentOptions{Accept: accept, Via: retrying})
}

// retrying sends a request again when the network or the server is in trouble.
// The last answer is passed on whatever its code, so that the server's Status
// is never lost.
func retrying(next http.RoundTripper) http.RoundTripper {
	return &retryablehttp.RoundTripper{Client: &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     next,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryWaitMin: waitMin,
		RetryWaitMax: waitMax,
		RetryMax:     retries,
		CheckRetry:   worthAnother,
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}}
}

// worthAnother says no where the answer would be the same.
func worthAnother(ctx context.Context, resp *http.Response, err error) (bool, error) {
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

// backoff is the library's, which obeys Retry-After, but bounded, and with a
// fifth of it left to chance. A negative wait is that of a Retry-After which
// overflowed.
func backoff(minimum, maximum time.Duration, attempt int, resp *http.Response) time.Duration {
	wait := retryablehttp.DefaultBackoff(minimum, maximum, attempt, resp)
	if wait < 0 || wait > maximum {
		wait = maximum
	}
	return wait + time.Duration(rand.Int64N(int64(wait)/5+1))
}
