package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// ListOptions adjusts a [Client.List]. The zero value lists the most recent
// state in pages of [resume.DefaultPageLimit].
type ListOptions struct {
	// PageLimit is the number of objects that one request asks for. Zero means
	// [resume.DefaultPageLimit], negative means all in one.
	PageLimit int64
	// OnPage is called after each page with its list metadata: the
	// resourceVersion of the list, and how many objects are still to come if
	// the server says so. Nil means nobody is told.
	OnPage func(decode.ListMeta)
	// Encoding that objects are asked for in; zero is [EncodingAutomatic].
	Encoding Encoding
	// MetadataOnly asks for the objects' metadata only
	// (PartialObjectMetadataList). A server that does not know it sends whole
	// objects.
	MetadataOnly bool
}

// List yields the objects of the query one by one, while they arrive: neither
// the list nor a page of it is ever in memory as a whole. Each object's Raw is
// borrowed until the next step. All pages show one and the same
// resourceVersion.
//
// An error ends the iteration: a [*RequestError] as a rule, a
// [*ListExpiredError] when the server's history ended before the last page, a
// [*QueryError] when the query cannot be sent, or the context's. An object
// that cannot be understood does not end it; it comes with a
// [*decode.ObjectError].
//
// See "Retrieving large results sets in chunks" in the Kubernetes API concepts.
func (c *Client) List(ctx context.Context, q Query, o ListOptions) iter.Seq2[Object, error] {
	return c.list(ctx, q, o, formFor(q.Resource, o.Encoding, o.MetadataOnly))
}

func (c *Client) list(ctx context.Context, q Query, o ListOptions, form form) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		if err := q.Validate(); err != nil {
			yield(Object{}, err)
			return
		}
		page := listPage{limit: pageLimit(o.PageLimit), form: form}
		var paging paging
		for delivered := int64(0); ; {
			meta, more, err := c.listObjects(ctx, q, page, func(o Object, err error) bool {
				delivered++
				return yield(o, err)
			})
			if err != nil {
				if page.token != "" && classify(err).Class == resume.Expired {
					err = &ListExpiredError{Delivered: delivered, Err: err}
				}
				yield(Object{}, err)
				return
			}
			if !more {
				return
			}
			if o.OnPage != nil {
				o.OnPage(meta)
			}
			if meta.Continue == "" {
				return
			}
			if problem := paging.problem(meta.Continue); problem != "" {
				yield(Object{}, q.failed(c, "list", &PagingError{Problem: problem}))
				return
			}
			page.token = meta.Continue
		}
	}
}

// listObjects yields one page. more is false when the consumer has stopped.
func (c *Client) listObjects(ctx context.Context, q Query, page listPage, yield func(Object, error) bool) (meta decode.ListMeta, more bool, err error) {
	more = true
	kinds := kindCache{resource: &q.Resource}
	end, err := c.readPage(ctx, q, page, func(item *decode.Item) bool {
		more = yield(kinds.object(item.Object, &item.Meta), item.Err)
		return more
	})
	return end.ListMeta, more, err
}

// paging notices lists that would never end.
type paging struct {
	pages int    // that asked for another
	last  string // the token of the last of them
	mark  string // an earlier token, to notice a list that runs in circles
}

// problem says what is wrong with the token of the next page; "" is nothing.
func (p *paging) problem(token string) string {
	p.pages++
	switch {
	case token == p.last || token == p.mark:
		return "the server's continue tokens run in circles; going on would never end"
	case p.pages >= resume.DefaultMaxPages:
		return fmt.Sprintf("the list has not ended after %d pages; narrow the query, or ask for larger pages", p.pages)
	}
	if p.pages&(p.pages-1) == 0 { // at powers of two: a circle of any length is noticed
		p.mark = token
	}
	p.last = token
	return ""
}

// listPage is one page of a list: which one, of what size.
type listPage struct {
	limit int64  // 0: no limit
	token string // "" for the first page
	exact string // the version that the first page must show; "" is the most recent
	form  form
}

// readRows is the rest of readPage for a Table.
func (q Query) readRows(c *Client, x *exchange, body io.Reader, rows rowReader, item func(*decode.Item) bool) (pageEnd, error) {
	meta, more, err := rows.page(body, item)
	switch {
	case err != nil:
		return pageEnd{}, q.failed(c, "list", err)
	case !more:
		return pageEnd{}, nil
	}
	x.finish()
	return pageEnd{ListMeta: meta}, nil
}

// pageEnd is what is known when a page has been read.
type pageEnd struct {
	decode.ListMeta
	encoding decode.Encoding
}

// partial reports whether the items were metadata only.
func (p pageEnd) partial() bool { return strings.HasPrefix(p.Kind, kindPartial) }

// pageLimit turns the option, of which zero is the default and a negative one
// no limit, into the request's parameter, of which zero is none.
func pageLimit(option int64) int64 {
	switch {
	case option == 0:
		return resume.DefaultPageLimit
	case option < 0:
		return 0
	}
	return option
}

// readPage requests one page and calls item for each object in it until item
// returns false. The list metadata is complete when there was no error and
// item never returned false.
func (c *Client) readPage(ctx context.Context, q Query, page listPage, item func(*decode.Item) bool) (pageEnd, error) {
	params := q.selectors()
	setPage(params, page)
	request := q.request("list", c.listTimeout)
	request.path, request.query = q.path(), params.Encode()
	request.gzip = true // the server decides from what size on it pays
	x, err := c.openAs(ctx, request, page.form)
	if err != nil {
		return pageEnd{}, err
	}
	defer x.close() // also when the consumer panics
	body := &patientReader{body: x, bound: &x.bound}
	body.expect(c.options.DataTimeout, &TimeoutError{What: "list data", After: c.options.DataTimeout})
	if page.form.rows != nil {
		return q.readRows(c, x, body, page.form.rows, item)
	}
	reader := decode.NewListReader(body, c.decoding(x))
	defer reader.Close()
	for objects := 0; ; objects++ {
		next, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			x.finish()
			c.pageRead(q, PageInfo{Objects: objects, Bytes: reader.Offset(), Encoding: x.encoding})
			return pageEnd{ListMeta: reader.Meta(), encoding: x.encoding}, nil
		case err != nil:
			if x.encoding != decode.JSON && garbled(err) {
				c.refuse(q.Resource, err)
			}
			return pageEnd{}, q.failed(c, "list", err)
		case !item(next):
			return pageEnd{}, nil
		}
	}
}

// decoding is how the body of the exchange is read.
func (c *Client) decoding(x *exchange) decode.Options {
	options := c.options.Decode
	options.Encoding = x.encoding
	return options
}

func setPage(params url.Values, page listPage) {
	if page.limit > 0 {
		params.Set("limit", strconv.FormatInt(page.limit, 10))
	}
	if page.token != "" {
		// With a continue token neither resourceVersion nor
		// resourceVersionMatch may be sent: the token holds the version.
		params.Set("continue", page.token)
	} else if page.exact != "" {
		params.Set("resourceVersion", page.exact)
		params.Set("resourceVersionMatch", "Exact")
	}
}

// request fills in what all requests of the query have in common.
func (q Query) request(verb string, whole time.Duration) request {
	return request{
		verb:     verb,
		resource: q.Resource, namespace: q.Namespace, whole: whole,
	}
}

// failed wraps an error that came while the body of a good answer was read.
func (q Query) failed(c *Client, verb string, err error) error {
	target := c.target(request{path: q.path()})
	return &RequestError{Verb: verb, URL: target.Redacted(), Resource: q.Resource, Namespace: q.Namespace, Code: 200, Err: err}
}

// PagingError is a server that pages a list in a way that would never end.
type PagingError struct {
	// Problem says what it did.
	Problem string
}

// Error implements error.
func (e *PagingError) Error() string { return e.Problem }
