package rawwatch

import (
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// seen compares an object that a list or a frame holds with what the consumer
// knows, and delivers the difference. The type is decided by what is known, not
// by what the server calls it: a MODIFIED of an unknown object is Added.
func (r *reflection) seen(frame decode.EventType, raw []byte, meta *decode.Meta, problem error, cause Cause) error {
	if len(meta.Name) == 0 {
		return &UnnamedObjectError{Err: problem}
	}
	if frame == decode.Deleted {
		return r.seenDeleted(raw, meta, problem, cause)
	}
	change, old := r.index.Observe(meta)
	switch change {
	case resume.Unchanged:
		r.kept++
		return nil
	case resume.Stale:
		r.kept++
		if !r.overlaps {
			r.staleSeen++
			r.board.stale()
		}
		return nil
	case resume.Replaced:
		if err := r.deliverGone(old, cause); err != nil {
			return err
		}
		return r.deliverObject(Added, raw, meta, problem, cause)
	case resume.Modified:
		r.kept++
		return r.deliverObject(Modified, raw, meta, problem, cause)
	default:
		return r.deliverObject(Added, raw, meta, problem, cause)
	}
}

// seenDeleted delivers a deletion that a frame tells. If the frame's object is
// not the one that was known by its key, the known one went unseen, and the
// other was never seen.
func (r *reflection) seenDeleted(raw []byte, meta *decode.Meta, problem error, cause Cause) error {
	old, known := r.index.Remove(meta)
	if !known {
		return nil
	}
	if old.UID != string(meta.UID) {
		return r.deliverGone(old, cause)
	}
	return r.deliverObject(Deleted, raw, meta, problem, cause)
}

func (r *reflection) deliverObject(t EventType, raw []byte, meta *decode.Meta, problem error, cause Cause) error {
	object := r.kinds.object(raw, meta)
	if r.kinds.partial != r.partial {
		r.partial = r.kinds.partial
		r.board.partial(r.partial)
	}
	e := Event{Type: t, Cause: cause, Object: object, Err: problem}
	if cause == CauseStream {
		e.ResourceVersion = object.ResourceVersion
	}
	return r.deliver(e)
}

// deliverGone delivers the deletion of an object of which only the identity is
// left.
func (r *reflection) deliverGone(gone decode.Identity, cause Cause) error {
	return r.deliver(Event{Type: Deleted, Cause: cause, Object: Object{Identity: gone, APIVersion: r.kinds.apiVersion, Kind: r.kinds.kind}})
}

func (r *reflection) deliver(e Event) error {
	r.delivers(&e)
	if !r.yield(e, nil) {
		return errConsumerDone
	}
	return nil
}
