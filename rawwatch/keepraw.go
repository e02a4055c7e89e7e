package rawwatch

import "bytes"

// RawObject is a whole object, as [KeepRaw] keeps it.
type RawObject struct {
	// APIVersion and Kind of the object; its bytes may not say them.
	APIVersion, Kind string
	// Raw are the object's bytes as the server sent them. They must not be
	// written to.
	Raw []byte
}

// KeepRaw keeps the bytes of each object.
func KeepRaw() Keep[RawObject] {
	return func(o Object, into *RawObject) error {
		*into = RawObject{APIVersion: o.APIVersion, Kind: o.Kind, Raw: bytes.Clone(o.Raw)}
		return nil
	}
}
