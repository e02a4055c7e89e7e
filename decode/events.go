package decode

import (
	"io"
	"sync"
)

// EventReader takes a watch's body apart into events, as it arrives. Frames
// are JSON values, or protobuf messages behind their length, wherever chunks
// and lines end. It is not safe for
// concurrent use, except that the underlying reader may be closed from
// elsewhere to end a Next that waits.
type EventReader struct {
	body   body
	event  *Event // lent; from events, nil while none is
	frames int64
	wire   bool // Options.Encoding is Protobuf
	limit  int  // of a frame
}

// NewEventReader reads a watch's body from r, which it does not close.
func NewEventReader(r io.Reader, o Options) *EventReader {
	o = o.withDefaults()
	e := &EventReader{wire: o.Encoding == Protobuf, limit: o.FrameLimit}
	e.body.init(r, o)
	return e
}

// Next waits for the next frame and lends it until the next call. Its errors:
//
//   - io.EOF: the body ended between frames, which is how a watch ends.
//   - *StreamError: the body ended inside a frame (io.ErrUnexpectedEOF), or
//     the underlying reader failed.
//   - *LimitError: a frame is larger or nests deeper than the options allow.
//   - *SyntaxError: the body is not JSON (or protobuf, if that is what the
//     options say), or not made of watch frames.
//   - ErrClosed after Close.
//
// An error is final: every later call returns it again. What concerns one
// object only is no error of Next but Event.Err.
func (e *EventReader) Next() (*Event, error) {
	if e.event == nil {
		e.event = events.Get().(*Event)
	}
	if err := e.body.begin(&e.event.Meta); err != nil {
		return nil, err
	}
	if err := e.next(); err != nil {
		return nil, e.body.fail(err)
	}
	e.frames++
	return e.event, nil
}

func (e *EventReader) next() error {
	if e.wire {
		return e.nextWire()
	}
	return e.nextJSON()
}

// nextJSON is next for JSON.
func (e *EventReader) nextJSON() error {
	c, err := e.body.between()
	if err != nil {
		return err
	}
	if c != '{' {
		return e.body.wrongStart("a watch event")
	}
	var f frame
	if err := e.body.frame(&f); err != nil {
		return err
	}
	return f.event(e.body.take(), e.body.base, e.event)
}

// Drained reports that all that was read has been used up: the next thing that
// Next does is to read from the underlying reader. It ends the loan of the last
// event, and no buffer is held while it is true. A caller that has to wait long
// may wait for the reader's next byte by itself, where its stack is not deep,
// and leave that byte to be read by Next. It is false once Next has failed.
func (e *EventReader) Drained() bool {
	if e.event == nil {
		return e.body.err == nil && e.body.drained(!e.wire)
	}
	if e.body.begin(&e.event.Meta) != nil || !e.body.drained(!e.wire) {
		return false
	}
	e.giveBack()
	return true
}

// events are kept for the readers that have none in hand: most watches are idle.
var events = sync.Pool{New: func() any { return new(Event) }}

// giveBack ends the loan of the event itself. What an event has allocated to
// unescape its metadata goes with it, as it may be of another's object.
func (e *EventReader) giveBack() {
	if e.event != nil {
		*e.event = Event{}
		events.Put(e.event)
		e.event = nil
	}
}

// Frames is how many frames Next has returned.
func (e *EventReader) Frames() int64 { return e.frames }

// Offset is how many bytes of the body have been used up: the end of the last
// frame that Next returned.
func (e *EventReader) Offset() int64 { return e.body.offset() }

// Close gives the buffers back, which ends the loan of the last event. It does
// not close the underlying reader, and may be called more than once. Next
// then returns ErrClosed.
func (e *EventReader) Close() {
	var lent *Meta
	if e.event != nil {
		lent = &e.event.Meta
	}
	e.body.close(lent) // which looks at it if something is lent
	e.giveBack()
}
