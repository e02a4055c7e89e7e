package decode

import (
	"encoding/binary"
	"math/bits"
)

// jump crosses the object or array at i, in bytes whose grammar a reader of
// this package has checked already: only strings and brackets matter. On other
// bytes it may stop at the wrong place or at the end, and no more than that.
func (s *scanner) jump() error {
	b, i, open := s.b, s.i, 0
	for i < len(b) {
		c := b[i]
		i++
		switch c {
		case '{', '[':
			open++
			continue
		case '}', ']':
			if open--; open == 0 {
				s.i = i
				return nil
			}
			continue
		case '"':
		default:
			continue
		}
	text:
		for len(b)-i >= 8 {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
			break
		}
		switch {
		case i >= len(b):
		case b[i] == '\\':
			i += 2
			goto text
		case b[i] != '"': // within the last eight bytes
			i++
			goto text
		case i+2 < len(b) && b[i+2] == '"' && (b[i+1] == ':' || b[i+1] == ','):
			i += 3 // the next string follows at once, as a member's name or value
			goto text
		default:
			i++
		}
	}
	s.i = len(b)
	return s.more()
}

// cross passes a value that nobody wants.
func (f *filler) cross() error {
	switch c := f.b[f.i]; {
	case !f.checked:
	case f.i == f.largest.lo && f.largest.hi > f.i:
		f.i = f.largest.hi
		return nil
	case c == '{' || c == '[':
		return f.jump()
	}
	return f.skip()
}
