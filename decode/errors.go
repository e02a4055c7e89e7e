package decode

import (
	"errors"
	"fmt"
)

// ErrClosed is what a reader's Next returns after Close.
var ErrClosed = errors.New("decode: the reader is closed")

// A StreamError says that the bytes stopped coming: the peer ended inside a
// value (Err is io.ErrUnexpectedEOF), or the underlying reader failed (Err is
// its error). What was decoded before is good; the way on is a new request
// from the last resourceVersion.
type StreamError struct {
	Offset  int64 // bytes of the body that had arrived
	Partial int   // how many of them belong to a value that is not complete and was dropped
	Err     error
}

// Error implements error.
func (e *StreamError) Error() string {
	if e.Partial > 0 {
		return fmt.Sprintf("decode: stream ended after %d bytes, inside a value that began %d bytes before: %v; resume from the last resourceVersion", e.Offset, e.Partial, e.Err)
	}
	return fmt.Sprintf("decode: stream ended after %d bytes: %v; resume from the last resourceVersion", e.Offset, e.Err)
}

// Unwrap gives the reader's error, or io.ErrUnexpectedEOF.
func (e *StreamError) Unwrap() error { return e.Err }

// A LimitError says that a value is larger, or nests deeper, than the options
// allow. Reading the same again gives the same error.
type LimitError struct {
	What   string // "frame", "list item", "list member" or "nesting"
	Limit  int    // bytes, or levels for "nesting"
	Offset int64  // where in the body the value began; for "nesting", where it became too deep
}

// Error implements error.
func (e *LimitError) Error() string {
	switch e.What {
	case whatNesting:
		return fmt.Sprintf("decode: at offset %d objects and arrays nest deeper than %d levels; raise Options.Depth if that is meant to be", e.Offset, e.Limit)
	case whatFrame:
		return fmt.Sprintf("decode: the frame at offset %d is larger than %d bytes; raise Options.FrameLimit if such objects are meant to be", e.Offset, e.Limit)
	default:
		return fmt.Sprintf("decode: the %s at offset %d is larger than %d bytes; raise Options.ItemLimit if such objects are meant to be", e.What, e.Offset, e.Limit)
	}
}

const (
	whatFrame   = "frame"
	whatItem    = "list item"
	whatMember  = "list member"
	whatNesting = "nesting"
)

// A SyntaxError says that the bytes are not JSON (or protobuf), or not what a
// list or watch consists of. It names kinds of tokens, never values, since objects
// may be secret; only where a body does not even begin as JSON does it show
// the first word ("<html>").
type SyntaxError struct {
	Offset int64  // of the offending byte, from the body's start
	Found  string // what is there: "'}'", "a number", "<html>", "the end"
	Want   string // what should be there
	Err    error  // io.ErrUnexpectedEOF when bytes in memory end too early; otherwise nil

	first bool // the body's first value
}

// Error implements error.
func (e *SyntaxError) Error() string {
	if e.first {
		return fmt.Sprintf("decode: the body begins with %s, want %s; check that the address is a Kubernetes API server and not a proxy's page", e.Found, e.Want)
	}
	return fmt.Sprintf("decode: found %s at offset %d, want %s", e.Found, e.Offset, e.Want)
}

// Unwrap gives io.ErrUnexpectedEOF when the data ended too early, or nil.
func (e *SyntaxError) Unwrap() error { return e.Err }

// An ObjectError says that one object cannot be understood: it is well-formed
// JSON and a member has the wrong type, or its protobuf is malformed. It
// concerns that object only; the stream or list goes on.
type ObjectError struct {
	Key    Key    // as far as it is known
	Path   string // of the member, such as "metadata.name"; empty for the object itself
	Offset int64  // of the member's value, from the body's start (ScanMeta: from the object's)
	Token  string // what is there: "a number", "an array", "nothing"; never the value
	Want   string // what should be there: "a string"

	// Err is what an UnmarshalJSON or UnmarshalText of the user's type said;
	// otherwise nil. Error leaves it out, since it may quote the value.
	Err error
}

// Unwrap gives Err.
func (e *ObjectError) Unwrap() error { return e.Err }

// Error implements error.
func (e *ObjectError) Error() string {
	path, who := e.Path, "object"
	if path == "" {
		path = "the object"
	}
	if e.Key != (Key{}) {
		who = "object " + e.Key.String()
	}
	return fmt.Sprintf("decode: %s: %s at offset %d is %s, want %s; its raw bytes can still be read", who, path, e.Offset, e.Token, e.Want)
}

// A NotListError says that a body is one well-formed JSON object, but neither
// a list nor a Status. It is no empty list: nothing may be concluded from it.
type NotListError struct {
	Kind   string // what the body says it is; may be empty
	Offset int64  // of what is wrong
	Token  string // what "items" is instead of an array; "nothing" when absent
}

// Error implements error.
func (e *NotListError) Error() string {
	return fmt.Sprintf("decode: a body of kind %q is no list: items (at offset %d) is %s; check the resource's path", e.Kind, e.Offset, e.Token)
}
