package rawwatch

import "github.com/rawwatch/rawwatch/decode"

// Item is one state of one object, as a [Store] holds it: who it is, and what
// is kept of it. An Item never changes once a store has handed it out, and must
// not be changed by those who get it: every reader, index, and handler shares
// it. A later state of the object is another Item. It may be kept for as long
// as wanted, and refers to no buffer of the stream it came from.
type Item[T any] struct {
	decode.Identity
	// Value is what is kept of the object. When [Item.Err] is set it is that
	// of the last state that could be understood, and the zero T if there was
	// none.
	Value T

	more *itemMore
}

// itemMore is what few items have, and what many items have in common.
type itemMore struct {
	labels labelSet
	err    error
}

// Labels are the object's labels. They are empty unless the store keeps them;
// see [StoreOptions].
func (i *Item[T]) Labels() Labels {
	if i.more == nil {
		return Labels{}
	}
	return Labels{i.more.labels}
}

// Err says why the object's newest state, that of the Item's identity, could
// not be understood: a [*decode.ObjectError], a [*KeepError], or what the
// store's Keep or Transform returned. It is nil for almost every Item.
func (i *Item[T]) Err() error {
	if i.more == nil {
		return nil
	}
	return i.more.err
}
