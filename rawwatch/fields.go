package rawwatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// Fields are the members of a whole object, or of one inside it, as
// encoding/json decodes them, but for numbers: these are [json.Number]s, so
// that none is rounded. All members are there, also those that this program
// knows nothing of; what is not touched is sent back as it came.
type Fields map[string]any

// FieldError is a path in an object that leads through something other than an
// object. It names no value.
type FieldError struct {
	// Path in the object, such as "spec.replicas".
	Path string
	// Problem completes the sentence "Path …".
	Problem string
}

// Error implements error.
func (e *FieldError) Error() string { return "rawwatch: " + e.Path + " " + e.Problem }

// Value is what stands at the path; false when nothing does. Lists are []any.
func (f Fields) Value(path ...string) (any, bool) {
	inner, name, err := f.find(path, false)
	if err != nil || inner == nil {
		return nil, false
	}
	v, ok := inner[name]
	return v, ok
}

// Set puts the value, of any type that encoding/json can encode, at the path,
// and makes the objects on the way there. Names are taken as they are: a label
// with dots and slashes is one name. It fails with a [*FieldError] where
// something other than an object is in the way.
func (f Fields) Set(value any, path ...string) error {
	inner, name, err := f.find(path, true)
	if err != nil {
		return err
	}
	inner[name] = value
	return nil
}

// Remove takes out what stands at the path, if anything does.
func (f Fields) Remove(path ...string) error {
	inner, name, err := f.find(path, false)
	if err == nil && inner != nil {
		delete(inner, name)
	}
	return err
}

// find is the object that the last name of the path belongs to; nil where it
// does not exist and is not to be made.
func (f Fields) find(path []string, make bool) (map[string]any, string, error) {
	if len(path) == 0 {
		return nil, "", &FieldError{Path: "the path", Problem: "is empty"}
	}
	last := len(path) - 1
	at := map[string]any(f)
	for i, name := range path[:last] {
		switch inner := at[name].(type) {
		case map[string]any:
			at = inner
		case Fields:
			at = inner
		case nil:
			if !make {
				return nil, "", nil
			}
			next := map[string]any{}
			at[name] = next
			at = next
		default:
			return nil, "", &FieldError{Path: strings.Join(path[:i+1], "."), Problem: "is not an object"}
		}
	}
	return at, path[last], nil
}

// asJSON is what to do with an object in protobuf. To translate it here would
// link the table of all built-in kinds into every program that writes.
const asJSON = "Get the object, which comes as JSON, or translate it with Object.JSON"

// Edit returns the object as change leaves its fields. The new one has bytes of
// its own, and the identity that they say; o stays as it is. Everything that
// change does not touch keeps its value, numbers their digits; the order of
// members may change. An error is that of change, a [*decode.SyntaxError] or
// the like where Raw is no JSON object, or one of encoding/json for a value
// that it cannot encode.
func (o Object) Edit(change func(Fields) error) (Object, error) {
	if o.IsStub() {
		return Object{}, &FieldError{Path: "Object.Raw", Problem: "is nil; a stub has an identity only"}
	}
	if o.Encoding() != decode.JSON {
		return Object{}, &FieldError{Path: "Object.Raw", Problem: "is not JSON; " + asJSON}
	}
	var meta decode.Meta
	if err := decode.ScanMeta(o.Raw, &meta); err != nil {
		return Object{}, err
	}
	fields, err := decodeFields(o.appendTyped(nil))
	if err != nil {
		return Object{}, err
	}
	if err := change(fields); err != nil {
		return Object{}, err
	}
	text, err := encodeFields(fields)
	if err != nil {
		return Object{}, err
	}
	if err := decode.ScanMeta(text, &meta); err != nil {
		return Object{}, err
	}
	var kinds kindCache
	return kinds.object(text, &meta), nil
}

// decodeFields keeps numbers as they are written.
func decodeFields(text []byte) (Fields, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var fields Fields
	if err := d.Decode(&fields); err != nil {
		// The error of encoding/json may quote what it stumbled over.
		return nil, &FieldError{Path: "the text", Problem: "is no JSON object"}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &FieldError{Path: "the text", Problem: "goes on after the JSON object"}
	}
	return fields, nil
}

func encodeFields(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("rawwatch: the fields cannot be encoded: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
