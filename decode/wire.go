package decode

import "encoding/binary"

// Wire types of protobuf (protocol buffers, "Encoding"). Groups, 3 and 4, are
// not used by Kubernetes.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// wire walks the fields of one protobuf message in memory.
type wire struct {
	b []byte
	i int // the next field

	// The field that next has passed.
	number int
	typ    uint8
	value  uint64 // of a varint or fixed one; otherwise not to be looked at
	data   []byte // of bytes; otherwise nil
	at     int    // where in b the value begins, behind a length

	bad    string // what is wrong, and no field
	absent bool   // this is no field, but stands for one
}

// maxFieldNumber is the largest that protobuf allows.
const maxFieldNumber = 1<<29 - 1

// next passes one field. ok is false at the end, or when bad says something.
func (w *wire) next() (ok bool) {
	if w.i >= len(w.b) {
		return false
	}
	tag, n := uvarint(w.b[w.i:])
	if n <= 0 || tag>>3 == 0 || tag>>3 > maxFieldNumber {
		return w.fail("no field's tag")
	}
	at := w.i + n
	w.number, w.typ = int(tag>>3), uint8(tag&7)
	switch w.typ {
	case wireBytes:
		size, n := uvarint(w.b[at:])
		at += n
		if n <= 0 || size > uint64(len(w.b)-at) {
			return w.fail("a length beyond the end")
		}
		w.at, w.i = at, at+int(size)
		w.data = w.b[at:w.i:w.i]
	case wireVarint:
		value, n := uvarint(w.b[at:])
		if n <= 0 {
			return w.fail("a varint without an end")
		}
		w.value, w.data, w.at, w.i = value, nil, at, at+n
	case wireFixed64:
		if len(w.b)-at < 8 {
			return w.fail("a number cut off")
		}
		w.value, w.data, w.at, w.i = binary.LittleEndian.Uint64(w.b[at:]), nil, at, at+8
	case wireFixed32:
		if len(w.b)-at < 4 {
			return w.fail("a number cut off")
		}
		w.value, w.data, w.at, w.i = uint64(binary.LittleEndian.Uint32(w.b[at:])), nil, at, at+4
	default:
		return w.fail("an unknown wire type")
	}
	return true
}

func (w *wire) fail(what string) bool {
	w.bad = what
	return false
}

// uvarint decodes a varint; n is 0 when b ends too early and negative when it
// does not fit 64 bits. Tags and lengths mostly have one byte or two.
func uvarint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	}
	return binary.Uvarint(b)
}

// wireToken names what a wire type holds.
func wireToken(typ uint8) string {
	switch typ {
	case wireVarint:
		return "a varint"
	case wireBytes:
		return "bytes with a length"
	default:
		return "a number of fixed size"
	}
}
