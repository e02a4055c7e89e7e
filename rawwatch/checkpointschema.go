package rawwatch

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
)

// schemaOf names what a checkpoint's objects are: another type, or the same one
// with other fields or tags, gives another name.
func schemaOf[T any](version string, labels bool) string {
	h := fnv.New128a()
	fmt.Fprintf(h, "%q %v ", version, labels)
	describeType(h, reflect.TypeFor[T](), map[reflect.Type]bool{})
	return fmt.Sprintf("%x", h.Sum(nil))
}

// describeType writes a type's structure: where the names of types say nothing
// of their fields, the fields.
func describeType(w io.Writer, t reflect.Type, within map[reflect.Type]bool) {
	fmt.Fprintf(w, "%s %s{", t.Kind(), t)
	if within[t] {
		return
	}
	within[t] = true
	defer delete(within, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		describeType(w, t.Elem(), within)
	case reflect.Map:
		describeType(w, t.Key(), within)
		describeType(w, t.Elem(), within)
	case reflect.Struct:
		for f := range fieldsOf(t) {
			fmt.Fprintf(w, "%q %q ", f.Name, f.Tag)
			describeType(w, f.Type, within)
		}
	}
	fmt.Fprint(w, "}")
}
