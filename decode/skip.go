package decode

import (
	"encoding/binary"
	"math/bits"
)

// wordBits is how many open brackets one word of kinds describes: a set bit is
// an object's, a clear one an array's, the innermost lowest. Full words go to
// scanner.outer, which hardly any object of this world needs.
const wordBits = 64

// skip crosses the value at i, checking its grammar completely; i is then
// behind it. This loop decides how fast the package is: compact JSON is taken
// by its likely next byte, strings eight bytes at a time, and everything rare
// (white space, escapes, numbers, the end of the bytes at hand) is left to
// methods.
func (s *scanner) skip() error {
	b, i := s.b, s.i
	n := 0 // brackets open
	kinds := uint64(0)
	room := s.max - s.depth
	var isKey bool
	var c byte
	var err error

value:
	if i >= len(b) {
		goto valueSlow
	}
valueAgain:
	switch c = b[i]; c {
	case '"':
		i++
		isKey = false
		goto text
	case '{', '[':
		if n >= room {
			s.i = i
			return &LimitError{What: whatNesting, Limit: s.max, Offset: s.base + int64(i)}
		}
		n++
		if n%wordBits == 0 {
			s.outer = append(s.outer[:n/wordBits-1], kinds)
		}
		i++
		if c == '[' {
			kinds <<= 1
			if i >= len(b) || isSpace(b[i]) {
				s.i = i
				if c, err = s.space(); err != nil {
					return err
				}
				b, i = s.b, s.i
			}
			if b[i] == ']' {
				goto closed
			}
			goto valueAgain
		}
		kinds = kinds<<1 | 1
		if i < len(b) {
			if c = b[i]; c == '"' {
				i++
				isKey = true
				goto text
			}
			if c == '}' {
				goto closed
			}
		}
		s.i = i
		if c, err = s.space(); err != nil {
			return err
		}
		b, i = s.b, s.i
		if c == '}' {
			goto closed
		}
		goto key
	case ' ', '\n', '\t', '\r':
		goto valueSlow
	default:
		s.i = i
		if err = s.scalar(c); err != nil {
			return err
		}
		b, i = s.b, s.i
		goto after
	}

valueSlow:
	s.i = i
	if _, err = s.space(); err != nil {
		return err
	}
	b, i = s.b, s.i
	goto valueAgain

key: // c is b[i], no space
	if c != '"' {
		s.i = i
		return s.unexpected("a member's name")
	}
	i++
	isKey = true

text: // behind the opening quote
	for len(b)-i >= 8 {
		m := special(binary.LittleEndian.Uint64(b[i:]))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if b[i] == '"' {
			i++
			goto textDone
		}
		break
	}
	s.i = i
	if err = s.text(); err != nil {
		return err
	}
	b, i = s.b, s.i

textDone:
	if !isKey {
		goto after
	}
	if i < len(b) && b[i] == ':' {
		i++
		goto value
	}
	s.i = i
	if c, err = s.space(); err != nil {
		return err
	}
	if c != ':' {
		return s.unexpected("':'")
	}
	b, i = s.b, s.i+1
	goto value

after: // a value has ended
	if n == 0 {
		s.i = i
		return nil
	}
	if i >= len(b) || isSpace(b[i]) {
		s.i = i
		if _, err = s.space(); err != nil {
			return err
		}
		b, i = s.b, s.i
	}
	c = b[i]
	if kinds&1 == 0 {
		if c == ',' {
			i++
			goto value
		}
		if c == ']' {
			goto closed
		}
		s.i = i
		return s.unexpected("',' or ']'")
	}
	if c == ',' {
		i++
		if i < len(b) && b[i] == '"' {
			i++
			isKey = true
			goto text
		}
		s.i = i
		if c, err = s.space(); err != nil {
			return err
		}
		b, i = s.b, s.i
		goto key
	}
	if c != '}' {
		s.i = i
		return s.unexpected("',' or '}'")
	}

closed: // at the bracket that closes the innermost
	i++
	kinds >>= 1
	if n%wordBits == 0 {
		kinds = s.outer[n/wordBits-1]
	}
	n--
	goto after
}
