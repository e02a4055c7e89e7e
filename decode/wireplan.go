package decode

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// An UnknownError says that objects of a kind cannot be decoded from protobuf
// completely: the kind itself, or what stands at these paths, is not in the
// table of the built-in API groups, being a custom resource, newer than the
// table, or misspelt. The way on is to ask the server for JSON.
type UnknownError struct {
	APIVersion, Kind string
	Paths            []string // empty: the kind is not known
}

// Error implements error.
func (e *UnknownError) Error() string {
	if len(e.Paths) == 0 {
		return fmt.Sprintf("decode: %s %s has no known form in protobuf; ask for JSON", e.APIVersion, e.Kind)
	}
	return fmt.Sprintf("decode: of %s %s this is not known in protobuf: %s; check the spelling, or ask for JSON", e.APIVersion, e.Kind, strings.Join(e.Paths, ", "))
}

// wirePlan says how one message fills one Go type.
type wirePlan struct {
	fields []*wireField // by number; nil is skipped
	json   []*wireField // those that pass through JSON, when all else is done
	typ    *schema.Type
}

// wireField is one field that goes to one member; nil for an inlined message,
// whose fields go to the same struct.
type wireField struct {
	name   string
	member *member
	field  *schema.Field
	value  *wireValue
}

// wireValue says how a value on the wire fills one node.
type wireValue struct {
	op   wireOp
	node *node
	kind schema.Kind
	elem *wireValue // wirePointer, wireList, wireMap
	plan *wirePlan  // wireMessage, wireInline

	// wirePointer, wireRaw: an empty value is none, since JSON leaves it out.
	omitEmpty bool

	// wirePick: a map whose entries go to the members of a struct.
	picks []*wireField
}

type wireOp uint8

const (
	wireJSON    wireOp = iota // through JSON
	wireText                  // a string, or a Quantity's text
	wireBool                  //
	wireInt                   //
	wireUint                  //
	wireFloat                 //
	wireRaw                   // bytes
	wireAmount                // a Quantity, into a string
	wireTime                  //
	wireMicro                 //
	wireEither                // IntOrString
	wireMessage               // a message, into a struct
	wireInline                // a message, into the same struct
	wirePointer               //
	wireList                  // repeated, into a slice
	wireMap                   // entries, into a map
	wirePick                  // entries, into a struct
)

// wirePlans holds a plan's forms for the kinds that it has met.
type wirePlans struct {
	last atomic.Pointer[kindPlan]
	mu   sync.Mutex
	all  map[string]*kindPlan // by message name; as many as the table has kinds
}

type kindPlan struct {
	apiVersion, kind string
	plan             *wirePlan
	err              error // an *UnknownError
}

// known is get for what an object says; it does not allocate when the last
// object said the same.
func (ps *wirePlans) known(root *node, apiVersion, kind []byte) (*wirePlan, error) {
	if k := ps.last.Load(); k != nil && k.apiVersion == string(apiVersion) && k.kind == string(kind) {
		return k.plan, k.err
	}
	return ps.get(root, string(apiVersion), string(kind))
}

func (ps *wirePlans) get(root *node, apiVersion, kind string) (*wirePlan, error) {
	typ, ok := schema.Object(apiVersion, kind)
	if !ok {
		return nil, &UnknownError{APIVersion: apiVersion, Kind: kind}
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	name := apiVersion + "." + kind
	k := ps.all[name]
	if k == nil {
		k = &kindPlan{apiVersion: apiVersion, kind: kind}
		k.plan, k.err = wireFor(root, typ, apiVersion, kind)
		if ps.all == nil {
			ps.all = map[string]*kindPlan{}
		}
		ps.all[name] = k
	}
	ps.last.Store(k)
	return k.plan, k.err
}

// wireFor compiles a plan for objects of the type typ.
func wireFor(root *node, typ *schema.Type, apiVersion, kind string) (*wirePlan, error) {
	c := wireCompiler{done: map[wirePair]*wirePlan{}}
	plan := &wirePlan{typ: typ}
	if root.op == opStruct {
		plan = c.message(root, typ, "")
	}
	if c.unknown != nil {
		return nil, &UnknownError{APIVersion: apiVersion, Kind: kind, Paths: c.unknown}
	}
	return plan, nil
}
