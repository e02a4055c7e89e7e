package decode

import (
	"bytes"
	"encoding/base64"
	"math"
	"reflect"
)

// The single values that the walker has found and that have no simple form.
// They are decoded here as encoding/json would decode them, without its decoder:
// that decides everything at run time, for every type there can be, and would be
// a fortieth of a small agent.

// setBytes fills v, a slice of bytes, with what raw is: text in base64, or an
// array of small numbers.
func (f *filler) setBytes(raw []byte, v reflect.Value) bool {
	switch raw[0] {
	case '"':
		text := f.inside(raw[1 : len(raw)-1])
		b := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, err := base64.StdEncoding.Decode(b, text)
		v.SetBytes(b[:n])
		return err == nil
	case '[':
		if bytes.IndexByte(raw, '-') >= 0 { // -0 too, which is a number like 0 below
			return false
		}
		x, ok := anyOf(raw)
		list, _ := x.([]any)
		b := make([]byte, len(list))
		for i, x := range list {
			n, isNumber := x.(int64)
			if !isNumber && x != nil || n > math.MaxUint8 {
				return false
			}
			b[i] = byte(n)
		}
		v.SetBytes(b)
		return ok
	}
	return false
}

// setNumber fills v, a json.Number, with what raw is: a number, or text that is
// one.
func (f *filler) setNumber(raw []byte, v reflect.Value) bool {
	if raw[0] == '"' {
		raw = f.inside(raw[1 : len(raw)-1])
	}
	s := scanner{b: raw}
	if len(raw) == 0 || token(raw[0]) != tokenNumber || s.scalar(raw[0]) != nil || s.i < len(raw) {
		return false
	}
	v.SetString(string(raw))
	return true
}
