package decode

import (
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// setAny fills v, an interface{}, with what raw is: nil, bool, int64, float64,
// string, []any or map[string]any.
func setAny(raw []byte, v reflect.Value) bool {
	x, ok := anyOf(raw)
	switch {
	case !ok:
	case x == nil:
		v.SetZero()
	default:
		v.Set(reflect.ValueOf(x))
	}
	return ok
}

// anyOf is what raw is, a value that the scanner has passed. ok is false for a
// number that is neither an integer of 64 bits nor a float64.
func anyOf(raw []byte) (x any, ok bool) {
	return (&scanner{b: raw, max: DefaultDepth}).any()
}

// any is the value at i, and crosses it.
func (s *scanner) any() (x any, ok bool) {
	switch c := s.b[s.i]; c {
	case '{':
		return s.anyObject()
	case '[':
		return s.anyList()
	case '"':
		p, err := s.value()
		return validText(unescaped(s.b[p.lo+1 : p.hi-1])), err == nil
	case 'n', 't', 'f':
		if err := s.skip(); err != nil || c == 'n' {
			return nil, err == nil
		}
		return c == 't', true
	}
	p, err := s.value()
	if err != nil {
		return nil, false
	}
	text := string(p.of(s.b))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0)
}

func (s *scanner) anyObject() (x any, ok bool) {
	if s.enter() != nil {
		return nil, false
	}
	object := map[string]any{}
	for first := true; ; first = false {
		key, more, err := s.next(first)
		if err != nil || !more {
			return object, err == nil
		}
		name := validText(s.name(key))
		if object[name], ok = s.any(); !ok {
			return nil, false
		}
	}
}

func (s *scanner) anyList() (x any, ok bool) {
	if s.deeper() != nil {
		return nil, false
	}
	list := []any{}
	for first := true; ; first = false {
		more, err := s.element(first)
		if err != nil || !more {
			return list, err == nil
		}
		if x, ok = s.any(); !ok {
			return nil, false
		}
		list = append(list, x)
	}
}

// validText is b as a string. What is no UTF-8 becomes U+FFFD, as in
// encoding/json: who asks for any value may print it as JSON again.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}
