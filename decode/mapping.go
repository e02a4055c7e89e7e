package decode

import "reflect"

// mapping is a map being filled. An element is set, then put under its name:
// what is in a Go map cannot be set in place.
type mapping struct {
	v    reflect.Value
	key  reflect.Value // of the map's own type of keys
	item reflect.Value
	text map[string]string // instead of v, for the commonest type
}

// newMapping puts a new map into v.
func newMapping(n *node, v reflect.Value) mapping {
	v.Set(reflect.MakeMap(n.typ))
	return openMapping(n, v)
}

// openMapping goes on with the map in v, which is made where it is nil.
func openMapping(n *node, v reflect.Value) mapping {
	if v.IsNil() {
		v.Set(reflect.MakeMap(n.typ))
	}
	m := mapping{v: v, item: reflect.New(n.typ.Elem()).Elem()}
	if n.strings {
		m.text = *v.Addr().Interface().(*map[string]string)
	} else {
		m.key = reflect.New(n.typ.Key()).Elem()
	}
	return m
}

// elem is where the next element is to be filled; it is zero.
func (m *mapping) elem() reflect.Value {
	m.item.SetZero()
	return m.item
}

// set puts the element that was filled under the name.
func (m *mapping) set(name string) {
	if m.text != nil {
		m.text[name] = m.item.String()
		return
	}
	m.key.SetString(name)
	m.v.SetMapIndex(m.key, m.item)
}
