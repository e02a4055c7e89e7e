package encode

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// orders holds for each message the indices of its fields in the order of
// their numbers, which is how the API server writes them: []int by type name.
var orders sync.Map

func orderOf(typ *schema.Type) []int {
	if order, ok := orders.Load(typ.Name); ok {
		return order.([]int)
	}
	order := make([]int, len(typ.Fields))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(typ.Fields[a].Number, typ.Fields[b].Number) })
	orders.Store(typ.Name, order)
	return order
}

// appendMembers appends the fields of a message whose JSON is an object.
func appendMembers(dst []byte, typ *schema.Type, all []member) (_ []byte, err error) {
	for _, i := range orderOf(typ) {
		f := &typ.Fields[i]
		if f.Inline { // its fields stand among the members
			inner, _ := schema.Lookup(f.Ref)
			dst, err = appendMessage(dst, f.Number, func(dst []byte) ([]byte, error) { return appendMembers(dst, inner, all) })
		} else if dst, err = appendField(dst, f, lookup(all, f.Name)); err != nil {
			err = within(f.Name, err)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendField appends a field of any shape.
func appendField(dst []byte, f *schema.Field, value span) ([]byte, error) {
	switch {
	case f.Shape == schema.List && !value.isNull():
		return appendList(dst, f, value)
	case f.Shape == schema.Map && !value.isNull():
		return appendMap(dst, f, value)
	case value.isNull() && (f.Shape != schema.Single || isNilable(f)):
		return dst, nil
	}
	return appendValue(dst, f, f.Number, value)
}

// isNilable tells whether null is nothing for a field that is no pointer.
func isNilable(f *schema.Field) bool {
	if f.Kind == schema.Bytes {
		return true
	}
	if f.Kind != schema.Message {
		return false
	}
	typ, _ := schema.Lookup(f.Ref)
	return typ.Form == schema.ItemsOnly
}

func appendList(dst []byte, f *schema.Field, value span) ([]byte, error) {
	all, err := value.elements()
	if err != nil {
		return dst, err
	}
	for i, v := range all {
		if dst, err = appendValue(dst, f, f.Number, v); err != nil {
			return dst, within("["+strconv.Itoa(i)+"]", err)
		}
	}
	return dst, nil
}

// appendMap appends the entries of a map in the order of their keys.
func appendMap(dst []byte, f *schema.Field, value span) ([]byte, error) {
	all, err := value.members()
	if err != nil {
		return dst, err
	}
	slices.SortStableFunc(all, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	for i, m := range all {
		if i+1 < len(all) && all[i+1].name == m.name {
			continue
		}
		dst, err = appendMessage(dst, f.Number, func(dst []byte) ([]byte, error) {
			dst = appendText(dst, 1, m.name)
			if f.Kind == schema.Bytes && m.value.isNull() {
				return dst, nil
			}
			return appendValue(dst, f, 2, m.value)
		})
		if err != nil {
			return dst, within("["+strconv.Quote(m.name)+"]", err)
		}
	}
	return dst, nil
}

// appendValue appends one value under a number, whatever the field's shape.
func appendValue(dst []byte, f *schema.Field, number int, value span) ([]byte, error) {
	if f.Kind == schema.Message {
		typ, _ := schema.Lookup(f.Ref)
		return appendMessage(dst, number, func(dst []byte) ([]byte, error) { return appendForm(dst, typ, value) })
	}
	return appendScalar(dst, f.Kind, number, value)
}

// appendForm appends the fields of a message in any JSON form.
func appendForm(dst []byte, typ *schema.Type, value span) ([]byte, error) {
	fields := typ.Fields
	switch typ.Form {
	case schema.OrBool:
		allowed := span("true")
		if !value.isNull() && value[0] != '{' {
			allowed, value = value, nil
		}
		dst, err := appendField(dst, &fields[0], allowed)
		if err != nil {
			return dst, err
		}
		return appendField(dst, &fields[1], value)
	case schema.OrArray:
		if !value.isNull() && value[0] == '[' {
			return appendField(dst, &fields[1], value)
		}
		return appendField(dst, &fields[0], value)
	case schema.ItemsOnly:
		return appendField(dst, &fields[0], value)
	}
	if value.isNull() {
		return appendMembers(dst, typ, nil)
	}
	all, err := value.members()
	if err != nil {
		return dst, err
	}
	return appendMembers(dst, typ, all)
}
