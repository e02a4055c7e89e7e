package usage

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// CountBodies returns a transport that counts the bytes of answers' bodies as
// they are after unpacking. A body that the inner transport has not unpacked is
// unpacked once more beside: that costs time, so take times without.
func CountBodies(inner http.RoundTripper, n *atomic.Int64) http.RoundTripper {
	return &bodyCounter{inner, n}
}

type bodyCounter struct {
	inner http.RoundTripper
	n     *atomic.Int64
}

func (c *bodyCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.inner.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	if resp.Header.Get("Content-Encoding") != "gzip" {
		resp.Body = &countedBody{ReadCloser: resp.Body, n: c.n}
		return resp, nil
	}
	from, to := io.Pipe()
	b := &packedBody{ReadCloser: resp.Body, to: to}
	b.unpacking.Go(func() {
		unpacked, err := gzip.NewReader(from)
		if err == nil {
			_, err = io.Copy(counter{c.n}, unpacked)
		}
		from.CloseWithError(errors.Join(err, io.EOF))
	})
	resp.Body = b
	return resp, nil
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

type countedBody struct {
	io.ReadCloser
	n *atomic.Int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n.Add(int64(n))
	return n, err
}

// packedBody hands what is read to a goroutine that unpacks it, and waits for
// that at the end.
type packedBody struct {
	io.ReadCloser
	to        *io.PipeWriter
	unpacking sync.WaitGroup
}

func (b *packedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	_, _ = b.to.Write(p[:n]) // what cannot be unpacked is not counted
	if err != nil {
		b.end()
	}
	return n, err
}

func (b *packedBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

func (b *packedBody) end() {
	_ = b.to.Close()
	b.unpacking.Wait()
}
