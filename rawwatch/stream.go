package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

var (
	// errWatchOver: the stream outlived its timeoutSeconds and the client
	// ended it. It is as good as a clean end.
	errWatchOver = errors.New("the server did not end the watch at its timeoutSeconds")
	// errSilent: nothing came, not even a bookmark, where bookmarks were known
	// to come.
	errSilent = errors.New("no frame, and no bookmark, for too long")
)

// deadlineSlack is how much before its timeoutSeconds a stream's end still
// counts as that: the server began to count before its headers arrived.
const deadlineSlack = 2 * time.Second

// streamStart says where a watch stream begins.
type streamStart struct {
	version string        // resourceVersion; "" only together with initial
	initial bool          // ask for the initial events in the stream (KEP-3157)
	timeout time.Duration // timeoutSeconds
	silence time.Duration // how long the server may send nothing at all; 0 for ever
	form    form
}

// stream is one open watch.
type stream struct {
	client *Client
	query  *Query // shared with whoever opened it; it does not change
	x      *exchange
	frames *decode.EventReader
	start  streamStart
	opened time.Time
	body   patientReader // bounds silence, and the whole life
	// release frees the context that it was opened in; nil is nothing.
	release context.CancelFunc
	// pointless is set once it has sent a bookmark without a version.
	pointless bool

	heard bool       // a frame has come
	notes *hookNotes // nil when there are no hooks for it
}

// address is the request's path, and its parameters, ordered and encoded as by
// url.Values. Both are one text, written without such a map: it would be more than
// all else that a watch leaves behind when it begins.
func (s *streamStart) address(q *Query) (path, parameters string) {
	var room [256]byte
	b := q.appendPath(append(room[:0], '/'))
	end := len(b)
	b = append(b, "?allowWatchBookmarks=true"...)
	b = appendParameter(b, "&fieldSelector=", q.fieldSelector())
	b = appendParameter(b, "&labelSelector=", q.LabelSelector)
	b = appendParameter(b, "&resourceVersion=", s.version)
	if s.initial {
		b = append(b, "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"...)
	}
	b = append(b, "&timeoutSeconds="...)
	b = strconv.AppendInt(b, int64(s.timeout/time.Second), 10)
	text := string(append(b, "&watch=1"...))
	return text[:end], text[end+1:]
}

// appendParameter appends a parameter, unless it is empty.
func appendParameter(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return append(append(b, name...), url.QueryEscape(value)...)
}

// openStream sends the watch request and returns when the server has accepted
// it.
func (c *Client) openStream(ctx context.Context, q *Query, start streamStart) (*stream, error) {
	request := q.request("watch", 0)
	request.path, request.query = start.address(q)
	// Only the initial events are worth it: later ones are few, and servers
	// send them plain.
	request.gzip = start.initial
	x, err := c.openAs(ctx, request, start.form)
	if err != nil {
		return nil, err
	}
	x.settle()
	s := &stream{client: c, query: q, x: x, start: start, opened: time.Now()}
	life := start.timeout + c.options.WatchGrace
	if life < start.timeout { // it overflowed
		life = math.MaxInt64
	}
	s.body = patientReader{body: x, bound: &x.bound, end: s.opened.Add(life)}
	s.body.expect(start.silence, errSilent)
	s.frames = decode.NewEventReader(&s.body, c.decoding(x))
	s.opensToHooks()
	if !start.initial {
		x.live()
	}
	return s, nil
}

// await returns when the next bytes have come, or the stream has ended, if
// [stream.next] would wait for them. Nearly all its life a watch is here, and
// what its goroutine's stack costs depends on how deep this is: a stack that has
// once been larger shrinks to 4 KB only while less than a quarter of 8 KB is in
// use, 800 bytes of which the runtime counts for itself. So the functions from
// [Reflector.Events] to here are few, and their frames small.
func (s *stream) await() {
	if !s.frames.Drained() {
		return
	}
	s.asked()
	s.body.begins()
	s.x.await()
	s.body.ends()
}

// asked is called when the consumer has come for the next frame.
func (s *stream) asked() {
	if len(s.client.hooks.lag) > 0 {
		s.lagToHooks()
	}
}

// next returns the next frame, borrowed until the next call: an object's
// change or a bookmark. io.EOF is the stream's clean end, errWatchOver and
// errSilent are the client's; all else is a [*RequestError], an ERROR frame
// included.
func (s *stream) next() (*decode.Event, error) {
	s.asked()
	frame, err := s.take()
	if err != nil {
		s.ends(err)
		return nil, err
	}
	if len(s.client.hooks.frame) > 0 {
		s.frameToHooks(frame.Type)
	}
	if len(s.client.hooks.lag) > 0 {
		s.notes.given = time.Now()
	}
	return frame, nil
}

// take is next without the hooks.
func (s *stream) take() (*decode.Event, error) {
	frame, err := s.frames.Next()
	switch {
	case errors.Is(err, errWatchOver):
		return nil, errWatchOver
	case errors.Is(err, errSilent):
		return nil, errSilent
	case err != nil && errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		if s.x.encoding != decode.JSON && garbled(err) {
			s.client.refuse(s.query.Resource, err)
		}
		return nil, s.query.failed(s.client, "watch", err)
	}
	s.heard = true
	switch frame.Type {
	case decode.Added, decode.Modified, decode.Deleted, decode.Bookmark:
		if frame.Meta.InitialEventsEnd {
			s.x.live()
		}
		if rows := s.start.form.rows; rows != nil {
			if err := rows.frame(frame); err != nil {
				return nil, s.query.failed(s.client, "watch", err)
			}
		}
		return frame, nil
	case decode.Error:
		return nil, s.query.failed(s.client, "watch", errorFrame(frame))
	}
	return nil, s.query.failed(s.client, "watch", &FrameTypeError{Type: clip(string(frame.Type))})
}

// errorFrame is the Status that an ERROR frame carries, or what stands in its
// place.
func errorFrame(frame *decode.Event) error {
	if frame.Status != nil {
		return frame.Status
	}
	if frame.Err != nil {
		return frame.Err
	}
	return &FrameTypeError{Type: string(decode.Error)}
}

// atDeadline reports whether the stream has lived about as long as it was
// asked to.
func (s *stream) atDeadline() bool {
	return time.Since(s.opened) >= s.start.timeout-deadlineSlack
}

func (s *stream) close() {
	s.closesToHooks()
	s.x.close()
	s.frames.Close()
	if s.release != nil {
		s.release()
	}
}

// FrameTypeError is a watch frame of a type that the API does not define, or
// an ERROR frame without a Status.
type FrameTypeError struct {
	// Type as the server gave it, at most 40 bytes.
	Type string
}

// Error implements error.
func (e *FrameTypeError) Error() string {
	return fmt.Sprintf("watch frame of type %q that cannot be understood: is this a Kubernetes API server?", e.Type)
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40]
	}
	return s
}
