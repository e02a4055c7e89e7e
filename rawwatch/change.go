package rawwatch

// Change is what has become of one object, or a milestone of the stream, as the
// handlers of a typed stream get it: an [Event] whose object is kept in a
// [Store]. By the time a Change is delivered the store shows it.
type Change[T any] struct {
	// Type is Added, Modified, Deleted, Synced, or Bookmark.
	Type EventType
	// Cause says how it was learned.
	Cause Cause
	// Item is the new state; for Deleted it is the last one that is known,
	// which is not the final one where the deletion was learned from a list.
	// It is nil for Synced and Bookmark.
	Item *Item[T]
	// Old is the state that the store held before; set for Modified and for
	// Deleted.
	Old *Item[T]
	// ResourceVersion is where the stream stands after this change; "" where
	// that is no point to begin from. See [Event].
	ResourceVersion string
	// Sequence numbers what subscribers are told, from 1 and ever higher; see
	// [Subscription.Ack]. What comes from the store and not from the stream (the
	// objects that a late subscriber begins with, and resyncs) bears the number
	// of the last change before it. 0 where nobody subscribes: in
	// [Store.Apply].
	Sequence uint64
	// Err is Item.Err: the object, but not the stream, could not be understood.
	Err error
}
