package decode

import (
	"encoding/binary"
	"math/bits"
)

// special has bit 7 of the first byte of w set that ends a run of plain text:
// a quote, a backslash, or a control character. Higher bytes may be marked
// wrongly, since borrows run upwards; only the lowest mark counts.
//
// A quote (0x22) with bit 1 flipped is 0x20, and flipping that bit permutes
// the control characters, so that one comparison with 0x21 finds both.
func special(w uint64) uint64 {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	quotes := (w ^ 0x02*ones) - 0x21*ones
	slash := w ^ '\\'*ones
	return (quotes&^w | (slash-ones)&^slash) & highs
}

// text crosses the rest of a string, the closing quote included.
func (s *scanner) text() error {
	for {
		for len(s.b)-s.i >= 8 {
			m := special(binary.LittleEndian.Uint64(s.b[s.i:]))
			if m != 0 {
				s.i += bits.TrailingZeros64(m) >> 3
				break
			}
			s.i += 8
		}
		if err := s.more(); err != nil {
			return err
		}
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		case c < ' ':
			return s.unexpected("the rest of a string")
		default:
			s.i++
		}
	}
}

// escape crosses one escape sequence.
func (s *scanner) escape() error {
	s.i++
	if err := s.more(); err != nil {
		return err
	}
	switch s.b[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return nil
	case 'u':
		s.i++
	default:
		return s.unexpected("an escape sequence")
	}
	for range 4 {
		if err := s.more(); err != nil {
			return err
		}
		if _, ok := hex(s.b[s.i]); !ok {
			return s.unexpected("four hexadecimal digits")
		}
		s.i++
	}
	return nil
}

func hex(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
