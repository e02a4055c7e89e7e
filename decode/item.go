package decode

import "strings"

// Item is one object of a list. It is lent by ListReader.Next until the next
// call of Next or Close, and so are its bytes: copy what is to be kept.
type Item struct {
	// Object is the object in the body's encoding; borrowed. JSON has no
	// surrounding white space, and in items of typed lists says neither their
	// kind nor their apiVersion. Protobuf has both: its envelope is made here.
	Object []byte

	// Meta is the object's metadata; borrowed. Kind and APIVersion are those
	// of the list ("PodList" holds "Pod") where the item does not say them
	// and the list has said them before its items, as API servers do.
	Meta Meta

	// Err is an *ObjectError when this item is no object, or its metadata has
	// the wrong type. What Meta could be filled with is there. The list goes
	// on. It is owned.
	Err error
}

// fill makes an item of what has been crossed: all of b.
func (it *Item) fill(b []byte, base int64, m *marks) {
	it.Meta.reset()
	*it = Item{Object: b, Meta: it.Meta}
	if b[0] != '{' {
		it.Err = &ObjectError{Offset: base, Token: token(b[0]), Want: "an object"}
		return
	}
	it.Meta.checked = checked(b, m.meta.largest)
	if err := m.resolve(b, base, &it.Meta); err != nil {
		it.Err = err
	}
}

// listSuffix ends the kind of every list of the built-in kinds, and that of
// custom resources unless their definition says otherwise.
const listSuffix = "List"

// kindOfItems is the kind of a list's items as its own kind tells it, or "".
func kindOfItems(listKind string) string {
	kind, ok := strings.CutSuffix(listKind, listSuffix)
	if !ok {
		return ""
	}
	return kind
}
