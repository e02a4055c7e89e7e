package rawwatch

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/rawwatch/rawwatch/decode"
)

// openAs opens the exchange in the cheapest form that is wanted and that the
// server has not refused before. A refusal (406, 415, an answer of another
// content type) is followed at once by the same request for whole objects in
// JSON, which every server has, and remembered when that is answered.
func (c *Client) openAs(ctx context.Context, q request, want form) (*exchange, error) {
	plain := form{}
	if want.rows != nil {
		plain = want // JSON already, and whole objects are no rows
	}
	if c.refusals.has(q.resource) {
		want = plain
	}
	q.accept = want.accept(q.verb)
	x, err := c.open(ctx, q)
	if err != nil && want != plain && refusesForm(err) {
		refused := err
		q.accept = plain.accept(q.verb)
		if x, err = c.open(ctx, q); err == nil {
			c.refuse(q.resource, refused)
		}
	}
	return x, err
}

// refuse remembers that the server answers for this resource in plain JSON
// only.
func (c *Client) refuse(r Resource, why error) {
	if c.refusals.add(r, why) {
		c.log.Log(context.Background(), slog.LevelInfo, "the server does not answer in the encoding asked for; asking for plain JSON from now on", "resource", r.String(), "error", why)
	}
}

// refusesForm reports whether the answer concerns the form asked for. A text or
// a page of HTML does not: that is a proxy, which says the same to everybody.
func refusesForm(err error) bool {
	var request *RequestError
	if !errors.As(err, &request) {
		return false
	}
	switch request.statusCode() {
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return true
	case http.StatusOK:
		var body *BodyError
		return errors.As(err, &body) && !strings.HasPrefix(body.ContentType, "text/")
	}
	return false
}

// garbled reports whether an answer in protobuf broke off because its bytes
// are no such thing: JSON may fare better.
func garbled(err error) bool {
	var (
		syntax *decode.SyntaxError
		list   *decode.NotListError
	)
	return errors.As(err, &syntax) || errors.As(err, &list)
}

// refusals are the resources whose server answers in plain JSON only, and what
// it answered when asked for more.
type refusals struct {
	mu  sync.Mutex
	why map[Resource]error // as many as the program queries
}

func (r *refusals) has(resource Resource) bool { return r.reason(resource) != nil }

func (r *refusals) reason(resource Resource) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why[resource]
}

// add reports whether it was not known yet.
func (r *refusals) add(resource Resource, why error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why[resource] != nil {
		return false
	}
	if r.why == nil {
		r.why = map[Resource]error{}
	}
	r.why[resource] = why
	return true
}
