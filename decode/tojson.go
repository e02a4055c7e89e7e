package decode

import (
	"reflect"
	"strconv"
	"sync"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// ToJSON appends an object as JSON: what is JSON already as it is, what is
// protobuf as the API server itself would write it, byte for byte, kind and
// apiVersion included.
//
// An *UnknownError means that the object's kind is not built in, or that the
// object has fields that the table does not know, being newer: Paths names
// them by number, and what was appended lacks them. An *ObjectError or
// *LimitError means that the protobuf is malformed; dst is then returned as it
// was.
func ToJSON(dst, object []byte) ([]byte, error) {
	if EncodingOf(object) == JSON {
		return append(dst, object...), nil
	}
	w := writers.Get().(*writer)
	defer func() {
		w.rest()
		writers.Put(w)
	}()
	return w.object(dst, object)
}

var writers = sync.Pool{New: func() any { return &writer{} }}

// writer turns protobuf into JSON through the table. It knows nothing of any
// T.
type writer struct {
	dst     []byte
	found   []occurrence
	entries []mapEntry
	path    []string // of what is being written
	unknown []string // paths of fields that the table does not know
	depth   int

	inOrder inOrder // what is being sorted, of found
	byKey   byKey   // the same of entries
}

// maxFound bounds the fields and entries that a writer keeps room for.
const maxFound = 256

// rest drops what must not be kept while the writer is idle: what it has
// points into the object.
func (w *writer) rest() {
	w.dst, w.unknown, w.depth, w.path = nil, nil, 0, w.path[:0]
	w.found, w.entries = emptied(w.found), emptied(w.entries)
}

func emptied[E any](s []E) []E {
	if cap(s) > maxFound {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

func (w *writer) object(dst, object []byte) ([]byte, error) {
	e, bad := open(object)
	if bad != nil {
		return dst, bad
	}
	kind, apiVersion := string(e.kind), string(e.apiVersion)
	typ, ok := schema.Object(apiVersion, kind)
	if !ok {
		return dst, &UnknownError{APIVersion: apiVersion, Kind: kind}
	}
	w.dst = append(dst, '{')
	w.typeMeta(apiVersion, kind)
	if err := w.members(typ, e.raw, e.at, false); err != nil {
		return dst, err
	}
	w.dst = append(w.dst, '}')
	return w.dst, w.complete(apiVersion, kind)
}

// complete is nil when every field that was met is known.
func (w *writer) complete(apiVersion, kind string) error {
	if w.unknown == nil {
		return nil
	}
	return &UnknownError{APIVersion: apiVersion, Kind: kind, Paths: w.unknown}
}

// wholeJSON fills v, which is no struct, from a whole object.
func (f *filler) wholeJSON(n *node, object []byte, v reflect.Value) (err error) {
	f.writer.rest()
	if f.json, err = f.writer.object(f.json[:0], object); err != nil {
		return err
	}
	return f.fromJSON(n, f.json, v, 0)
}

// throughJSON fills those members of the struct v, a message's, that only JSON
// can fill.
func (f *filler) throughJSON(p *wirePlan, b []byte, base int, v reflect.Value) error {
	for _, wf := range p.json {
		f.writer.rest()
		f.writer.dst = f.json[:0]
		found, err := f.writer.single(p.typ, wf.field, b, base)
		f.json = f.writer.dst
		if err == nil && f.writer.unknown != nil {
			err = f.writer.complete("", "")
		}
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := f.fromJSON(wf.value.node, f.json, wf.member.in(v), base); err != nil {
			return within(wf.name, err)
		}
	}
	return nil
}

// fromJSON fills v from b, which stands for what is at this offset.
func (f *filler) fromJSON(n *node, b []byte, v reflect.Value, at int) error {
	depth := f.depth
	err := f.document(n, b, v)
	f.depth = depth
	if e, ok := err.(*ObjectError); ok {
		e.Offset = int64(at)
	}
	return err
}

// unknownField notes a field that the table does not know.
func (w *writer) unknownField(number int) {
	path := ""
	for _, p := range w.path {
		path = joinPath(path, p)
	}
	if path != "" {
		path += "."
	}
	w.unknown = append(w.unknown, path+"#"+strconv.Itoa(number))
}
