package decode

import (
	"reflect"
	"slices"
	"strings"
)

// candidate is a struct field that may become a member: embedding can offer
// several of one name.
type candidate struct {
	name   string
	index  []int
	typ    reflect.Type
	tagged bool
}

// members lists what of the struct t is named in JSON.
func (c *compiler) members(t reflect.Type, path string) ([]member, error) {
	all, err := c.candidates(t, path)
	if err != nil {
		return nil, err
	}
	var members []member
	for k, a := range all {
		better, equal := 0, 0
		for j, b := range all {
			if j == k || a.name != b.name {
				continue
			}
			switch a.against(b) {
			case -1:
				better++
			case 0:
				equal++
			}
		}
		if better > 0 {
			continue
		}
		at := dotted(path, a.name)
		if equal > 0 {
			return nil, c.refuse(at, "two embedded fields have this name")
		}
		n, err := c.node(a.typ, at)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name: a.name, index: a.index, node: n})
	}
	return members, nil
}

// against is 1 where a hides b: less deeply embedded, or as deeply and tagged.
func (a candidate) against(b candidate) int {
	switch {
	case len(a.index) != len(b.index):
		return sign(len(b.index) - len(a.index))
	case a.tagged != b.tagged && a.tagged:
		return 1
	case a.tagged != b.tagged:
		return -1
	}
	return 0
}

func sign(n int) int { return max(-1, min(1, n)) }

// candidates walks t and what is embedded in it.
func (c *compiler) candidates(t reflect.Type, path string) (all []candidate, err error) {
	type place struct {
		t     reflect.Type
		index []int
	}
	open := []place{{t: t}}
	depth := map[reflect.Type]int{t: 0} // where a type was first embedded
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		for i := range at.t.NumField() {
			f := at.t.Field(i)
			index := append(slices.Clone(at.index), i)
			tag := f.Tag.Get("json")
			name, options, _ := strings.Cut(tag, ",")
			inner, inlined := inlinedType(f, name, options)
			switch {
			case tag == "-" || !f.IsExported() && !(inlined && f.Anonymous):
			case inlined && f.Type.Kind() == reflect.Pointer && !f.IsExported():
				return nil, c.refuse(dotted(path, f.Name), "an embedded pointer to a type that is not exported")
			case inlined:
				// One that is also embedded less deeply is hidden by that.
				if d, ok := depth[inner]; !ok || d == len(index) {
					depth[inner] = len(index)
					open = append(open, place{inner, index})
				}
			case hasOption(options, "string"):
				return nil, c.refuse(dotted(path, f.Name), `the option "string" is not supported`)
			default:
				tagged := name != ""
				if !tagged {
					name = f.Name
				}
				all = append(all, candidate{name, index, f.Type, tagged})
			}
		}
	}
	return all, nil
}

// inlinedType is the struct whose fields stand in place of f, if they do.
func inlinedType(f reflect.StructField, name, options string) (reflect.Type, bool) {
	t := f.Type
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || name != "" {
		return nil, false
	}
	return t, f.Anonymous || hasOption(options, "inline")
}

func hasOption(options, want string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if o == want {
			return true
		}
	}
	return false
}

// dotted is the path of a member of what is at path.
func dotted(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
