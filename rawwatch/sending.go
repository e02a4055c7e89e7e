package rawwatch

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// roundTrip sends a request. It is put together by hand: http.NewRequest takes a
// text, and a thousand watches that begin would print and parse a thousand URLs.
func (c *Client) roundTrip(ctx context.Context, target url.URL, q request) (*http.Response, error) {
	out := &outgoing{target: target}
	out.target.Host = strings.TrimSuffix(target.Host, ":")
	out.Request = *(&http.Request{
		Method: q.write.method(), URL: &out.target, Host: out.target.Host, Header: c.header(q),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	r := &out.Request
	q.write.attach(r)
	if q.via != nil {
		return q.via(c.transport).RoundTrip(r)
	}
	return c.transport.own(r)
}

// outgoing is a request with its URL. Both are garbage when the answer begins: in
// one piece, it is of a size that nothing else has which stays.
type outgoing struct {
	http.Request
	target url.URL
}

// sharedHeader is what requests say that ask for the same, but for their
// credential.
type sharedHeader struct {
	accept string
	gzip   bool
	header http.Header // not written to: the authorizer makes a copy
}

// header is what the request says but for its credential. The map may be shared.
func (c *Client) header(q request) http.Header {
	if q.write != nil || q.via != nil {
		return c.newHeader(q)
	}
	last := c.lastHeader.Load()
	if last == nil || last.accept != q.accept || last.gzip != q.gzip {
		last = &sharedHeader{q.accept, q.gzip, c.newHeader(q)}
		c.lastHeader.Store(last)
	}
	return last.header
}

func (c *Client) newHeader(q request) http.Header {
	h := c.options.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("User-Agent", c.options.UserAgent)
	h.Set("Accept", q.accept)
	q.write.setHeader(h)
	h.Del("Accept-Encoding")
	if q.gzip && !c.plain {
		h.Set("Accept-Encoding", "gzip")
	}
	return h
}
