package decode

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// node says how one Go type is filled.
type node struct {
	op      op
	typ     reflect.Type
	members []member // opStruct
	elem    *node    // opPointer, opList, opArray, opMap
	leaf    int      // opText, opMap's keys: which of the plan's string leaves
	strings bool     // opMap: a map[string]string, by that very type
	want    string   // what an error says should be there
}

// member is one member of a struct, those of embedded structs included.
type member struct {
	name  string
	index []int
	node  *node
}

// in is the member's place in the struct v. Embedded pointers on the way are
// made to point at something.
func (m *member) in(v reflect.Value) reflect.Value {
	for k, i := range m.index {
		if k > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// find looks for a member, first where the last one found suggests.
func (n *node) find(name []byte, next *int) *member {
	for i := *next; i < len(n.members); i++ {
		if n.members[i].name == string(name) {
			*next = i + 1
			return &n.members[i]
		}
	}
	for i := 0; i < *next; i++ {
		if n.members[i].name == string(name) {
			*next = i + 1
			return &n.members[i]
		}
	}
	return nil
}

// op is the way of filling.
type op uint8

const (
	opStruct     op = iota
	opPointer       // null is nil
	opList          // a slice
	opArray         // a Go array: what is too much is dropped, what is missing is zero
	opMap           // keys are strings
	opText          // a string
	opBool          //
	opInt           //
	opUint          //
	opFloat         // or a json.Number
	opBytes         // base64
	opAny           // interface{}
	opMethod        // UnmarshalJSON
	opTextMethod    // UnmarshalText
	opQuantity
	opTime
	opMicroTime
	opIntOrString
)

var ownTypes = map[reflect.Type]op{
	reflect.TypeFor[Quantity]():    opQuantity,
	reflect.TypeFor[Time]():        opTime,
	reflect.TypeFor[MicroTime]():   opMicroTime,
	reflect.TypeFor[IntOrString](): opIntOrString,
}

var scalarOps = map[reflect.Kind]struct {
	op   op
	want string
}{
	reflect.String: {opText, "a string"},
	reflect.Bool:   {opBool, "a boolean"},
	reflect.Int:    {opInt, "an integer of 64 bits"}, reflect.Int64: {opInt, "an integer of 64 bits"},
	reflect.Int32: {opInt, "an integer of 32 bits"}, reflect.Int16: {opInt, "an integer of 16 bits"},
	reflect.Int8: {opInt, "an integer of 8 bits"},
	reflect.Uint: {opUint, "a natural number of 64 bits"}, reflect.Uint64: {opUint, "a natural number of 64 bits"},
	reflect.Uint32: {opUint, "a natural number of 32 bits"}, reflect.Uint16: {opUint, "a natural number of 16 bits"},
	reflect.Uint8:   {opUint, "a natural number of 8 bits"},
	reflect.Float64: {opFloat, tokenNumber}, reflect.Float32: {opFloat, tokenNumber},
}

var (
	jsonMethod = reflect.TypeFor[json.Unmarshaler]()
	textMethod = reflect.TypeFor[encoding.TextUnmarshaler]()
	numberType = reflect.TypeFor[json.Number]()
)

// compiler turns types into nodes.
type compiler struct {
	root  reflect.Type
	done  map[reflect.Type]*node // types may contain themselves
	texts int
}

func (c *compiler) node(t reflect.Type, path string) (*node, error) {
	// A string's node counts how often its values repeat, so that there is one
	// for each place; other nodes are shared.
	if s, ok := scalarOps[t.Kind()]; ok && s.op == opText && ownTypes[t] == 0 && t != numberType && !hasMethod(t) {
		c.texts++
		return &node{op: opText, typ: t, want: s.want, leaf: c.texts - 1}, nil
	}
	if n, ok := c.done[t]; ok {
		return n, nil
	}
	n := &node{typ: t}
	c.done[t] = n
	return n, c.fill(n, path)
}

func hasMethod(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonMethod) || p.Implements(textMethod)
}

func (c *compiler) fill(n *node, path string) (err error) {
	t := n.typ
	if own, ok := ownTypes[t]; ok {
		n.op, n.want = own, wantOf(own)
		return nil
	}
	if t == numberType {
		n.op, n.want = opFloat, tokenNumber
		return nil
	}
	if t.Kind() != reflect.Pointer {
		p := reflect.PointerTo(t)
		if p.Implements(jsonMethod) {
			n.op, n.want = opMethod, "what "+t.String()+" understands"
			return nil
		}
		if p.Implements(textMethod) {
			n.op, n.want = opTextMethod, "a string that "+t.String()+" understands"
			return nil
		}
	}
	if s, ok := scalarOps[t.Kind()]; ok {
		n.op, n.want = s.op, s.want
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		n.op, n.want = opStruct, "an object"
		n.members, err = c.members(t, path)
	case reflect.Pointer:
		if isEndless(t) {
			return c.refuse(path, "a pointer that only ever points at pointers")
		}
		n.op = opPointer
		n.elem, err = c.node(t.Elem(), path)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !hasMethod(t.Elem()) {
			n.op, n.want = opBytes, "a string in base64"
			return nil
		}
		n.op, n.want = opList, "an array"
		n.elem, err = c.node(t.Elem(), path+"[]")
	case reflect.Array:
		n.op, n.want = opArray, "an array"
		n.elem, err = c.node(t.Elem(), path+"[]")
	case reflect.Map:
		n.op, n.want = opMap, "an object"
		n.strings = t == reflect.TypeFor[map[string]string]()
		if t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(textMethod) {
			return c.refuse(path, "a map's keys must be strings, not "+t.Key().String())
		}
		n.leaf = c.texts
		c.texts++
		n.elem, err = c.node(t.Elem(), path+"{}")
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return c.refuse(path, "an interface with methods, "+t.String())
		}
		n.op, n.want = opAny, "a value"
	default:
		return c.refuse(path, "a "+t.Kind().String()+" has no form in JSON")
	}
	return err
}

// isEndless says that following the pointer t comes back to it.
func isEndless(t reflect.Type) bool {
	seen := map[reflect.Type]bool{}
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			return true
		}
		seen[t] = true
	}
	return false
}

func wantOf(own op) string {
	switch own {
	case opQuantity:
		return "a quantity"
	case opIntOrString:
		return "an integer or a string"
	}
	return "a time"
}

func (c *compiler) refuse(path, why string) error {
	if path == "" {
		path = "the type itself"
	}
	return &TypeError{Type: c.root, Path: path, Why: why}
}
