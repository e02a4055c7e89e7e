package rawwatch

import (
	"bytes"
	"encoding/binary"
	"math"
)

// AppendBinary appends the object in a form that UnmarshalBinary reads. There
// is no error.
func (o RawObject) AppendBinary(dst []byte) ([]byte, error) {
	dst = appendText(appendText(dst, o.APIVersion), o.Kind)
	return append(dst, o.Raw...), nil
}

// UnmarshalBinary sets the object to what AppendBinary wrote. It keeps nothing
// of data.
func (o *RawObject) UnmarshalBinary(data []byte) error {
	r := textReader{rest: data}
	*o = RawObject{APIVersion: string(r.text()), Kind: string(r.text()), Raw: bytes.Clone(r.rest)}
	if r.broken {
		return errCodedItem
	}
	return nil
}

// AppendBinary appends the compressed object in a form that UnmarshalBinary
// reads. There is no error.
func (c CompressedObject) AppendBinary(dst []byte) ([]byte, error) {
	dst = appendText(appendText(dst, c.APIVersion), c.Kind)
	return append(binary.AppendUvarint(dst, uint64(c.size)), c.packed...), nil
}

// UnmarshalBinary sets the object to what AppendBinary wrote. It keeps nothing
// of data, and does not check the compressed bytes.
func (c *CompressedObject) UnmarshalBinary(data []byte) error {
	r := textReader{rest: data}
	*c = CompressedObject{APIVersion: string(r.text()), Kind: string(r.text())}
	size := r.number()
	c.size = int(size)
	if len(r.rest) > 0 {
		c.packed = bytes.Clone(r.rest)
	}
	if r.broken || size > math.MaxInt { // of 32 bits on small machines
		return errCodedItem
	}
	return nil
}
