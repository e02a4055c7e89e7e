package watchtest

import (
	"net/http"
	"strconv"
	"time"
)

// Fault is something that goes wrong, once or more often, for requests that
// it matches. The fields of the effect combine: a delayed answer, cut in the
// middle, one byte a chunk. See [Server.Inject].
type Fault struct {
	// Verb, Resource (plural), Namespace and Name must equal the request's
	// (see [Request]); "" matches all.
	Verb, Resource, Namespace, Name string
	// Match, if not nil, must return true as well. It must not read the body.
	Match func(*http.Request) bool
	// Skip lets so many matching requests pass before.
	Skip int
	// Count is how many requests the fault strikes: 0 means one, a negative
	// number all until the fault is removed.
	Count int

	// Accept strikes a connection in place of a request; the fields above
	// except Skip and Count do not apply then, nor do the ones below.
	Accept AcceptFault

	// Delay is waited before anything is answered.
	Delay time.Duration
	// Hold answers nothing at all, until the client gives up, the fault is
	// removed or the server restarts.
	Hold bool
	// Drop resets the connection in place of an answer.
	Drop bool
	// Answer is sent in place of the server's own, whatever the client accepts.
	Answer *Answer
	// Status is sent in place of the server's own answer, in the encoding that
	// the client accepts for errors.
	Status *StatusError
	// Frames begin the body of a watch. Those that are well-formed frames in
	// JSON are sent in the encoding of the watch, all others byte for byte as
	// given; in a watch in JSON that is the same. Afterwards the stream ends
	// cleanly, or goes on as a normal one when GoOn is set.
	Frames [][]byte
	GoOn   bool
	// Lie is what the answer says that is not so.
	Lie Lie
	// ContentType stands in the header in place of the right one; "" leaves that.
	ContentType string
	// Goaway closes the connection after this answer: by GOAWAY in HTTP/2,
	// by "Connection: close" in HTTP/1.1. Streams under way end normally.
	Goaway bool

	// Cut says how the body ends before its time; it happens after
	// AfterFrames frames of a watch and AfterBytes bytes more (of the body
	// before compression). Zero in both means: right after the headers.
	Cut         Cut
	AfterFrames int
	AfterBytes  int

	// ChunkSize sends the body in chunks of so many bytes (DATA frames in
	// HTTP/2), each flushed; 0 leaves it as it is.
	ChunkSize int
	// ChunkDelay is waited after each of these chunks.
	ChunkDelay time.Duration
	// FramesPerChunk keeps frames of a watch back until so many can go out in
	// one write.
	FramesPerChunk int
	// Rewrite, if not nil, changes the body: each frame of a watch, or the
	// whole body of another answer, in the encoding that it has. It may change
	// its argument.
	Rewrite func([]byte) []byte
}

// Cut is how a body ends before its time.
type Cut uint8

const (
	// NoCut lets the body end as it should.
	NoCut Cut = iota
	// Truncate ends the body cleanly, as if it were complete.
	Truncate
	// Abort resets the HTTP/2 stream, or closes the HTTP/1.1 connection
	// without the last chunk.
	Abort
	// Reset resets the connection (RST). The client may lose bytes that it
	// has not read yet.
	Reset
	// Stall sends nothing more and keeps the stream open, until the client
	// gives up, the fault is removed or the server restarts.
	Stall
)

// AcceptFault is what happens to a connection before its first request.
type AcceptFault uint8

const (
	// AcceptNormally is no fault.
	AcceptNormally AcceptFault = iota
	// AcceptReset resets the connection. In the Memory modes the dial itself
	// is refused.
	AcceptReset
	// AcceptSilence never answers, not even the TLS handshake.
	AcceptSilence
)

// Answer is a complete HTTP answer.
type Answer struct {
	// Code is the status; 0 means 200.
	Code int
	// Header is added to the answer; Content-Type defaults to what net/http
	// makes of the body.
	Header http.Header
	// Body follows as it is.
	Body []byte
}

// StatusAnswer answers with a Status object in JSON, and Retry-After when it
// says so. See also the field Status of [Fault].
func StatusAnswer(e *StatusError) *Answer {
	h := http.Header{"Content-Type": {"application/json"}}
	if e.Details != nil && e.Details.RetryAfterSeconds > 0 {
		h.Set("Retry-After", strconv.Itoa(e.Details.RetryAfterSeconds))
	}
	return &Answer{Code: e.Code, Header: h, Body: append(e.JSON(), '\n')}
}

// HTMLAnswer is the page that a proxy puts in the server's place.
func HTMLAnswer(code int) *Answer {
	return &Answer{Code: code, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: []byte("<html>\n<head><title>" + http.StatusText(code) + "</title></head>\n<body><center><h1>" + http.StatusText(code) + "</h1></center></body>\n</html>\n")}
}

// RedirectAnswer sends the client elsewhere (HTTP 302).
func RedirectAnswer(url string) *Answer {
	return &Answer{Code: http.StatusFound, Header: http.Header{"Location": {url}}}
}

// JSONAnswer is HTTP 200 with any body, good or bad.
func JSONAnswer(body string) *Answer {
	return &Answer{Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
}

// ErrorFrame is a watch frame of type ERROR, in JSON.
func ErrorFrame(e *StatusError) []byte { return Frame("ERROR", e.JSON()) }

// Frame is a watch frame in JSON of any type around any object.
func Frame(eventType string, object []byte) []byte {
	return append(append([]byte(`{"type":"`+eventType+`","object":`), object...), '}', '\n')
}
