package rawwatch

import (
	"context"
	"net/url"

	"github.com/rawwatch/rawwatch/decode"
)

// GetOptions adjusts a [Client.Get]. The zero value asks for the most
// recent state.
type GetOptions struct {
	// Subresource is read in place of the object itself: "status", "scale"; ""
	// is the object.
	Subresource string
	// ResourceVersion is how old the answer may be: "" is the most recent state,
	// "0" whatever the server has at hand, any other one that state or a newer.
	ResourceVersion string
	Retry           RetryOptions
}

// Get reads one object, whole, as JSON. Its bytes are the caller's to keep.
//
// Errors: a [*NotSentError], or a [*RequestError]; [IsNotFound] tells an object
// that does not exist. A get is safe to repeat: what may pass (no connection,
// 429, 502, 503, 504) is tried again, see [RetryOptions].
func (c *Client) Get(ctx context.Context, r Resource, key decode.Key, o GetOptions) (Object, error) {
	a := address{verb: "get", resource: r, key: key, subresource: o.Subresource}
	if err := a.check(false); err != nil {
		return Object{}, err
	}
	q := a.request()
	q.retry, q.repeatable = o.Retry, true
	if o.ResourceVersion != "" {
		q.query = url.Values{"resourceVersion": {o.ResourceVersion}}.Encode()
	}
	return c.objectOf(ctx, q)
}

// request is the one that reads what is at the address.
func (a address) request() objectRequest {
	return objectRequest{address: a, request: request{
		verb: a.verb, path: a.path(), accept: acceptJSON, gzip: true,
		resource: a.resource, namespace: a.key.Namespace,
	}}
}

func (c *Client) objectOf(ctx context.Context, q objectRequest) (Object, error) {
	if err := q.retry.Backoff.Check(); err != nil {
		return Object{}, &NotSentError{Verb: q.verb(), Resource: q.address.resource, Field: "Retry.Backoff", Problem: "makes no sense", Err: err}
	}
	body, err := c.send(ctx, q)
	if err != nil {
		return Object{}, err
	}
	return c.answered(q, body)
}
