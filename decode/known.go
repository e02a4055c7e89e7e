package decode

import "reflect"

// Known is what is known of an object before it is decoded.
type Known struct {
	Identity
	APIVersion, Kind string
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
	return p.core.decode(object, m, k.Identity, reflect.ValueOf(into).Elem())
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
