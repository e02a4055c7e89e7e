package rawwatch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// MaxDocument bounds what GetDocument reads, in bytes, unless told otherwise.
	MaxDocument = 32 << 20
	// DefaultDocumentTimeout bounds a whole GetDocument, retries included,
	// where the configuration names no request timeout.
	DefaultDocumentTimeout = 2 * time.Minute
)

// DocumentOptions adjusts a [Client.GetDocument].
type DocumentOptions struct {
	// Accept is the content type asked for; "" is application/json.
	Accept string
	// Via wraps the client's transport for this one request, for example in
	// one that tries again. The wrapper sees the request without its
	// credential. Nil is one attempt.
	Via func(http.RoundTripper) http.RoundTripper
	// Limit bounds the document, in bytes; zero means [MaxDocument].
	Limit int64
}

// DocumentLimitError is a document that is larger than it may be.
type DocumentLimitError struct {
	// Limit is what it may be, in bytes.
	Limit int64
}

// Error implements error.
func (e *DocumentLimitError) Error() string {
	return fmt.Sprintf("the document is larger than %d bytes; raise DocumentOptions.Limit if it is meant to be", e.Limit)
}

// GetDocument requests one document that is read as a whole, such as those of
// discovery, /version or an object by name. The path is relative to the
// server's URL, without a leading slash. The bytes are the caller's. Errors are
// of type [*RequestError]; an answer that is not JSON is one, and so is a
// document over the limit, as a [*DocumentLimitError].
func (c *Client) GetDocument(ctx context.Context, path string, o DocumentOptions) ([]byte, error) {
	q := request{verb: "get", path: path, accept: o.Accept, gzip: true, whole: c.listTimeout, via: o.Via}
	if q.accept == "" {
		q.accept = acceptJSON
	}
	if q.whole == 0 {
		q.whole = DefaultDocumentTimeout
	}
	if o.Limit == 0 {
		o.Limit = MaxDocument
	}
	x, err := c.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer x.finish()
	body, err := io.ReadAll(io.LimitReader(x, o.Limit+1))
	if err == nil && int64(len(body)) > o.Limit {
		err = &DocumentLimitError{Limit: o.Limit}
	}
	if err != nil {
		return nil, &RequestError{Verb: q.verb, URL: c.target(q).Redacted(), Code: x.resp.StatusCode, Err: err}
	}
	return body, nil
}
