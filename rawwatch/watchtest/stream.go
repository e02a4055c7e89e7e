package watchtest

import (
	"errors"
	"time"

	"github.com/rawwatch/rawwatch/internal/encode"
)

// stream is the sending side of a watch.
type stream struct {
	call       *call
	watch      *watch
	collection *collection
	next       uint64 // sequence number of the next change to look at

	rows        included // of a watch of Tables
	columnsSent bool
}

// start sends the headers. Initial events are compressed when the client
// accepts it, each flush a gzip member of its own; resumed watches never are
// (both seen on v1.37).
func (s *stream) start(streamed bool) {
	c := s.call
	c.label(s.watch.form.encoding, true)
	c.header.Set("Cache-Control", "no-cache, private")
	if streamed && c.server.options.GzipThreshold > 0 && c.acceptsGzip() {
		c.compressed()
		c.body.members = true
	}
	c.body.begin(0)
}

// preamble brings the headers to the client.
func (s *stream) preamble() error {
	if err := s.call.body.flush(); err != nil {
		return err
	}
	s.call.body.push()
	return s.call.body.check()
}

var (
	addedHead    = []byte(`{"type":"ADDED","object":`)
	modifiedHead = []byte(`{"type":"MODIFIED","object":`)
	deletedHead  = []byte(`{"type":"DELETED","object":`)
	frameTail    = []byte("}\n")
)

// event sends an object; its bytes are shared by all watches.
func (s *stream) event(eventType string, o *object) error {
	if s.call.lies(NoMetadata) {
		o = o.anonymous()
	}
	switch {
	case s.watch.form.view == tabular:
		return s.call.body.frame(s.tableFrame(eventType, o.revision, o.body, o.metadataOnly(s.watch.form.meta), s.rows))
	case s.watch.form.encoding == inProtobuf:
		return s.protobufEvent(eventType, o)
	}
	head := addedHead
	switch eventType {
	case "MODIFIED":
		head = modifiedHead
	case "DELETED":
		head = deletedHead
	}
	return s.call.body.frame(head, o.text(s.watch.form), frameTail)
}

// protobufEvent sends an object in protobuf; one that has no such form is
// reported in its place.
func (s *stream) protobufEvent(eventType string, o *object) error {
	object, err := o.wrapped(s.watch.form)
	var refusal *StatusError
	if errors.As(err, &refusal) {
		return s.send(ErrorFrame(refusal))
	}
	return s.call.body.frame(encode.Frame(nil, eventType, object))
}

// send sends a frame in JSON, in the encoding of the watch. What is no
// well-formed frame goes out as it is.
func (s *stream) send(frame []byte) error {
	if s.watch.form.encoding == inProtobuf {
		frame = transcoded(frame, s.collection.resource)
	}
	return s.call.body.frame(frame)
}

// last sends a frame after which the stream ends.
func (s *stream) last(frame []byte) error {
	if err := s.send(frame); err != nil {
		return err
	}
	return s.call.body.flush()
}

// initial sends the state as ADDED frames, and the mark of its end.
func (s *stream) initial(b start) error {
	for i, o := range b.objects {
		if err := s.event("ADDED", o); err != nil {
			return err
		}
		if i%watchBatch == watchBatch-1 {
			if err := s.call.body.flush(); err != nil {
				return err
			}
		}
	}
	if b.marked {
		if err := s.bookmark(b.at, true); err != nil {
			return err
		}
	}
	return s.call.body.flush()
}

// run sends what happens until the stream has lived long enough, or ends
// otherwise.
func (s *stream) run(lifetime time.Duration) error {
	deadline := time.Now().Add(lifetime)
	end := time.NewTimer(lifetime)
	defer end.Stop()
	marks := newMarks(s, deadline)
	defer marks.stop()
	for {
		more, err := s.step()
		if err != nil || !more {
			return err
		}
		select {
		case <-s.watch.wake:
		case <-marks.due():
			if err := s.progress(); err != nil {
				return err
			}
			marks.next()
		case <-end.C:
			return s.call.body.flush()
		case <-s.call.request.Context().Done():
			return errGone
		case <-s.call.era.over:
			return errGone
		}
	}
}

// step sends what there is to send; false when the stream is to end.
func (s *stream) step() (bool, error) {
	for !s.gone() {
		frozen, before := s.orders()
		if before == 0 || frozen && before > 0 {
			if err := s.obey(); err != nil {
				return false, err
			}
			continue
		}
		if frozen {
			return true, nil
		}
		if before < 0 {
			before = watchBatch
		}
		changes, ok := s.changes(min(before, watchBatch))
		if !ok {
			// It fell too far behind: the API server just ends such a stream.
			return false, nil
		}
		if len(changes) == 0 {
			return true, nil
		}
		if err := s.sendAll(changes); err != nil {
			return false, err
		}
	}
	return false, errGone
}

// sendAll sends changes in one go.
func (s *stream) sendAll(changes []*change) error {
	sent := false
	for _, ch := range changes {
		if eventType, o := s.watch.pick(ch); o != nil {
			sent = true
			if err := s.event(eventType, o); err != nil {
				return err
			}
			if eventType == "MODIFIED" && s.call.lies(OldVersions) {
				if err := s.event(eventType, ch.prev); err != nil {
					return err
				}
			}
		}
	}
	s.next += uint64(len(changes))
	if !sent {
		return nil
	}
	return s.call.body.flush()
}

// gone tells whether there is nobody left to send to.
func (s *stream) gone() bool {
	select {
	case <-s.call.request.Context().Done():
	case <-s.call.era.over:
	default:
		return false
	}
	return true
}

func (s *stream) changes(limit int) ([]*change, bool) {
	st := s.call.server.store
	st.mu.RLock()
	defer st.mu.RUnlock()
	return s.collection.window.read(s.next, limit)
}
