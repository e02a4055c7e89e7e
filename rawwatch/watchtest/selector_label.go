package watchtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// requirement is one condition of a label selector.
type requirement struct {
	key    string
	op     string // = != in notin exists ! > <
	values []string
}

type labelSelector []requirement

// parseLabelSelector reads the complete syntax (Kubernetes documentation,
// "Labels and Selectors"): equality and set-based requirements, presence, and
// the integer comparisons that the API accepts as well.
func parseLabelSelector(text string) (labelSelector, error) {
	var sel labelSelector
	for _, part := range splitOutside(text) {
		r, err := parseRequirement(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("unable to parse requirement: %w", err)
		}
		sel = append(sel, r)
	}
	return sel, nil
}

// splitOutside splits at the commas that stand outside of parentheses.
func splitOutside(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var parts []string
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

func parseRequirement(text string) (requirement, error) {
	if key, ok := strings.CutPrefix(text, "!"); ok {
		return checked(requirement{key: strings.TrimSpace(key), op: "!"})
	}
	if i := strings.IndexByte(text, '('); i >= 0 {
		return parseSet(text[:i], text[i:])
	}
	for _, op := range []string{"!=", "==", "=", ">", "<"} {
		if key, value, ok := strings.Cut(text, op); ok {
			if op == "==" {
				op = "="
			}
			return checked(requirement{key: strings.TrimSpace(key), op: op, values: []string{strings.TrimSpace(value)}})
		}
	}
	return checked(requirement{key: text, op: "exists"})
}

func parseSet(head, list string) (requirement, error) {
	words := strings.Fields(head)
	if len(words) != 2 || words[1] != "in" && words[1] != "notin" {
		return requirement{}, fmt.Errorf("found '%s', expected: in, notin, =, ==, !=, gt, lt", strings.TrimSpace(head))
	}
	list = strings.TrimSpace(list)
	if !strings.HasSuffix(list, ")") {
		return requirement{}, fmt.Errorf("found '', expected: ',' or ')'")
	}
	values := strings.Split(list[1:len(list)-1], ",")
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return checked(requirement{key: words[0], op: words[1], values: values})
}

// checked refuses keys and values that no label can have.
func checked(r requirement) (requirement, error) {
	prefix, name, found := strings.Cut(r.key, "/")
	if !found {
		prefix, name = "", r.key
	}
	if !labelWord(name) || name == "" || found && !validName(prefix) {
		return r, fmt.Errorf("<nil>: Invalid value: %q: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", r.key)
	}
	for _, v := range r.values {
		if _, err := strconv.ParseInt(v, 10, 64); err != nil && (r.op == ">" || r.op == "<") {
			return r, fmt.Errorf("values[0]: Invalid value: %q: for 'Gt', 'Lt' operators, the value must be an integer", v)
		}
		if !labelWord(v) {
			return r, fmt.Errorf("values[0][%s]: Invalid value: %q: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character", r.key, v)
		}
	}
	return r, nil
}

func labelWord(s string) bool {
	edge := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	for i := range len(s) {
		if !edge(s[i]) && s[i] != '-' && s[i] != '_' && s[i] != '.' {
			return false
		}
	}
	return len(s) <= 63 && (s == "" || edge(s[0]) && edge(s[len(s)-1]))
}

func (sel labelSelector) matches(labels map[string]string) bool {
	for _, r := range sel {
		if !r.matches(labels) {
			return false
		}
	}
	return true
}

// matches follows the documentation: != and notin also select what lacks the
// key, the comparisons do not.
func (r requirement) matches(labels map[string]string) bool {
	value, has := labels[r.key]
	switch r.op {
	case "exists":
		return has
	case "!":
		return !has
	case "=", "in":
		return has && slices.Contains(r.values, value)
	case "!=", "notin":
		return !has || !slices.Contains(r.values, value)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	bound, _ := strconv.ParseInt(r.values[0], 10, 64)
	return has && err == nil && (r.op == ">" && n > bound || r.op == "<" && n < bound)
}
