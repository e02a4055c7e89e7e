package rawwatch

import "github.com/rawwatch/rawwatch/decode"

// EventType says what an [Event] tells.
type EventType string

// The types of events. The first three and Bookmark are those of the
// Kubernetes watch API, in its own spelling.
const (
	// Added: an object that was not known before.
	Added EventType = "ADDED"
	// Modified: another state of an object that was known.
	Modified EventType = "MODIFIED"
	// Deleted: the object is gone, or it no longer matches the query; the API
	// does not tell these two apart.
	Deleted EventType = "DELETED"
	// Synced: everything that the server had when the list was taken has been
	// delivered. Comes once after each complete list.
	Synced EventType = "SYNCED"
	// Bookmark: nothing changed up to this resourceVersion.
	Bookmark EventType = "BOOKMARK"
)

// Cause says how an [Event] was learned.
type Cause string

const (
	// CauseList: from the first list.
	CauseList Cause = "list"
	// CauseStream: from the watch stream, as it happened.
	CauseStream Cause = "stream"
	// CauseRelist: by comparing a later list with what was known, after the
	// server's history no longer reached back to the last event. Changes in
	// between are merged into one; a deletion learned so carries a stub.
	CauseRelist Cause = "relist"
)

// Event is one change of one object, or a milestone of the stream.
type Event struct {
	Type  EventType
	Cause Cause
	// Object is the new state, or the last one for Deleted. It is the zero
	// Object for Synced and Bookmark. Object.Raw is borrowed; see [Object].
	Object Object
	// ResourceVersion is where the stream stands after this event: the point
	// that a new watch would begin from. It is "" where that is no such point:
	// in the midst of a list, and for the Deleted of an object that was
	// replaced or whose own DELETED frame went unseen.
	ResourceVersion string
	// Err is set when the object, but not the stream, could not be understood:
	// a [*decode.ObjectError]. Object then holds its raw bytes and as much of
	// its identity as was found. The stream goes on.
	Err error
}

// eventOf translates a frame. The server's word is taken as it is.
func eventOf(frame *decode.Event, kinds *kindCache) Event {
	object := kinds.object(frame.Object, &frame.Meta)
	e := Event{Type: EventType(frame.Type), Cause: CauseStream, ResourceVersion: object.ResourceVersion, Err: frame.Err}
	if frame.Type != decode.Bookmark {
		e.Object = object
	}
	return e
}
