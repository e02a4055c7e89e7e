package watchtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
)

// member is one name and value of a JSON object; the value is compact JSON.
type member struct {
	name  string
	value json.RawMessage
}

// members is a JSON object of which only the first level has been taken
// apart, sorted by name. The values are shared between versions of an object
// and never written to; a member list itself is copied before it changes.
type members []member

var errNotObject = errors.New("a JSON object was expected")

// parseMembers takes apart the first level of a JSON object. The last of
// duplicate names wins, as in encoding/json.
func parseMembers(raw []byte) (members, error) {
	var byName map[string]json.RawMessage
	if err := json.Unmarshal(raw, &byName); err != nil {
		return nil, err
	}
	if byName == nil {
		return nil, errNotObject
	}
	ms := make(members, 0, len(byName)+2)
	for name, value := range byName {
		ms = append(ms, member{name, compacted(value)})
	}
	slices.SortFunc(ms, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	return ms, nil
}

// compacted returns valid JSON without white space between its tokens.
func compacted(raw []byte) []byte {
	inString := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			var b bytes.Buffer
			if json.Compact(&b, raw) != nil {
				return raw
			}
			return b.Bytes()
		}
	}
	return raw
}

func (ms members) find(name string) (int, bool) {
	return slices.BinarySearchFunc(ms, name, func(m member, name string) int { return cmp.Compare(m.name, name) })
}

// get returns the value, nil when there is none.
func (ms members) get(name string) json.RawMessage {
	if i, ok := ms.find(name); ok {
		return ms[i].value
	}
	return nil
}

// text returns a string value; "" when there is none or it is no string.
func (ms members) text(name string) string {
	raw := ms.get(name)
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// set puts a value into a list that the caller owns.
func (ms *members) set(name string, value json.RawMessage) {
	i, ok := ms.find(name)
	if ok {
		(*ms)[i].value = value
		return
	}
	*ms = slices.Insert(*ms, i, member{name, value})
}

func (ms *members) setText(name, value string) { ms.set(name, quoted(value)) }

// drop removes a value from a list that the caller owns.
func (ms *members) drop(name string) {
	if i, ok := ms.find(name); ok {
		*ms = slices.Delete(*ms, i, i+1)
	}
}

// size is how many bytes append adds.
func (ms members) size() int {
	n := 2
	for _, m := range ms {
		n += len(m.name) + len(m.value) + 8
	}
	return n
}

// append writes the JSON object. The values are made to point into what was
// written, so that one array carries the text and its parts; dst must have
// the room (see size).
func (ms members) append(dst []byte) []byte {
	dst = append(dst, '{')
	dst = ms.appendInner(dst)
	return append(dst, '}')
}

func (ms members) appendInner(dst []byte) []byte {
	for i := range ms {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, quoted(ms[i].name)...)
		dst = append(dst, ':')
		start := len(dst)
		dst = append(dst, ms[i].value...)
		ms[i].value = dst[start:len(dst):len(dst)]
	}
	return dst
}

// sameValues tells whether both have the same names and values.
func (ms members) sameValues(other members) bool {
	return slices.EqualFunc(ms, other, func(a, b member) bool {
		return a.name == b.name && bytes.Equal(a.value, b.value)
	})
}

// quoted is a JSON string.
func quoted(s string) []byte {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\\' && s[i] != '<' && s[i] != '>' && s[i] != '&'
	}
	if plain {
		b := make([]byte, 0, len(s)+2)
		return append(append(append(b, '"'), s...), '"')
	}
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`)
	}
	return b
}
