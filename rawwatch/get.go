package rawwatch

import (
	"context"
	"io"
	"net/http"
	"time"
)

const (
	// MaxDocument bounds what GetDocument reads, in bytes.
	MaxDocument = 32 << 20
	// DefaultDocumentTimeout bounds a whole GetDocument, retries included,
	// where the configuration names no request timeout.
	DefaultDocumentTimeout = 2 * time.Minute
)

// GetOptions adjusts a [Client.GetDocument].
type GetOptions struct {
	// Accept is the content type asked for; "" is application/json.
	Accept string
	// Via wraps the client's transport for this one request, for example in
	// one that tries again. The wrapper sees the request without its
	// credential. Nil is one attempt.
	Via func(http.RoundTripper) http.RoundTripper
}

// GetDocument requests one document that is read as a whole, such as those of
// discovery, /version or an object by name. The path is relative to the
// server's URL, without a leading slash. The bytes are the caller's. Errors are
// of type [*RequestError]; a document over [MaxDocument], or one that is not
// JSON, is an error.
func (c *Client) GetDocument(ctx context.Context, path string, o GetOptions) ([]byte, error) {
	q := request{verb: "get", path: path, accept: o.Accept, gzip: true, whole: c.listTimeout, via: o.Via}
	if q.accept == "" {
		q.accept = acceptJSON
	}
	if q.whole == 0 {
		q.whole = DefaultDocumentTimeout
	}
	x, err := c.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer x.finish()
	body, err := io.ReadAll(io.LimitReader(x, MaxDocument+1))
	if err == nil && len(body) > MaxDocument {
		err = &BodyError{ContentType: x.resp.Header.Get("Content-Type") + ", more than 32 MiB"}
	}
	if err != nil {
		return nil, &RequestError{Verb: q.verb, URL: c.target(q).Redacted(), Code: x.resp.StatusCode, Err: err}
	}
	return body, nil
}
