package decode

import "reflect"

// Known is what is known of an object before it is decoded.
type Known struct {
	Identity
	APIVersion, Kind string
	// Checked is the [Meta.Checked] of the object, if it came from a reader:
	// what T does not name is then crossed faster. The zero value is always
	// right.
	Checked Checked
}

// Checked is what a reader knows of the bytes of an object that it has lent:
// that their grammar is in order, and where the largest part is that hardly
// anybody wants. It is not believed of other bytes. The zero value knows
// nothing.
type Checked struct {
	first   *byte
	size    int
	largest span
}

func checked(object []byte, largest span) Checked {
	return Checked{first: &object[0], size: len(object), largest: largest}
}

// of reports whether it is about these bytes.
func (c Checked) of(object []byte) bool {
	return c.size > 0 && len(object) == c.size && &object[0] == c.first
}

// DecodeKnown is Decode for an object whose identity the caller keeps beside
// the T: strings of the object that equal one of the identity's are that
// string, and take no memory of their own. Where T names kind and apiVersion
// and the object does not say them, they are those of k.
func (p *Plan[T]) DecodeKnown(object []byte, k Known, into *T) error {
	var m *Meta
	if p.core.kind != nil || p.core.version != nil {
		m = &Meta{APIVersion: []byte(k.APIVersion), Kind: []byte(k.Kind)}
	}
	return p.core.decode(object, m, k, reflect.ValueOf(into).Elem())
}

// same returns the string of the identity that b is, if it is one.
func (id *Identity) same(b []byte) (string, bool) {
	for _, s := range [...]*string{&id.UID, &id.Name, &id.ResourceVersion, &id.Namespace} {
		if string(b) == *s {
			return *s, true
		}
	}
	return "", false
}
