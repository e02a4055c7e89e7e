package decode

import (
	"fmt"
	"reflect"
	"sync"
)

// A Plan decodes objects into a T: only what T names is decoded, everything
// else is crossed. It is compiled once for each T, and safe for concurrent use.
type Plan[T any] struct{ core *plan }

// plan is a Plan without its type parameter, so that the code exists once.
type plan struct {
	root     *node
	base     *node   // root, or what it points at
	kind     *member // base's members of these names, if they are strings
	version  *member
	wire     wirePlans
	fillers  fillers
	texts    int // leaves that hold strings
	metaOnly bool
}

// plans holds the compiled ones: *plan by reflect.Type.
var plans sync.Map

// For compiles the plan of T, or finds it where it was compiled before. T is
// usually a struct; its json tags name what is decoded, as they do for package
// encoding/json, with these differences:
//
//   - Names are case-sensitive, as the API server's are.
//   - A field that is not embedded is inlined too where its tag says "inline".
//   - Of two embedded fields with the same name in JSON at the same depth,
//     encoding/json takes neither; here that is an error.
//   - Where a name occurs twice in an object, the last one counts, as a whole:
//     nothing is merged.
//   - An interface{} holds int64 for numbers that are integers, so that they
//     are exact, and float64 for all others.
//   - Strings keep bytes that are not UTF-8 as they are.
//   - Keys of maps are strings; the option "string" does not exist.
//
// The error is a *TypeError: T cannot be decoded into.
func For[T any]() (*Plan[T], error) {
	t := reflect.TypeFor[T]()
	if p, ok := plans.Load(t); ok {
		return &Plan[T]{p.(*plan)}, nil
	}
	core, err := compile(t)
	if err != nil {
		return nil, err
	}
	p, _ := plans.LoadOrStore(t, core)
	return &Plan[T]{p.(*plan)}, nil
}

// Decode fills into, which is overwritten as a whole, from one object: JSON,
// or protobuf in the API server's envelope, as Event.Object and Item.Object
// hold it. Nothing in into refers to object afterwards; strings that occur
// again and again are shared.
//
// The errors concern this object only:
//
//   - *ObjectError: a member is not what T wants, or the protobuf is malformed.
//   - *SyntaxError, *LimitError: object is not one JSON object, or nests
//     deeper than DefaultDepth.
//   - *UnknownError: of this object's kind not all that T names is known in
//     protobuf (see Protobuf); or something that goes into T as JSON has
//     fields that are not known.
//
// What into holds after an error is not specified.
func (p *Plan[T]) Decode(object []byte, into *T) error {
	return p.core.decode(object, nil, Known{}, reflect.ValueOf(into).Elem())
}

// DecodeItem is Decode for an object that may not say what it is, as the items
// of typed lists in JSON do not: where T names kind and apiVersion and the
// object does not say them, they are taken from m.
func (p *Plan[T]) DecodeItem(object []byte, m *Meta, into *T) error {
	return p.core.decode(object, m, Known{}, reflect.ValueOf(into).Elem())
}

// Protobuf says whether objects of this kind can be decoded into T from
// protobuf: nil, or an *UnknownError that lists what of T is not known there.
// Such a T must be read as JSON, which takes any name.
func (p *Plan[T]) Protobuf(group, version, kind string) error {
	apiVersion := version
	if group != "" {
		apiVersion = group + "/" + version
	}
	_, err := p.core.wire.get(p.core.base, apiVersion, kind)
	return err
}

// MetadataOnly says that T names nothing but the object's metadata, so that
// PartialObjectMetadata (API concepts, "Metadata-only fetches") suffices.
func (p *Plan[T]) MetadataOnly() bool { return p.core.metaOnly }

// A TypeError says that a type cannot be decoded into.
type TypeError struct {
	Type reflect.Type // the type that was asked for
	Path string       // of the member that is wrong
	Why  string
}

// Error implements error.
func (e *TypeError) Error() string {
	return fmt.Sprintf("decode: %s cannot be decoded into: %s: %s", e.Type, e.Path, e.Why)
}

func compile(t reflect.Type) (*plan, error) {
	c := compiler{root: t, done: map[reflect.Type]*node{}}
	root, err := c.node(t, "")
	if err != nil {
		return nil, err
	}
	p := &plan{root: root, base: root, texts: c.texts}
	for p.base.op == opPointer {
		p.base = p.base.elem
	}
	p.metaOnly = p.base.op == opStruct
	for i := range p.base.members {
		m := &p.base.members[i]
		p.metaOnly = p.metaOnly && m.name == nameMetadata
		switch {
		case m.name == nameKind && m.node.op == opText:
			p.kind = m
		case m.name == nameAPIVersion && m.node.op == opText:
			p.version = m
		}
	}
	return p, nil
}

// Names that every object has.
const (
	nameKind       = "kind"
	nameAPIVersion = "apiVersion"
	nameMetadata   = "metadata"
)
