package decode

import "github.com/rawwatch/rawwatch/internal/schema"

// wireCompiler matches a T's nodes with the table's messages.
type wireCompiler struct {
	done    map[wirePair]*wirePlan
	unknown []string
}

type wirePair struct {
	node *node
	typ  *schema.Type
}

// message matches a struct with a message.
func (c *wireCompiler) message(n *node, typ *schema.Type, path string) *wirePlan {
	if p, ok := c.done[wirePair{n, typ}]; ok {
		return p
	}
	p := &wirePlan{typ: typ}
	c.done[wirePair{n, typ}] = p
	taken := c.claim(p, n, typ, path)
	for i := range n.members {
		m := &n.members[i]
		isType := m.name == nameKind || m.name == nameAPIVersion
		if !taken[m.name] && !(path == "" && isType) {
			c.unknown = append(c.unknown, dotted(path, m.name))
		}
	}
	return p
}

// claim gives each of the message's fields to the member of its name. It says
// which names the message has.
func (c *wireCompiler) claim(p *wirePlan, n *node, typ *schema.Type, path string) map[string]bool {
	taken := map[string]bool{}
	for i := range typ.Fields {
		f := &typ.Fields[i]
		if f.Inline {
			c.inline(p, n, f, path, taken)
			continue
		}
		for k := range n.members {
			if m := &n.members[k]; m.name == f.Name {
				taken[m.name] = true
				p.add(&wireField{name: m.name, member: m, field: f, value: c.field(m.node, f, dotted(path, m.name))})
			}
		}
	}
	return taken
}

// inline lets the fields of an inlined message go to the same struct, if any
// of them has a place there.
func (c *wireCompiler) inline(p *wirePlan, n *node, f *schema.Field, path string, taken map[string]bool) {
	typ, _ := schema.Lookup(f.Ref)
	inner := &wirePlan{typ: typ}
	names := c.claim(inner, n, typ, path)
	for name := range names {
		taken[name] = true
	}
	if len(names) > 0 {
		p.add(&wireField{field: f, value: &wireValue{op: wireInline, plan: inner}})
	}
}

func (p *wirePlan) add(f *wireField) {
	if f.value.op == wireJSON {
		p.json = append(p.json, f)
		return
	}
	for len(p.fields) <= f.field.Number {
		p.fields = append(p.fields, nil)
	}
	p.fields[f.field.Number] = f
}

// field matches a node with a field of any shape.
func (c *wireCompiler) field(n *node, f *schema.Field, path string) *wireValue {
	if n.op == opPointer {
		elem := c.field(n.elem, f, path)
		if elem.op == wireJSON {
			return &wireValue{node: n}
		}
		omit := f.OmitEmpty && f.Shape == schema.Single
		return &wireValue{op: wirePointer, node: n, elem: elem, kind: f.Kind, omitEmpty: omit}
	}
	switch f.Shape {
	case schema.List:
		if n.op == opList {
			if elem := c.value(n.elem, f, path+"[]"); elem.op != wireJSON {
				return &wireValue{op: wireList, node: n, elem: elem, kind: f.Kind}
			}
		}
	case schema.Map:
		switch n.op {
		case opMap:
			if elem := c.value(n.elem, f, path+"{}"); elem.op != wireJSON {
				return &wireValue{op: wireMap, node: n, elem: elem}
			}
		case opStruct:
			return c.pick(n, f, path)
		}
	default:
		v := c.value(n, f, path)
		v.omitEmpty = f.OmitEmpty && f.Shape == schema.Single
		return v
	}
	return &wireValue{node: n}
}

// pick matches a struct with a map: it names the entries that it wants.
func (c *wireCompiler) pick(n *node, f *schema.Field, path string) *wireValue {
	v := &wireValue{op: wirePick, node: n}
	for i := range n.members {
		m := &n.members[i]
		value := c.pointed(m.node, f, dotted(path, m.name))
		if value.op == wireJSON {
			return &wireValue{node: n}
		}
		v.picks = append(v.picks, &wireField{name: m.name, member: m, value: value})
	}
	return v
}

// pointed matches a node, behind pointers if it must be, with one value.
func (c *wireCompiler) pointed(n *node, f *schema.Field, path string) *wireValue {
	if n.op != opPointer {
		return c.value(n, f, path)
	}
	elem := c.pointed(n.elem, f, path)
	if elem.op == wireJSON {
		return elem
	}
	return &wireValue{op: wirePointer, node: n, elem: elem, kind: f.Kind}
}

// value matches a node with one value of a field's kind.
func (c *wireCompiler) value(n *node, f *schema.Field, path string) *wireValue {
	if n.op == opPointer {
		return c.pointed(n, f, path)
	}
	v := &wireValue{op: directOp(n, f.Kind), node: n, kind: f.Kind}
	if f.Kind != schema.Message {
		return v
	}
	typ, _ := schema.Lookup(f.Ref)
	switch {
	case typ.Form == schema.Members && n.op == opStruct:
		v.op, v.plan = wireMessage, c.message(n, typ, path)
	case typ.Form != schema.Members && namesMembers(n):
		// What is inside such a message has no one path; JSON can tell.
		c.unknown = append(c.unknown, path)
	}
	return v
}

// namesMembers says that n names members, itself or in its elements.
func namesMembers(n *node) bool {
	for n.elem != nil {
		n = n.elem
	}
	return n.op == opStruct
}

// directOp is the way from a kind to a node that needs no JSON.
func directOp(n *node, kind schema.Kind) wireOp {
	type pair struct {
		kind schema.Kind
		op   op
	}
	switch (pair{kind, n.op}) {
	case pair{schema.String, opText}:
		return wireText
	case pair{schema.Bool, opBool}:
		return wireBool
	case pair{schema.Int32, opInt}, pair{schema.Int64, opInt}:
		return wireInt
	case pair{schema.Int32, opUint}, pair{schema.Int64, opUint}:
		return wireUint
	case pair{schema.Double, opFloat}:
		if n.typ.Size() == 8 {
			return wireFloat
		}
	case pair{schema.Bytes, opBytes}:
		return wireRaw
	case pair{schema.Quantity, opQuantity}, pair{schema.Quantity, opText}:
		return wireAmount
	case pair{schema.Time, opTime}:
		return wireTime
	case pair{schema.MicroTime, opMicroTime}:
		return wireMicro
	case pair{schema.IntOrString, opIntOrString}:
		return wireEither
	}
	return wireJSON
}
