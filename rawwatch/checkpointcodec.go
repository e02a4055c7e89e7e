package rawwatch

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/rawwatch/rawwatch/decode"
)

// CheckpointTypeError is a T that would not come back from a checkpoint as it
// was.
type CheckpointTypeError struct {
	Type reflect.Type
	// Problem says what is in the way.
	Problem string
}

// Error implements error.
func (e *CheckpointTypeError) Error() string {
	return "rawwatch: " + e.Type.String() + " cannot be saved in a checkpoint as JSON: " + e.Problem +
		"; give CheckpointOptions.Codec, or the type AppendBinary and UnmarshalBinary"
}

// StoredError is the [Item.Err] of an object whose newest state could not be
// understood when it was saved in a checkpoint.
type StoredError struct {
	// Text of the error that it was.
	Text string
}

// Error is the text.
func (e *StoredError) Error() string { return e.Text }

// itemCodec makes a checkpoint's bytes of an item and back: a byte of flags,
// then what they say is there, then the value.
type itemCodec[T any] struct {
	format string
	append func(dst []byte, value *T) ([]byte, error)
	decode func(data []byte, id decode.Identity, into *T) error
}

const (
	codedLabels = 1 << iota
	codedError
	codedKnownBits = 1<<iota - 1
)

var errCodedItem = errors.New("rawwatch: a checkpoint's object that makes no sense")

// codecFor chooses how values are saved. fields says that they come from
// [KeepFields], which reads what it has written.
func codecFor[T any](own *CheckpointCodec[T], fields bool) (itemCodec[T], error) {
	if own != nil {
		if own.Append == nil || own.Decode == nil || own.Format == "" {
			return itemCodec[T]{}, &OptionError{Option: "CheckpointOptions.Codec", Problem: "needs Format, Append and Decode"}
		}
		return itemCodec[T]{own.Format, own.Append, func(data []byte, _ decode.Identity, into *T) error { return own.Decode(data, into) }}, nil
	}
	_, appends := any((*T)(nil)).(encoding.BinaryAppender)
	_, decodes := any((*T)(nil)).(encoding.BinaryUnmarshaler)
	if appends && decodes {
		return binaryCodec[T](), nil
	}
	if t := reflect.TypeFor[T](); !fields {
		if problem := lostInJSON(t, 0); problem != "" {
			return itemCodec[T]{}, &CheckpointTypeError{Type: t, Problem: problem}
		}
	}
	return jsonCodec[T](fields)
}

func binaryCodec[T any]() itemCodec[T] {
	return itemCodec[T]{
		format: "binary",
		append: func(dst []byte, value *T) ([]byte, error) {
			return any(value).(encoding.BinaryAppender).AppendBinary(dst)
		},
		decode: func(data []byte, _ decode.Identity, into *T) error {
			return any(into).(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
		},
	}
}

func jsonCodec[T any](fields bool) (itemCodec[T], error) {
	c := itemCodec[T]{
		format: "json",
		append: func(dst []byte, value *T) ([]byte, error) {
			text, err := json.Marshal(value)
			return append(dst, text...), err
		},
		decode: func(data []byte, _ decode.Identity, into *T) error { return json.Unmarshal(data, into) },
	}
	if !fields {
		return c, nil
	}
	plan, err := decode.For[T]()
	c.decode = func(data []byte, id decode.Identity, into *T) error {
		return plan.DecodeKnown(data, decode.Known{Identity: id}, into)
	}
	return c, err
}

// lostInJSON says what of a type encoding/json does not bring back; "" is
// nothing.
func lostInJSON(t reflect.Type, depth int) string {
	own := reflect.PointerTo(t)
	if own.Implements(reflect.TypeFor[json.Unmarshaler]()) || own.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return ""
	}
	const deep = 64 // a type that holds itself
	if depth > deep {
		return ""
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return lostInJSON(t.Elem(), depth+1)
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return "it holds a " + t.Kind().String()
	case reflect.Struct:
		for f := range fieldsOf(t) {
			if !f.IsExported() && !f.Anonymous {
				return "its field " + f.Name + " is not exported"
			}
			if f.Tag.Get("json") == "-" {
				return "its field " + f.Name + " is left out"
			}
			if problem := lostInJSON(f.Type, depth+1); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// encode appends an item to dst.
func (c *itemCodec[T]) encode(dst []byte, item *Item[T]) ([]byte, error) {
	at := len(dst)
	dst = append(dst, 0)
	if labels := item.Labels().set; len(labels) > 0 {
		dst[at] |= codedLabels
		dst = binary.AppendUvarint(dst, uint64(len(labels)))
		for _, s := range labels {
			dst = appendText(dst, s)
		}
	}
	if err := item.Err(); err != nil {
		dst[at] |= codedError
		dst = appendText(dst, err.Error())
	}
	return c.append(dst, &item.Value)
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// read fills an item, whose identity is set. share makes equal sets of labels
// one.
func (c *itemCodec[T]) read(data []byte, item *Item[T], share func(labelSet) *itemMore) error {
	if len(data) == 0 {
		return c.decode(nil, item.Identity, &item.Value)
	}
	if data[0]&^codedKnownBits != 0 {
		return errCodedItem
	}
	r := textReader{rest: data[1:]}
	if data[0]&codedLabels != 0 {
		labels := make(labelSet, 0, min(r.number(), uint64(len(data))))
		for range cap(labels) {
			labels = append(labels, string(r.text()))
		}
		item.more = share(labels)
	}
	if data[0]&codedError != 0 {
		more := &itemMore{err: &StoredError{Text: string(r.text())}}
		if item.more != nil {
			more.labels = item.more.labels
		}
		item.more = more
	}
	if r.broken || len(item.Labels().set)%2 != 0 {
		return errCodedItem
	}
	return c.decode(r.rest, item.Identity, &item.Value)
}

// textReader reads what appendText wrote.
type textReader struct {
	rest   []byte
	broken bool
}

func (r *textReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.broken, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *textReader) text() []byte {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.broken, r.rest = true, nil
		return nil
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}
