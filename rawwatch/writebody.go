package rawwatch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// writeBody is what a request that changes something sends. A nil one stands
// for a GET.
type writeBody struct {
	verb        string // of HTTP
	contentType string
	text        []byte
	// scrub takes out of an answer what it may quote of the text. Nil is
	// nothing.
	scrub func(error) error
}

func (w *writeBody) withoutValues(err error) error {
	if w == nil || w.scrub == nil {
		return err
	}
	return w.scrub(err)
}

func (w *writeBody) method() string {
	if w == nil {
		return http.MethodGet
	}
	return w.verb
}

// attach gives the request its body, which can be sent a second time.
func (w *writeBody) attach(r *http.Request) {
	if w == nil || w.text == nil {
		return
	}
	r.ContentLength = int64(len(w.text))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(w.text)), nil }
	r.Body, _ = r.GetBody()
}

func (w *writeBody) setHeader(h http.Header) {
	if w != nil && w.text != nil {
		h.Set("Content-Type", w.contentType)
	}
}

// goodCode reports whether the answer says that what was asked for is done:
// 200 for whatever is read; a create answers 201, a delete that goes on in the
// background 202.
func goodCode(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusOK:
		return true
	case http.StatusCreated, http.StatusAccepted:
		return resp.Request == nil || resp.Request.Method != http.MethodGet
	}
	return false
}

var errNoSecondBody = errors.New("the body cannot be sent a second time")

// replay is the request with its body from the start.
func replay(r *http.Request) (*http.Request, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return r, nil
	}
	if r.GetBody == nil {
		return nil, errNoSecondBody
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	again := r.Clone(r.Context())
	again.Body = body
	return again, nil
}
