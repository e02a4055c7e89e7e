package decode

import (
	"encoding/binary"
	"io"
)

// Fields of metav1.WatchEvent, and of the runtime.RawExtension in it.
const (
	watchType   = 1
	watchObject = 2

	extensionRaw = 1
)

// frameHead is the length before each frame: four bytes, the highest first
// (API concepts, "Kubernetes Protobuf encoding"; a watch's Content-Type says
// "stream=watch").
const frameHead = 4

// nextWire is next for Protobuf.
func (e *EventReader) nextWire() error {
	y := &e.body
	if end, err := y.atEnd(); end || err != nil {
		return endOr(err)
	}
	if err := y.need(frameHead); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(y.b)
	if uint64(size) > uint64(e.limit) {
		if c := y.b[0]; !y.begun && c >= ' ' {
			return y.wrongStart("a watch event in protobuf")
		}
		if jsonFrame(y.b) {
			return &SyntaxError{Offset: y.base, Found: "JSON", Want: "a watch event in protobuf"}
		}
		return &LimitError{What: whatFrame, Limit: e.limit, Offset: y.base}
	}
	y.advance(frameHead)
	if err := y.need(int(size)); err != nil {
		return err
	}
	y.i = int(size)
	return wireEvent(y.take(), y.base, e.event)
}

// jsonFrame reports whether JSON stands where a frame's length should: as a length
// it is more than two gigabytes.
func jsonFrame(b []byte) bool {
	return b[0] == '{' && (b[1] == '"' || b[1] == '\n' || b[1] == ' ')
}

// wireEvent turns the frame b, which begins at offset base, into ev. The error
// is that the frame is none.
func wireEvent(b []byte, base int64, ev *Event) error {
	ev.Meta.reset()
	*ev = Event{Meta: ev.Meta}
	var typ []byte
	at := base
	w := wire{b: b}
	for w.next() {
		switch {
		case w.typ != wireBytes:
		case w.number == watchType:
			typ = w.data
		case w.number == watchObject:
			x := wire{b: w.data}
			for x.next() {
				if x.number == extensionRaw && x.typ == wireBytes {
					ev.Object, at = x.data, base+int64(w.at+x.at)
				}
			}
			if x.bad != "" {
				return &SyntaxError{Offset: base + int64(w.at+x.i), Found: x.bad, Want: "a watch event"}
			}
		}
	}
	switch {
	case w.bad != "":
		return &SyntaxError{Offset: base + int64(w.i), Found: w.bad, Want: "a watch event"}
	case typ == nil:
		return &SyntaxError{Offset: base, Found: "a frame without a type", Want: "a watch event"}
	}
	ev.Type = eventType(typ)
	switch {
	case ev.Type == Error:
		st, _ := statusOf(ev.Object)
		ev.Status = &StatusError{Status: st}
	case EncodingOf(ev.Object) != Protobuf:
		ev.Err = &ObjectError{Offset: at, Token: foreign(ev.Object), Want: "an object in protobuf"}
	default:
		if err := scanWireMeta(ev.Object, at, &ev.Meta); err != nil {
			ev.Err = err
		}
	}
	return nil
}

// foreign names what is no object in protobuf.
func foreign(object []byte) string {
	if object == nil {
		return "nothing"
	}
	return "something else"
}

// endOr is io.EOF where there is no other error.
func endOr(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}
