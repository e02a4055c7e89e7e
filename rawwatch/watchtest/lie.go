package watchtest

import (
	"net/http"
	"slices"
	"strings"
)

// Lie is an answer that is well-formed and wrong. Lies are told in the encoding
// that the client asked for.
type Lie uint8

const (
	// NoLie is the truth.
	NoLie Lie = iota
	// OldVersions sends, behind each MODIFIED frame of a watch, another one with
	// the object as it was before: its versions go backwards.
	OldVersions
	// NoMetadata leaves the metadata out of all objects of a list or watch. In
	// protobuf, and where metadata is all that was asked for, it is empty.
	NoMetadata
	// NoVersion leaves the resourceVersion out of the metadata of lists and of
	// all bookmarks.
	NoVersion
	// SamePage answers every page of a list with the first one, of at least one
	// object, and always the same continue token: the list never ends.
	SamePage
	// HugeToken answers a list with a continue token of 1 MiB, which does not
	// fit into any request.
	HugeToken
	// RedirectLoop redirects to the very same URL (HTTP 307).
	RedirectLoop
	// EmptyBody is HTTP 200 with the content type asked for and no body.
	EmptyBody
	// CodeOK ends a watch at its begin by an ERROR frame with a Status of code
	// 200.
	CodeOK
)

// sameToken is the continue token of SamePage, hugeToken the size of HugeToken's.
const (
	sameToken = "dGhlIHNhbWUgcGFnZQ"
	hugeToken = 1 << 20
)

// lies tells whether the fault that strikes this request tells this lie.
func (c *call) lies(l Lie) bool { return c.fault().Lie == l }

// lieInstead tells the lies that stand in place of any answer; false when there
// is none.
func (c *call) lieInstead() bool {
	code := http.StatusOK
	switch c.fault().Lie {
	case RedirectLoop:
		c.header.Set("Location", c.request.URL.RequestURI())
		code = http.StatusTemporaryRedirect
	case EmptyBody:
		in, _ := c.errorEncoding()
		c.label(in, c.verb == "watch")
	default:
		return false
	}
	c.header.Set("Content-Length", "0")
	c.body.begin(code)
	return true
}

// bendList turns a list's options into those that the lie answers.
func (c *call) bendList(o *listOptions) {
	if c.lies(SamePage) {
		o.token, o.limit = "", max(o.limit, 1)
	}
}

// bendPage turns a page into the lie.
func (c *call) bendPage(p *page) {
	switch c.fault().Lie {
	case SamePage:
		p.token = sameToken
	case HugeToken:
		p.token = strings.Repeat("A", hugeToken)
	case NoVersion:
		p.unversioned = true
	case NoMetadata:
		for i, o := range p.objects {
			p.objects[i] = o.anonymous()
		}
	}
}

// anonymous is the object without metadata.
func (o *object) anonymous() *object {
	head := o.body[:o.bare]
	b := append(make([]byte, 0, len(head)+o.rest.size()), head...)
	if len(o.rest) == 0 {
		b = b[:len(b)-1] // the comma behind the kind
	} else {
		b = slices.Clone(o.rest).appendInner(b)
	}
	return &object{resource: o.resource, revision: o.revision, body: append(b, '}'), bare: min(o.bare, len(b))}
}

// codeOK is the frame of CodeOK.
func codeOK() []byte {
	return ErrorFrame(&StatusError{Code: http.StatusOK, Message: "watchtest: nothing is wrong"})
}
