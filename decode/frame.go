package decode

// frame is what matters of one watch frame, as places in the window.
type frame struct {
	typ, object span
	marks       marks // of the object
}

// frame crosses the frame at i, which is at '{'.
func (s *scanner) frame(f *frame) error {
	*f = frame{}
	if err := s.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		key, ok, err := s.next(first)
		if err != nil || !ok {
			return err
		}
		lo := s.i
		switch string(s.name(key)) {
		case "type":
			err = s.skip()
			f.typ = span{lo, s.i}
		case "object":
			err = s.object(&f.marks)
			f.object = span{lo, s.i}
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// event turns the frame, all of b, into ev. The error is that the frame is
// none.
func (f *frame) event(b []byte, base int64, ev *Event) error {
	ev.Meta.reset()
	*ev = Event{Meta: ev.Meta}
	if f.typ == (span{}) && f.object == (span{}) {
		return bareStatus(b, base, ev)
	}
	if f.typ == (span{}) || b[f.typ.lo] != '"' {
		return &SyntaxError{Offset: base + int64(f.typ.lo), Found: tokenOf(b, f.typ), Want: `a watch event's "type", a string`}
	}
	ev.Type = eventType(unescaped(b[f.typ.lo+1 : f.typ.hi-1]))
	if f.object != (span{}) {
		ev.Object = b[f.object.lo:f.object.hi:f.object.hi]
	}
	if ev.Type == Error {
		st, _ := statusOf(ev.Object)
		ev.Status = &StatusError{Status: st}
		return nil
	}
	if f.object == (span{}) || b[f.object.lo] != '{' {
		ev.Err = &ObjectError{Offset: base + int64(f.object.lo), Token: tokenOf(b, f.object), Want: "an object"}
		return nil
	}
	largest, at := f.marks.meta.largest, f.object.lo
	ev.Meta.checked = checked(ev.Object, span{largest.lo - at, largest.hi - at})
	if err := f.marks.resolve(b, base, &ev.Meta); err != nil {
		ev.Err = err
	}
	return nil
}

// bareStatus takes a Status that stands where a frame should: some proxies
// answer so, with HTTP 200. It is treated as the ERROR frame that it means.
func bareStatus(b []byte, base int64, ev *Event) error {
	st, ok := ParseStatus(b)
	if !ok {
		return &SyntaxError{Offset: base, Found: "an object without type and object", Want: "a watch event"}
	}
	ev.Type, ev.Object, ev.Status = Error, b, st
	return nil
}
