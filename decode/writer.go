package decode

import (
	"sort"
	"strings"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// occurrence is one field as it stands on the wire.
type occurrence struct {
	order int // of the field in JSON
	wire  wire
}

// inOrder sorts occurrences. Package sort, unlike slices, has one algorithm in
// the binary for all that is sorted.
type inOrder []occurrence

func (o *inOrder) Len() int           { return len(*o) }
func (o *inOrder) Less(i, j int) bool { return (*o)[i].order < (*o)[j].order }
func (o *inOrder) Swap(i, j int)      { (*o)[i], (*o)[j] = (*o)[j], (*o)[i] }

// members writes a message's fields as members of an object that is open;
// first says that it has none yet.
func (w *writer) members(typ *schema.Type, b []byte, base int, first bool) error {
	_, err := w.each(typ, b, base, first)
	return err
}

func (w *writer) each(typ *schema.Type, b []byte, base int, first bool) (stillFirst bool, err error) {
	if w.depth >= DefaultDepth {
		return first, &LimitError{What: whatNesting, Limit: DefaultDepth, Offset: int64(base)}
	}
	w.depth++
	from := len(w.found)
	defer func() { w.depth--; w.found = w.found[:from] }()
	if err := w.gather(typ, b, base); err != nil {
		return first, err
	}
	next := from
	for i := range typ.Fields {
		f := &typ.Fields[i]
		lo := next
		for next < len(w.found) && w.found[next].order == i {
			next++
		}
		if first, err = w.member(f, lo, next, base, first); err != nil {
			return first, within(f.Name, err)
		}
	}
	return first, nil
}

// gather collects the fields on the wire in the order of JSON.
func (w *writer) gather(typ *schema.Type, b []byte, base int) error {
	from := len(w.found)
	m := wire{b: b}
	for m.next() {
		order := typ.Index(m.number)
		if order < 0 {
			w.unknownField(m.number)
			continue
		}
		w.found = append(w.found, occurrence{order, m})
	}
	if m.bad != "" {
		return malformed(base+m.i, m.bad)
	}
	if w.inOrder = w.found[from:]; !sort.IsSorted(&w.inOrder) {
		sort.Stable(&w.inOrder)
	}
	return nil
}

// single writes the value of one field of a message; found is false where JSON
// leaves it out.
func (w *writer) single(typ *schema.Type, f *schema.Field, b []byte, base int) (found bool, err error) {
	m := wire{b: b}
	for m.next() {
		if m.number == f.Number {
			w.found = append(w.found, occurrence{wire: m})
		}
	}
	if m.bad != "" {
		return false, malformed(base+m.i, m.bad)
	}
	if f.OmitEmpty && w.isEmpty(f, 0, len(w.found)) {
		return false, nil
	}
	w.path = append(w.path, f.Name)
	return true, within(f.Name, w.value(f, 0, len(w.found), base))
}

// member writes the field that stands at found[lo:hi], if JSON has it.
func (w *writer) member(f *schema.Field, lo, hi, base int, first bool) (stillFirst bool, err error) {
	if f.Inline {
		if f.Shape == schema.Pointer && lo == hi {
			return first, nil
		}
		typ, _ := schema.Lookup(f.Ref)
		b, at, err := w.merged(lo, hi, base)
		if err != nil {
			return first, err
		}
		return w.each(typ, b, at, first)
	}
	if f.OmitEmpty && w.isEmpty(f, lo, hi) {
		return first, nil
	}
	if !first {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(appendString(w.dst, f.Name), ':')
	w.path = append(w.path, f.Name)
	err = w.value(f, lo, hi, base)
	w.path = w.path[:len(w.path)-1]
	return false, err
}

// isEmpty is what "omitempty" asks, or "omitzero" of a Time.
func (w *writer) isEmpty(f *schema.Field, lo, hi int) bool {
	if lo == hi {
		return true
	}
	if f.Shape != schema.Single {
		return false
	}
	last := &w.found[hi-1].wire
	if last.typ != wireTypeOf(f.Kind) {
		return false // but an error
	}
	switch f.Kind {
	case schema.Time, schema.MicroTime:
		return isZeroTime(last.data)
	case schema.Bool, schema.Int32, schema.Int64, schema.Double:
		return last.value == 0
	case schema.String, schema.Bytes, schema.Message: // a message that is a list in JSON
		return len(last.data) == 0
	}
	return false
}

// value writes a field's value of any shape.
func (w *writer) value(f *schema.Field, lo, hi, base int) error {
	switch {
	case f.Shape == schema.List && lo < hi:
		return w.list(f, lo, hi, base)
	case f.Shape == schema.Map && lo < hi:
		return w.mapping(f, lo, hi, base)
	case f.Shape != schema.Single && lo == hi, f.Kind == schema.Bytes && lo == hi:
		w.dst = append(w.dst, "null"...)
		return nil
	}
	if f.Kind == schema.Message {
		if typ, _ := schema.Lookup(f.Ref); lo == hi && typ.Form == schema.ItemsOnly {
			w.dst = append(w.dst, "null"...)
			return nil
		}
		b, at, err := w.merged(lo, hi, base)
		if err != nil {
			return err
		}
		return w.message(f, b, at)
	}
	if lo == hi {
		return w.scalar(f.Kind, &wire{typ: wireTypeOf(f.Kind)}, base)
	}
	one := w.found[hi-1].wire
	return w.scalar(f.Kind, &one, base)
}

// merged is the message of a field that is not repeated. Where it stands more
// than once, the later one adds to the earlier, as protobuf has it.
func (w *writer) merged(lo, hi, base int) (b []byte, at int, err error) {
	at = base
	for k := lo; k < hi; k++ {
		m := &w.found[k].wire
		if m.typ != wireBytes {
			return nil, 0, wrongType(m, base)
		}
		if k == lo {
			b, at = m.data, base+m.at
		} else {
			b = append(b[:len(b):len(b)], m.data...)
		}
	}
	return b, at, nil
}

func (w *writer) message(f *schema.Field, b []byte, base int) error {
	typ, _ := schema.Lookup(f.Ref)
	if typ.Form != schema.Members {
		return w.form(typ, b, base)
	}
	w.dst = append(w.dst, '{')
	if f.SelfNamed {
		dot := strings.LastIndexByte(typ.Name, '.')
		w.typeMeta(typ.Name[:dot], typ.Name[dot+1:])
	}
	if err := w.members(typ, b, base, !f.SelfNamed); err != nil {
		return err
	}
	w.dst = append(w.dst, '}')
	return nil
}

// typeMeta writes the first members of an object.
func (w *writer) typeMeta(apiVersion, kind string) {
	w.dst = appendString(append(w.dst, `"kind":`...), kind)
	w.dst = appendString(append(w.dst, `,"apiVersion":`...), apiVersion)
}

// form writes a message that is no object in JSON.
func (w *writer) form(typ *schema.Type, b []byte, base int) error {
	if w.depth >= DefaultDepth {
		return &LimitError{What: whatNesting, Limit: DefaultDepth, Offset: int64(base)}
	}
	w.depth++
	from := len(w.found)
	defer func() { w.depth--; w.found = w.found[:from] }()
	if err := w.gather(typ, b, base); err != nil {
		return err
	}
	first, all := &typ.Fields[0], len(w.found)
	if typ.Form == schema.ItemsOnly && from == all {
		w.dst = append(w.dst, "[]"...)
		return nil
	}
	if typ.Form == schema.ItemsOnly {
		return w.value(first, from, all, base)
	}
	split := from
	for split < all && w.found[split].order == 0 {
		split++
	}
	if split < all {
		return w.value(&typ.Fields[1], split, all, base)
	}
	return w.value(first, from, split, base)
}
