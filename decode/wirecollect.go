package decode

import "reflect"

// repeated adds to the slice v.
func (f *filler) repeated(p *wireValue, w *wire, base int, v reflect.Value) error {
	if w.typ == wireBytes && p.elem.wireType() != wireBytes {
		return f.packed(p, w, base, v)
	}
	k := v.Len()
	extend(v)
	if err := f.wireValue(p.elem, w, base, v.Index(k)); err != nil {
		return within(indexPath(k), err)
	}
	return nil
}

// packed adds numbers that stand together in one field, as decoders must
// accept.
func (f *filler) packed(p *wireValue, w *wire, base int, v reflect.Value) error {
	for i := 0; i < len(w.data); {
		one := wire{typ: p.elem.wireType(), at: w.at + i}
		value, n := packedNumber(one.typ, w.data[i:])
		if n <= 0 {
			return malformed(base+w.at+i, "a number cut off")
		}
		one.value = value
		i += n
		if err := f.repeated(p, &one, base, v); err != nil {
			return err
		}
	}
	return nil
}

// entry adds one entry to the map v.
func (f *filler) entry(p *wireValue, w *wire, base int, v reflect.Value) error {
	key, value, err := openEntry(w, base, p.elem.wireType())
	if err != nil {
		return err
	}
	name := f.text(p.node.leaf, key)
	if p.node.strings && value.typ == wireBytes {
		if v.IsNil() {
			v.Set(reflect.MakeMap(p.node.typ))
		}
		(*v.Addr().Interface().(*map[string]string))[name] = f.text(p.node.elem.leaf, value.data)
		return nil
	}
	into := openMapping(p.node, v)
	if err := f.wireValue(p.elem, &value, base+w.at, into.elem()); err != nil {
		return within(entryPath(name), err)
	}
	into.set(name)
	return nil
}

// pick fills the member of the struct v that an entry is named after, if any.
func (f *filler) pick(p *wireValue, w *wire, base int, v reflect.Value) error {
	key, value, err := openEntry(w, base, wireVarint)
	if err != nil {
		return err
	}
	for _, wf := range p.picks {
		if wf.name != string(key) {
			continue
		}
		if value.absent {
			value.typ = wf.value.wireType()
		}
		return within(wf.name, f.wireValue(wf.value, &value, base+w.at, wf.member.in(v)))
	}
	return nil
}

// openEntry takes an entry of a map apart. A value that is not there is empty,
// of the wire type that is expected.
func openEntry(w *wire, base int, expected uint8) (key []byte, value wire, err error) {
	if w.typ != wireBytes {
		return nil, value, &ObjectError{Offset: int64(base + w.at), Token: wireToken(w.typ), Want: "a map's entry"}
	}
	value = wire{typ: expected, absent: true}
	e := wire{b: w.data}
	for e.next() {
		switch {
		case e.number == entryKey && e.typ == wireBytes:
			key = e.data
		case e.number == entryValue:
			value = e
		}
	}
	if e.bad != "" {
		return nil, value, malformed(base+w.at+e.i, e.bad)
	}
	return key, value, nil
}
