package decode

import "strings"

// InitialEventsEnd is the annotation, with the value "true", on the bookmark
// that ends the initial events of a stream (KEP-3157, WatchList).
const InitialEventsEnd = "k8s.io/initial-events-end"

// Meta is what of an object is looked at without decoding it. Its slices are
// borrowed: they point into the object's bytes, or into a small buffer beside
// them when a string had to be unescaped. They are valid as long as the
// object's bytes, and no longer than until the Meta is filled again. Absent
// and null members are empty.
//
// A Meta may be used again and again; copies share that small buffer, so only
// one of them may be filled again. It is not safe for concurrent use.
type Meta struct {
	// APIVersion and Kind are empty where the object does not say them, as
	// the items of typed lists do not.
	APIVersion, Kind []byte

	Namespace, Name, UID, ResourceVersion []byte

	// InitialEventsEnd says that this bookmark ends the initial events: the
	// annotation InitialEventsEnd is "true".
	InitialEventsEnd bool

	scratch []byte
	checked Checked
}

// Checked is what the reader of a body has found out about an object in JSON.
// It belongs to the object's bytes as they are, where they are.
func (m *Meta) Checked() Checked { return m.checked }

// Identity copies what identifies the object. It allocates once: one string
// that the four share.
func (m *Meta) Identity() Identity {
	a := len(m.Namespace)
	b := a + len(m.Name)
	c := b + len(m.UID)
	var all strings.Builder
	all.Grow(c + len(m.ResourceVersion))
	all.Write(m.Namespace)
	all.Write(m.Name)
	all.Write(m.UID)
	all.Write(m.ResourceVersion)
	s := all.String()
	return Identity{Namespace: s[:a], Name: s[a:b], UID: s[b:c], ResourceVersion: s[c:]}
}

// key copies namespace and name.
func (m *Meta) key() Key { return Key{Namespace: string(m.Namespace), Name: string(m.Name)} }

// ScanMeta finds the metadata of one object without decoding anything else. Of
// JSON the rest is checked for its grammar, of protobuf (see EncodingOf) not
// even looked at. White space may surround the
// object. m is overwritten whatever happens, and borrows from object.
//
// Where a name occurs twice in an object, the last one counts, for "metadata"
// as a whole too. A *SyntaxError means that object is not one JSON value, a
// *LimitError that it nests deeper than DefaultDepth; m is then empty. An
// *ObjectError means that it is no object, or that a member has the wrong
// type; the other fields of m are then filled as usual.
func ScanMeta(object []byte, m *Meta) error {
	m.reset()
	if EncodingOf(object) == Protobuf {
		if err := scanWireMeta(object, 0, m); err != nil {
			return err
		}
		return nil
	}
	s := scanner{b: object, max: DefaultDepth}
	var marks marks
	c, err := s.space()
	if err != nil {
		return err
	}
	at := s.i
	if err := s.object(&marks); err != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	if c != '{' {
		return &ObjectError{Offset: int64(at), Token: token(c), Want: "an object"}
	}
	if err := marks.resolve(s.b, 0, m); err != nil {
		return err
	}
	return nil
}

// maxScratch bounds what a Meta keeps for the next string to unescape.
const maxScratch = 1 << 10

func (m *Meta) reset() {
	scratch := m.scratch
	if cap(scratch) > maxScratch {
		scratch = nil
	}
	*m = Meta{scratch: scratch[:0]}
}
