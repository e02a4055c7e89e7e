package encode

import (
	"encoding/json"
	"strings"
)

// cursor walks a JSON text that is known to be well-formed.
type cursor struct {
	b []byte
	i int
}

// span is a value in its text, without white space around it.
type span []byte

// isNull tells whether the value is null, or not there at all.
func (s span) isNull() bool { return len(s) == 0 || s[0] == 'n' }

func (c *cursor) space() {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\n' || c.b[c.i] == '\t' || c.b[c.i] == '\r') {
		c.i++
	}
}

// value steps over one value and the white space around it.
func (c *cursor) value() span {
	c.space()
	from := c.i
	switch c.b[c.i] {
	case '"':
		c.text()
	case '{', '[':
		c.nested()
	default:
		for c.i < len(c.b) && !strings.ContainsRune(" \n\t\r,:]}", rune(c.b[c.i])) {
			c.i++
		}
	}
	s := span(c.b[from:c.i])
	c.space()
	return s
}

// text steps over a string.
func (c *cursor) text() {
	for c.i++; c.b[c.i] != '"'; c.i++ {
		if c.b[c.i] == '\\' {
			c.i++
		}
	}
	c.i++
}

// nested steps over an object or array.
func (c *cursor) nested() {
	depth := 0
	for {
		switch c.b[c.i] {
		case '"':
			c.text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		c.i++
		if depth == 0 {
			return
		}
	}
}

// more steps to the next element of an object or array; false at its end.
func (c *cursor) more() bool {
	c.space()
	if c.b[c.i] == ',' {
		c.i++
		return true
	}
	return c.b[c.i] != '}' && c.b[c.i] != ']'
}

// member is one member of a JSON object.
type member struct {
	name  string
	value span
}

// members takes an object apart, in its own order. The values borrow from s.
func (s span) members() ([]member, error) {
	if len(s) == 0 || s[0] != '{' {
		return nil, &ValueError{Want: "an object"}
	}
	c := cursor{b: s, i: 1}
	var all []member
	for c.more() {
		name, err := c.value().text()
		if err != nil {
			return nil, err
		}
		c.i++ // the colon
		all = append(all, member{name, c.value()})
	}
	return all, nil
}

// elements takes an array apart.
func (s span) elements() ([]span, error) {
	if len(s) == 0 || s[0] != '[' {
		return nil, &ValueError{Want: "an array"}
	}
	c := cursor{b: s, i: 1}
	var all []span
	for c.more() {
		all = append(all, c.value())
	}
	return all, nil
}

// text is the value of a string.
func (s span) text() (string, error) {
	if len(s) == 0 || s[0] != '"' {
		return "", &ValueError{Want: "a string"}
	}
	plain := s[1 : len(s)-1]
	for _, b := range plain {
		if b == '\\' || b >= 0x80 { // the latter may be no UTF-8
			var text string
			err := json.Unmarshal(s, &text)
			return text, err
		}
	}
	return string(plain), nil
}
