package access

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
)

// A section reads the members of one mapping of a parsed file. Names are
// case-sensitive and unknown ones are ignored, as client-go has it; null is
// absent. The first member of the wrong type is kept in failure, and everything
// read after it is empty.
type section struct {
	at      string // such as "users[edge].exec"; "" for the file
	members map[string]any
	failure *failure // shared by all sections of a file
}

// failure is the first thing that was wrong in a file.
type failure struct {
	field string
	err   error
}

func (f *failure) set(field string, err error) {
	if f.err == nil {
		f.field, f.err = field, err
	}
}

// newSection takes a mapping as the YAML or the JSON parser gives it.
func newSection(at string, v any, f *failure) section {
	s := section{at: at, failure: f}
	switch m := v.(type) {
	case nil:
	case map[string]any:
		s.members = m
	case map[any]any:
		s.members = make(map[string]any, len(m))
		for key, value := range m {
			s.members[keyText(key)] = value
		}
	default:
		f.set(at, wrongType("a mapping", v))
	}
	return s
}

// keyText is the key as the conversion of YAML to JSON writes it.
func keyText(key any) string {
	switch k := key.(type) {
	case string:
		return k
	case bool:
		return strconv.FormatBool(k)
	case float64:
		return strconv.FormatFloat(k, 'g', -1, 64)
	}
	return fmt.Sprint(key)
}

func (s section) path(name string) string {
	if s.at == "" {
		return name
	}
	return s.at + "." + name
}

func (s section) has(name string) bool { return s.members[name] != nil }

func (s section) sub(name string) section {
	return newSection(s.path(name), s.members[name], s.failure)
}

func (s section) text(name string) string { return s.asText(s.path(name), s.members[name]) }

func (s section) asText(at string, v any) string {
	switch t := v.(type) {
	case nil:
	case string:
		return t
	default:
		s.failure.set(at, wrongType("text", v))
	}
	return ""
}

func (s section) flag(name string) bool {
	switch t := s.members[name].(type) {
	case nil:
	case bool:
		return t
	default:
		s.failure.set(s.path(name), wrongType("true or false", t))
	}
	return false
}

// data is bytes in base64.
func (s section) data(name string) []byte {
	text := s.text(name)
	if text == "" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		s.failure.set(s.path(name), fmt.Errorf("is not base64: %w; write the PEM text through `base64 -w0`", err))
	}
	return data
}

func (s section) list(name string) []any { return s.asList(s.path(name), s.members[name]) }

func (s section) asList(at string, v any) []any {
	switch t := v.(type) {
	case nil:
	case []any:
		return t
	default:
		s.failure.set(at, wrongType("a list", v))
	}
	return nil
}

func (s section) texts(name string) []string { return s.asTexts(s.path(name), s.members[name]) }

func (s section) asTexts(at string, v any) []string {
	var all []string
	for i, item := range s.asList(at, v) {
		all = append(all, s.asText(fmt.Sprintf("%s[%d]", at, i), item))
	}
	return all
}

// textMap is a mapping of text to text.
func (s section) textMap(name string) map[string]string {
	inner := s.sub(name)
	if len(inner.members) == 0 {
		return nil
	}
	all := make(map[string]string, len(inner.members))
	for key := range inner.members {
		all[key] = inner.text(key)
	}
	return all
}

// textsMap is a mapping of text to lists of text.
func (s section) textsMap(name string) map[string][]string {
	inner := s.sub(name)
	if len(inner.members) == 0 {
		return nil
	}
	all := make(map[string][]string, len(inner.members))
	for key := range inner.members {
		all[key] = inner.texts(key)
	}
	return all
}

// wrongType names kinds of values, never the values.
func wrongType(want string, got any) error {
	kind := "a number"
	hint := ""
	switch got.(type) {
	case string:
		kind = "text"
	case bool:
		kind = "true or false"
	case []any:
		kind = "a list"
	case map[string]any, map[any]any:
		kind = "a mapping"
	}
	if want == "text" && (kind == "a number" || kind == "true or false") {
		hint = "; put it in quotes"
	}
	return errors.New("must be " + want + ", but is " + kind + hint)
}
