package schema

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

// Type is one message. It is immutable.
type Type struct {
	Name   string // group/version.Type
	Form   Form
	Fields []Field // in the order of JSON

	isKind   bool
	byNumber []uint16 // index into Fields, plus one
}

// Field is one field of a message.
type Field struct {
	Name      string // in JSON; empty for Inline
	Number    int
	Kind      Kind
	Shape     Shape
	Ref       string // the message's name, for Kind Message
	OmitEmpty bool   // JSON leaves it out when it is empty
	Inline    bool   // its own fields stand in its place
	SelfNamed bool   // JSON says kind and apiVersion of these objects
}

// Index finds a field by its number; -1 when the message has none such.
func (t *Type) Index(number int) int {
	if number < len(t.byNumber) {
		return int(t.byNumber[number]) - 1
	}
	return -1
}

const metaGroup = "meta.k8s.io/v1"

// parsed holds the messages that have been asked for: *Type by name.
var parsed sync.Map

// Object finds the message of an object, or list, that says it is of this
// apiVersion and kind.
func Object(apiVersion, kind string) (*Type, bool) {
	t, ok := Lookup(apiVersion + "." + kind)
	if !ok || !t.isKind {
		return nil, false
	}
	return t, true
}

// Lookup finds a message by its name.
func Lookup(name string) (*Type, bool) {
	if t, ok := parsed.Load(name); ok {
		return t.(*Type), true
	}
	entry, ok := find(name)
	if !ok {
		return nil, false
	}
	t, _ := parsed.LoadOrStore(name, parse(entry))
	return t.(*Type), true
}

// find looks for the entry of a message: its line and those of its fields. It is
// a copy, which does not keep the rest of its block.
func find(name string) (entry string, ok bool) {
	for text := blockOf(name); len(text) > 0; {
		n := entryEnd(text)
		have := text[:bytes.IndexAny(text, " \n")]
		switch c := strings.Compare(string(have), name); {
		case c == 0:
			return string(text[:n]), true
		case c > 0:
			return "", false
		}
		text = text[n:]
	}
	return "", false
}

// entryEnd is the length of the entry that text begins with.
func entryEnd(text []byte) int {
	for i := 0; ; {
		line := bytes.IndexByte(text[i:], '\n')
		if line < 0 {
			return len(text)
		}
		if i += line + 1; i == len(text) || text[i] != ' ' {
			return i
		}
	}
}

// parse reads one entry. The table is part of the program and has been checked
// as a whole by the tests, so that nothing can be wrong with it here.
func parse(entry string) *Type {
	head, rest, _ := strings.Cut(entry, "\n")
	name, marks, _ := strings.Cut(head, " ")
	if alias, ok := strings.CutPrefix(marks, "="); ok {
		target, _ := Lookup(alias)
		t := *target
		t.isKind = true
		return &t
	}
	t := &Type{Name: name, Form: forms[marks], isKind: marks == "*"}
	group := name[:strings.LastIndexByte(name, '.')]
	t.Fields = make([]Field, 0, strings.Count(rest, "\n"))
	for line := range strings.Lines(rest) {
		t.Fields = append(t.Fields, parseField(group, strings.TrimSpace(line)))
	}
	t.number()
	return t
}

func (t *Type) number() {
	last := 0
	for _, f := range t.Fields {
		last = max(last, f.Number)
	}
	t.byNumber = make([]uint16, last+1)
	for i, f := range t.Fields {
		t.byNumber[f.Number] = uint16(i + 1)
	}
}

func parseField(group, line string) (f Field) {
	name, rest, _ := strings.Cut(line, " ")
	number, typ, _ := strings.Cut(rest, " ")
	f.Number, _ = strconv.Atoi(number)
	f.Name, f.OmitEmpty = strings.CutSuffix(name, "?")
	if f.Inline = name == "~"; f.Inline {
		f.Name = ""
	}
	f.Shape, typ = shapeOf(typ)
	typ, f.SelfNamed = strings.CutPrefix(typ, "&")
	if kind, ok := words[typ]; ok {
		f.Kind = kind
		return f
	}
	switch dot := strings.LastIndexByte(typ, '.'); {
	case dot == 0:
		f.Ref = metaGroup + typ
	case dot < 0:
		f.Ref = group + "." + typ
	default:
		f.Ref = typ
	}
	return f
}

func shapeOf(typ string) (Shape, string) {
	for prefix, shape := range map[string]Shape{"*": Pointer, "[]": List, "{}": Map} {
		if rest, ok := strings.CutPrefix(typ, prefix); ok {
			return shape, rest
		}
	}
	return Single, typ
}
