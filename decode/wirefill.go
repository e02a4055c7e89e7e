package decode

import (
	"math"
	"reflect"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// wireObject fills v, a T, from an object in protobuf.
func (p *plan) wireObject(f *filler, object []byte, v reflect.Value) error {
	e, bad := open(object)
	if bad != nil {
		return bad
	}
	wp, err := p.wire.known(p.base, e.apiVersion, e.kind)
	if err != nil {
		return err
	}
	f.depth, f.max = 0, DefaultDepth
	if p.base.op != opStruct {
		return f.wholeJSON(p.root, object, v)
	}
	for v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	for i := range p.base.members {
		m := &p.base.members[i]
		text := e.kind
		if m.name == nameAPIVersion {
			text = e.apiVersion
		} else if m.name != nameKind {
			continue
		}
		if m.node.op == opText {
			m.in(v).SetString(f.text(m.node.leaf, text))
		} else if err := f.fromJSON(m.node, appendString(f.json[:0], text), m.in(v), 0); err != nil {
			return within(m.name, err)
		}
	}
	err = f.message(wp, e.raw, e.at, v)
	if unknown, ok := err.(*UnknownError); ok {
		unknown.APIVersion, unknown.Kind = string(e.apiVersion), string(e.kind)
	}
	return err
}

// message fills the struct v from the message b, which begins at offset base.
func (f *filler) message(p *wirePlan, b []byte, base int, v reflect.Value) error {
	if f.depth >= f.max {
		return &LimitError{What: whatNesting, Limit: f.max, Offset: int64(base)}
	}
	f.depth++
	w := wire{b: b}
	for w.next() {
		if w.number >= len(p.fields) {
			continue
		}
		wf := p.fields[w.number]
		if wf == nil {
			continue
		}
		to := v
		if wf.member != nil {
			to = wf.member.in(v)
		}
		if err := f.wireValue(wf.value, &w, base, to); err != nil {
			if wf.member != nil {
				err = within(wf.name, err)
			}
			return err
		}
	}
	if w.bad != "" {
		return malformed(base+w.i, w.bad)
	}
	f.depth--
	return f.throughJSON(p, b, base, v)
}

// wireValue fills v from the field that w has just passed.
func (f *filler) wireValue(p *wireValue, w *wire, base int, v reflect.Value) error {
	switch p.op {
	case wirePointer:
		return f.pointer(p, w, base, v)
	case wireList:
		return f.repeated(p, w, base, v)
	case wireMap:
		return f.entry(p, w, base, v)
	case wirePick:
		return f.pick(p, w, base, v)
	}
	if want := p.wireType(); w.typ != want {
		return &ObjectError{Offset: int64(base + w.at), Token: wireToken(w.typ), Want: p.want()}
	}
	switch p.op {
	case wireMessage, wireInline:
		return f.message(p.plan, w.data, base+w.at, v)
	case wireText:
		v.SetString(f.text(p.node.leaf, w.data))
	case wireBool:
		v.SetBool(w.value != 0)
	case wireInt, wireUint:
		if !setInt(v, integer(p.kind, w.value)) {
			return &ObjectError{Offset: int64(base + w.at), Token: tokenNumber, Want: p.node.want}
		}
	case wireFloat:
		v.SetFloat(math.Float64frombits(w.value))
	case wireRaw:
		if p.omitEmpty && len(w.data) == 0 {
			v.SetZero()
		} else {
			v.SetBytes(append(make([]byte, 0, len(w.data)), w.data...))
		}
	default:
		return f.special(p, w, base, v)
	}
	return nil
}

// special fills v from one of the messages that have a JSON form of their own.
func (f *filler) special(p *wireValue, w *wire, base int, v reflect.Value) error {
	s, bad := parseForm(p.kind, w.data)
	if bad != "" {
		return malformed(base+w.at, bad)
	}
	switch p.op {
	case wireAmount:
		v.SetString(f.textOf(p.node, s.text))
	case wireTime:
		v.Addr().Interface().(*Time).Time = s.seconds()
	case wireMicro:
		v.Addr().Interface().(*MicroTime).Time = s.micros()
	case wireEither:
		*v.Addr().Interface().(*IntOrString) = s.either()
	}
	return nil
}

// textOf is text for nodes that need not be leaves with a count.
func (f *filler) textOf(n *node, b []byte) string {
	if n.op != opText {
		return string(b)
	}
	return f.text(n.leaf, b)
}

// wireType is the wire type of a single value.
func (p *wireValue) wireType() uint8 {
	for p.op == wirePointer {
		p = p.elem
	}
	switch p.op {
	case wireBool, wireInt, wireUint:
		return wireVarint
	case wireFloat:
		return wireFixed64
	}
	return wireBytes
}

func (p *wireValue) want() string {
	if p.node == nil {
		return "a message"
	}
	return p.node.want
}

// integer is what a varint means.
func integer(kind schema.Kind, value uint64) int64 {
	if kind == schema.Int32 {
		return int64(int32(value))
	}
	return int64(value)
}

func setInt(v reflect.Value, n int64) (fits bool) {
	if v.CanInt() {
		v.SetInt(n)
		return !v.OverflowInt(n)
	}
	v.SetUint(uint64(n))
	return n >= 0 && !v.OverflowUint(uint64(n))
}

// pointer fills what v points at, unless JSON would have nothing there.
func (f *filler) pointer(p *wireValue, w *wire, base int, v reflect.Value) error {
	if p.isNothing(w) {
		v.SetZero()
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.New(p.node.typ.Elem()))
	}
	return f.wireValue(p.elem, w, base, v.Elem())
}

// isNothing says that JSON has null for this value, or leaves it out.
func (p *wireValue) isNothing(w *wire) bool {
	switch {
	case w.typ != p.wireType(): // which is an error, but not here
		return false
	case p.kind == schema.Time, p.kind == schema.MicroTime:
		return isZeroTime(w.data)
	case !p.omitEmpty || p.kind == schema.Message:
		return false
	case w.typ == wireBytes:
		return len(w.data) == 0
	}
	return w.value == 0
}
