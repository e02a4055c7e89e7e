package watchtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
)

// errGone says that the client, or this era of the server, has gone: nothing
// more can be answered.
var errGone = errors.New("nobody to answer")

// cutError says that a fault ends the body here.
type cutError struct{ how Cut }

func (e *cutError) Error() string { return "cut by a fault" }

// conclude ends the answer as the error says.
func (c *call) conclude(err error) {
	var refusal *StatusError
	var cut *cutError
	switch {
	case errors.As(err, &refusal):
		err = c.refuse(refusal)
		errors.As(err, &cut)
	case errors.As(err, &cut):
	case err != nil:
		panic(http.ErrAbortHandler)
	}
	if cut == nil {
		cut = c.body.finish()
	}
	if cut == nil {
		return
	}
	c.body.flushWire()
	switch cut.how {
	case Truncate:
		return
	case Stall:
		c.linger()
	case Reset:
		if own := c.connection(); own != nil {
			own.reset()
		}
	}
	panic(http.ErrAbortHandler)
}

// refuse answers with a Status.
func (c *call) refuse(e *StatusError) error {
	for name, values := range StatusAnswer(e).Header {
		c.header[name] = values
	}
	in, ok := c.errorEncoding()
	body := append(e.JSON(), '\n')
	if !ok { // to clients that accept none it is pretty-printed (seen on v1.37)
		var b bytes.Buffer
		if err := json.Indent(&b, e.JSON(), "", "  "); err != nil {
			return err
		}
		body = b.Bytes()
	}
	return c.document(e.Code, body, in)
}

// document answers with one of the server's own documents, which is JSON here.
func (c *call) document(code int, document []byte, e encoding) error {
	document, e = encoded(document, e)
	c.label(e, false)
	c.body.begin(code)
	_, err := c.body.Write(document)
	return err
}

func (c *call) text(code int, s string) error {
	c.header.Set("Content-Type", "text/plain; charset=utf-8")
	c.header.Set("X-Content-Type-Options", "nosniff")
	c.body.begin(code)
	_, err := c.body.Write([]byte(s))
	return err
}

// json answers with a document.
func (c *call) json(code int, document []byte) error {
	c.header.Set("Content-Type", "application/json")
	c.body.begin(code)
	_, err := c.body.Write(document)
	return err
}
