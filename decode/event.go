package decode

// EventType says what a watch frame reports.
type EventType string

// The types of watch frames (API concepts, "Efficient detection of changes";
// bookmarks: KEP-956). A reader passes on any other type as it is.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"  // deleted, or no longer selected: the two look the same
	Bookmark EventType = "BOOKMARK" // no change: Meta.ResourceVersion is the new resume point
	Error    EventType = "ERROR"    // the end of the watch: see Event.Status
)

// Event is one frame of a watch. It is lent by EventReader.Next until the next
// call of Next or Close, and so are its bytes: copy what is to be kept.
type Event struct {
	Type EventType

	// Object is the object in the body's encoding: its JSON, without
	// surrounding white space, or its protobuf; borrowed. Nil when the frame
	// has no object.
	Object []byte

	// Meta is the object's metadata; borrowed. Empty for Error frames.
	Meta Meta

	// Status is what an Error frame reports, as far as it can be understood;
	// never nil for such frames, nil for all others. It is owned.
	Status *StatusError

	// Err is an *ObjectError when the frame is good and its object is not: no
	// object, or metadata of the wrong type. What Meta could be filled with is
	// there. The stream goes on. It is owned.
	Err error
}

// eventType avoids allocating for the five known types.
func eventType(text []byte) EventType {
	switch string(text) {
	case string(Added):
		return Added
	case string(Modified):
		return Modified
	case string(Deleted):
		return Deleted
	case string(Bookmark):
		return Bookmark
	case string(Error):
		return Error
	}
	return EventType(text)
}
