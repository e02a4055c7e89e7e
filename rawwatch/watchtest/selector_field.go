package watchtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// fieldTerm is one condition of a field selector.
type fieldTerm struct {
	path, value string
	not         bool
}

type fieldSelector []fieldTerm

// parseFieldSelector reads the syntax (Kubernetes documentation, "Field
// Selectors"): path=value, path==value, path!=value, joined by commas, with
// backslash escapes in the values. Paths that the resource does not offer are
// refused.
func parseFieldSelector(text string, r *Resource) (fieldSelector, error) {
	var sel fieldSelector
	for _, part := range splitUnescaped(text) {
		t, err := parseFieldTerm(part)
		if err != nil {
			return nil, err
		}
		if t.path != "metadata.name" && (t.path != "metadata.namespace" || !r.Namespaced) && !slices.Contains(r.Fields, t.path) {
			if len(r.Fields) == 0 && r.builtin {
				return nil, fmt.Errorf(`%q is not a known field selector: only "metadata.name", "metadata.namespace"`, t.path)
			}
			return nil, fmt.Errorf("field label not supported: %s", t.path)
		}
		sel = append(sel, t)
	}
	return sel, nil
}

func splitUnescaped(text string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ',':
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	parts = append(parts, text[start:])
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

func parseFieldTerm(text string) (fieldTerm, error) {
	i := strings.IndexAny(text, "=!")
	if i < 0 {
		return fieldTerm{}, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", text, text)
	}
	t := fieldTerm{path: text[:i]}
	value := text[i:]
	switch {
	case strings.HasPrefix(value, "!="):
		t.not, value = true, value[2:]
	case strings.HasPrefix(value, "=="):
		value = value[2:]
	case value[0] == '=':
		value = value[1:]
	default:
		return fieldTerm{}, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", text, text)
	}
	t.value = strings.NewReplacer(`\\`, `\`, `\,`, `,`, `\=`, `=`).Replace(value)
	return t, nil
}

func (sel fieldSelector) matches(o *object) bool {
	for _, t := range sel {
		if (o.field(t.path) == t.value) == t.not {
			return false
		}
	}
	return true
}

// field is the value of a selectable field; "" when the object lacks it. The
// object is looked into once, and only when somebody selects by fields.
func (o *object) field(path string) string {
	switch path {
	case "metadata.name":
		return o.name
	case "metadata.namespace":
		return o.namespace
	}
	o.once.Do(func() {
		o.fields = make(map[string]string, len(o.resource.Fields))
		opened := make(map[string]map[string]json.RawMessage)
		for _, path := range o.resource.Fields {
			if v := o.dig(path, opened); v != "" {
				o.fields[path] = v
			}
		}
	})
	return o.fields[path]
}

// dig finds one value; opened remembers what has been taken apart already.
func (o *object) dig(path string, opened map[string]map[string]json.RawMessage) string {
	path = strings.TrimPrefix(path, ".")
	head, rest, nested := strings.Cut(path, ".")
	value := o.rest.get(head)
	for nested && len(value) > 0 && value[0] == '{' {
		inner := opened[head]
		if inner == nil {
			if json.Unmarshal(value, &inner) != nil {
				return ""
			}
			opened[head] = inner
		}
		var name string
		name, rest, nested = strings.Cut(rest, ".")
		value, head = inner[name], head+"."+name
	}
	var text string
	switch {
	case len(value) == 0 || nested:
		return ""
	case value[0] == '"':
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
		return text
	}
	return string(value)
}
