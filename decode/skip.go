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
// behind it. This loop decides how fast the package is, which is why it is one
// function with labels: its state is where it stands. Compact JSON is taken by
// its likely next byte and strings eight bytes at a time; what is rare is left
// to methods, which find and leave the place in s.i. Wherever a token is due,
// "i >= len(b) || b[i] <= ' '" asks settle for it.
func (s *scanner) skip() (err error) {
	var (
		b, i  = s.b, s.i
		room  = s.max - s.depth // for brackets
		open  = 0               // brackets
		kinds = uint64(0)
		isKey bool
		c     byte
	)

value:
	if i >= len(b) || b[i] <= ' ' {
		if err = s.settle(i); err != nil {
			return err
		}
		b, i = s.b, s.i
	}
	switch c = b[i]; c {
	case '"':
		isKey = false
		goto text
	case '{', '[':
	default:
		s.i = i
		if err = s.scalar(c); err != nil {
			return err
		}
		b, i = s.b, s.i
		goto after
	}

	if open >= room { // c opens an object or an array
		s.i = i
		return s.tooDeep()
	}
	open++
	if open%wordBits == 0 {
		s.outer = append(s.outer[:open/wordBits-1], kinds)
	}
	kinds <<= 1
	i++
	if i >= len(b) || b[i] <= ' ' {
		if err = s.settle(i); err != nil {
			return err
		}
		b, i = s.b, s.i
	}
	if c == '[' {
		if b[i] == ']' {
			goto closed
		}
		goto value
	}
	kinds |= 1
	if b[i] == '}' {
		goto closed
	}

key:
	if b[i] != '"' {
		s.i = i
		return s.unexpected("a member's name")
	}
	isKey = true

text: // at the opening quote
	i++
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
	if i >= len(b) || b[i] <= ' ' {
		if err = s.settle(i); err != nil {
			return err
		}
		b, i = s.b, s.i
	}
	if b[i] != ':' {
		s.i = i
		return s.unexpected("':'")
	}
	i++
	goto value

closed: // at the bracket that closes the innermost
	i++
	kinds >>= 1
	if open%wordBits == 0 {
		kinds = s.outer[open/wordBits-1]
	}
	open--

after: // behind a value
	if open == 0 {
		s.i = i
		return nil
	}
	if i >= len(b) || b[i] <= ' ' {
		if err = s.settle(i); err != nil {
			return err
		}
		b, i = s.b, s.i
	}
	c = b[i]
	if kinds&1 == 0 {
		if c == ']' {
			goto closed
		}
		if c == ',' {
			i++
			goto value
		}
		s.i = i
		return s.unexpected("',' or ']'")
	}
	if c == '}' {
		goto closed
	}
	if c != ',' {
		s.i = i
		return s.unexpected("',' or '}'")
	}
	i++
	if i >= len(b) || b[i] <= ' ' {
		if err = s.settle(i); err != nil {
			return err
		}
		b, i = s.b, s.i
	}
	goto key
}

// settle makes i the next byte from there on that is no white space.
func (s *scanner) settle(i int) error {
	s.i = i
	_, err := s.space()
	return err
}
