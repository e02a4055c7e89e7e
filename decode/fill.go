package decode

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
)

// document fills v from a whole JSON document.
func (f *filler) document(n *node, b []byte, v reflect.Value) error {
	f.b, f.i, f.depth, f.max = b, 0, 0, DefaultDepth
	if _, err := f.space(); err != nil {
		return err
	}
	if err := f.value(n, v); err != nil {
		return err
	}
	return f.end()
}

// value fills v from the value at i. Whatever v holds is overwritten, so that
// the last of equal names counts.
func (f *filler) value(n *node, v reflect.Value) error {
	c := f.b[f.i]
	switch {
	case n.op == opStruct && c == '{':
		return f.object(n, v)
	case n.op == opMap && c == '{':
		return f.mapping(n, v)
	case (n.op == opList || n.op == opArray) && c == '[':
		return f.array(n, v)
	case n.op == opPointer && c != 'n':
		p := reflect.New(n.typ.Elem())
		v.Set(p)
		return f.value(n.elem, p.Elem())
	}
	lo := f.i
	if err := f.skip(); err != nil {
		return err
	}
	if !f.leaf(n, f.b[lo:f.i], v) {
		err := &ObjectError{Offset: int64(lo), Token: token(c), Want: n.want, Err: f.cause}
		f.cause = nil
		return err
	}
	return nil
}

func (f *filler) object(n *node, v reflect.Value) error {
	if err := f.enter(); err != nil {
		return err
	}
	v.SetZero()
	next := 0
	for first := true; ; first = false {
		key, ok, err := f.next(first)
		if err != nil || !ok {
			return err
		}
		m := n.find(f.name(key), &next)
		if m == nil {
			err = f.cross()
		} else if err = f.value(m.node, m.in(v)); err != nil {
			return within(m.name, err)
		}
		if err != nil {
			return err
		}
	}
}

func (f *filler) mapping(n *node, v reflect.Value) error {
	if err := f.enter(); err != nil {
		return err
	}
	into := newMapping(n, v)
	for first := true; ; first = false {
		key, ok, err := f.next(first)
		if err != nil || !ok {
			return err
		}
		name := f.text(n.leaf, f.inside(key.of(f.b)))
		elem := into.elem()
		if err := f.value(n.elem, elem); err != nil {
			return within(entryPath(name), err)
		}
		into.set(name)
	}
}

func (f *filler) array(n *node, v reflect.Value) error {
	if err := f.deeper(); err != nil {
		return err
	}
	v.SetZero()
	if n.op == opList {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
	}
	for k := 0; ; k++ {
		c, err := f.space()
		if err != nil {
			return err
		}
		if c == ']' {
			f.i++
			f.depth--
			return nil
		}
		if k > 0 {
			if c != ',' {
				return f.unexpected("',' or ']'")
			}
			f.i++
			if _, err = f.space(); err != nil {
				return err
			}
		}
		if n.op == opArray && k >= v.Len() {
			err = f.cross()
		} else {
			if n.op == opList {
				extend(v)
			}
			err = f.value(n.elem, v.Index(k))
		}
		if err != nil {
			return within(indexPath(k), err)
		}
	}
}

// extend makes the slice v longer by a zero.
func extend(v reflect.Value) {
	k := v.Len()
	v.Grow(1)
	v.SetLen(k + 1)
	v.Index(k).SetZero()
}

// leaf fills v from raw, one well-formed value. It reports whether raw fits.
func (f *filler) leaf(n *node, raw []byte, v reflect.Value) bool {
	switch n.op { // what wants to see a null itself
	case opMethod:
		f.cause = v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(raw)
		return f.cause == nil
	case opAny:
		return setAny(raw, v)
	}
	if raw[0] == 'n' {
		v.SetZero()
		return true
	}
	isText := raw[0] == '"'
	switch n.op {
	case opText:
		if isText {
			v.SetString(f.text(n.leaf, f.inside(raw[1:len(raw)-1])))
		}
		return isText
	case opTextMethod:
		if isText {
			f.cause = v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(f.inside(raw[1 : len(raw)-1]))
		}
		return isText && f.cause == nil
	case opBool:
		v.SetBool(raw[0] == 't')
		return raw[0] == 't' || raw[0] == 'f'
	case opInt:
		n, err := strconv.ParseInt(string(raw), 10, v.Type().Bits())
		v.SetInt(n)
		return err == nil
	case opUint:
		n, err := strconv.ParseUint(string(raw), 10, v.Type().Bits())
		v.SetUint(n)
		return err == nil
	case opFloat:
		if !v.CanFloat() {
			return f.setNumber(raw, v)
		}
		if token(raw[0]) != tokenNumber {
			return false
		}
		n, err := strconv.ParseFloat(string(raw), v.Type().Bits())
		v.SetFloat(n)
		return err == nil
	case opBytes:
		return f.setBytes(raw, v)
	case opQuantity, opTime, opMicroTime, opIntOrString:
		return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(raw) == nil
	}
	return false
}

// inside is the text of a string's inside, valid until the next call.
func (f *filler) inside(raw []byte) []byte {
	for _, c := range raw {
		if c == '\\' {
			f.plain = unescape(f.plain[:0], raw)
			return f.plain
		}
	}
	return raw
}
