package rawwatch

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// CompressedObject is a whole object, compressed, as [KeepCompressed] keeps it.
type CompressedObject struct {
	// APIVersion and Kind of the object; its bytes may not say them.
	APIVersion, Kind string

	packed []byte
	size   int
}

// KeepCompressed keeps the bytes of each object, compressed with DEFLATE (RFC
// 1951) at a level of [compress/flate]. The Keep is for one store.
func KeepCompressed(level int) (Keep[CompressedObject], error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, level)
	if err != nil {
		return nil, fmt.Errorf("rawwatch: KeepCompressed: %w", err)
	}
	return func(o Object, into *CompressedObject) error {
		packed.Reset()
		w.Reset(&packed)
		if _, err := w.Write(o.Raw); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		*into = CompressedObject{APIVersion: o.APIVersion, Kind: o.Kind, packed: bytes.Clone(packed.Bytes()), size: len(o.Raw)}
		return nil
	}, nil
}

// Size is the length of the object's bytes; Packed how many are kept for them.
func (c CompressedObject) Size() (size, packed int) { return c.size, len(c.packed) }

// AppendRaw appends the object's bytes, as the server sent them, to dst. The
// error is one of package flate: the memory is not what it was.
func (c CompressedObject) AppendRaw(dst []byte) ([]byte, error) {
	if c.packed == nil {
		return dst, nil
	}
	r := flate.NewReader(bytes.NewReader(c.packed))
	buffer := bytes.NewBuffer(dst)
	buffer.Grow(c.size)
	_, err := io.Copy(buffer, r)
	return buffer.Bytes(), err
}
