package decode

import (
	"bytes"
	"sort"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// list writes a field that is repeated.
func (w *writer) list(f *schema.Field, lo, hi, base int) error {
	w.dst = append(w.dst, '[')
	for k := lo; k < hi; k++ {
		one := w.found[k].wire
		if one.typ == wireBytes && wireTypeOf(f.Kind) != wireBytes {
			if err := w.packed(f.Kind, &one, base); err != nil {
				return err
			}
		} else if err := w.element(f, &one, base); err != nil {
			return within(indexPath(k-lo), err)
		}
		w.dst = append(w.dst, ',')
	}
	w.dst[len(w.dst)-1] = ']'
	return nil
}

// packed writes numbers that stand together in one field.
func (w *writer) packed(kind schema.Kind, m *wire, base int) error {
	for i := 0; i < len(m.data); {
		value, n := packedNumber(wireTypeOf(kind), m.data[i:])
		if n <= 0 {
			return malformed(base+m.at+i, "a number cut off")
		}
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		i += n
		if err := w.scalar(kind, &wire{typ: wireTypeOf(kind), value: value}, base); err != nil {
			return err
		}
	}
	return nil
}

// element writes one value of a list or map.
func (w *writer) element(f *schema.Field, m *wire, base int) error {
	if f.Kind == schema.Message {
		if m.typ != wireBytes {
			return wrongType(m, base)
		}
		return w.message(f, m.data, base+m.at)
	}
	return w.scalar(f.Kind, m, base)
}

func wrongType(m *wire, base int) error {
	return &ObjectError{Offset: int64(base + m.at), Token: wireToken(m.typ), Want: "another wire type"}
}

// mapEntry is one entry of a map; value.b is not looked at.
type mapEntry struct {
	key   []byte
	value wire
	at    int // what value.at counts from
}

// byKey sorts the entries of a map.
type byKey []mapEntry

func (b *byKey) Len() int           { return len(*b) }
func (b *byKey) Less(i, j int) bool { return bytes.Compare((*b)[i].key, (*b)[j].key) < 0 }
func (b *byKey) Swap(i, j int)      { (*b)[i], (*b)[j] = (*b)[j], (*b)[i] }

// mapping writes a map, sorted by its keys. The last of equal keys counts.
func (w *writer) mapping(f *schema.Field, lo, hi, base int) error {
	from := len(w.entries)
	defer func() { w.entries = w.entries[:from] }()
	for k := lo; k < hi; k++ {
		m := w.found[k].wire
		key, value, err := openEntry(&m, base, wireTypeOf(f.Kind))
		if err != nil {
			return err
		}
		w.entries = append(w.entries, mapEntry{key, value, base + m.at})
	}
	w.byKey = w.entries[from:]
	sort.Stable(&w.byKey)
	w.dst = append(w.dst, '{')
	for k, to := from, len(w.entries); k < to; k++ {
		e := w.entries[k]
		if k+1 < to && bytes.Equal(e.key, w.entries[k+1].key) {
			continue
		}
		w.dst = append(appendString(w.dst, e.key), ':')
		if err := w.element(f, &e.value, e.at); err != nil {
			return within(entryPath(string(e.key)), err)
		}
		w.dst = append(w.dst, ',')
	}
	w.dst[len(w.dst)-1] = '}'
	return nil
}
