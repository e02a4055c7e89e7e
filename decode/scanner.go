package decode

import (
	"errors"
	"io"
)

// span is where a value stands: b[lo:hi] of the window it was found in. Spans
// survive the window's growth, slices do not. The zero span is an absent value.
type span struct{ lo, hi int }

func (p span) of(b []byte) []byte { return b[p.lo:p.hi] }

// scanner walks JSON in one pass. It pulls: where the bytes at hand end, it
// asks the input for more and goes on at the same index, so that no state
// machine has to remember where a chunk was cut.
//
// Two speeds: members are walked one by one (enter, next) in the few objects
// whose members have names that matter; everything else is crossed by skip.
type scanner struct {
	b     []byte   // the window; an index into it stays good when it grows
	i     int      // the next byte
	depth int      // of open objects and arrays
	max   int      // of depth
	base  int64    // offset of b[0] from the body's start
	in    *input   // nil: the bytes in memory are all there is
	outer []uint64 // skip's, kept for its memory
}

// more makes b longer than i, or says why that is impossible.
func (s *scanner) more() error {
	for s.i >= len(s.b) {
		if s.in == nil {
			return &SyntaxError{Offset: s.base + int64(s.i), Found: "the end", Want: "the rest of the value", Err: io.ErrUnexpectedEOF}
		}
		if err := s.in.fill(); err != nil {
			return s.torn(err)
		}
		s.b = s.in.window()
	}
	return nil
}

// torn turns what the input says into what the caller is told, inside a value.
func (s *scanner) torn(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return err
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &StreamError{Offset: s.base + int64(len(s.b)), Partial: len(s.b), Err: err}
}

// space moves to the next byte that is no white space, and returns it.
func (s *scanner) space() (byte, error) {
	for {
		for s.i < len(s.b) {
			c := s.b[s.i]
			if !isSpace(c) {
				return c, nil
			}
			s.i++
		}
		if err := s.more(); err != nil {
			return 0, err
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// enter goes into the object at i, which must be one.
func (s *scanner) enter() error {
	c, err := s.space()
	if err != nil {
		return err
	}
	if c != '{' {
		return s.unexpected("an object")
	}
	return s.deeper()
}

// deeper passes an opening bracket.
func (s *scanner) deeper() error {
	if s.depth >= s.max {
		return s.tooDeep()
	}
	s.depth++
	s.i++
	return nil
}

func (s *scanner) tooDeep() error {
	return &LimitError{What: whatNesting, Limit: s.max, Offset: s.base + int64(s.i)}
}

// next moves to the value of the next member of the object that was entered,
// and says where its key is, between the quotes. At the object's end it leaves
// the object, and ok is false. The value must then be crossed, by skip or by
// enter and next.
func (s *scanner) next(first bool) (key span, ok bool, err error) {
	c, err := s.space()
	if err != nil {
		return key, false, err
	}
	if c == '}' {
		s.i++
		s.depth--
		return key, false, nil
	}
	if !first {
		if c != ',' {
			return key, false, s.unexpected("',' or '}'")
		}
		s.i++
		if c, err = s.space(); err != nil {
			return key, false, err
		}
	}
	if c != '"' {
		return key, false, s.unexpected("a member's name")
	}
	return s.key()
}

func (s *scanner) key() (key span, ok bool, err error) {
	s.i++
	key.lo = s.i
	if err := s.text(); err != nil {
		return key, false, err
	}
	key.hi = s.i - 1
	c, err := s.space()
	if err != nil {
		return key, false, err
	}
	if c != ':' {
		return key, false, s.unexpected("':'")
	}
	s.i++
	_, err = s.space()
	return key, true, err
}

// value crosses the value at i and says where it is.
func (s *scanner) value() (span, error) {
	lo := s.i
	err := s.skip()
	return span{lo, s.i}, err
}

// element moves to the next element of the array that was entered by deeper. At
// the array's end it leaves the array, and more is false.
func (s *scanner) element(first bool) (more bool, err error) {
	c, err := s.space()
	if err != nil {
		return false, err
	}
	if c == ']' {
		s.i++
		s.depth--
		return false, nil
	}
	if first {
		return true, nil
	}
	if c != ',' {
		return false, s.unexpected("',' or ']'")
	}
	s.i++
	_, err = s.space()
	return true, err
}

// name is a key's text, unescaped if it has to be.
func (s *scanner) name(key span) []byte { return unescaped(key.of(s.b)) }

// end makes sure that nothing but white space follows in memory.
func (s *scanner) end() error {
	for ; s.i < len(s.b); s.i++ {
		if !isSpace(s.b[s.i]) {
			return s.unexpected("the end")
		}
	}
	return nil
}

func (s *scanner) unexpected(want string) error {
	return &SyntaxError{Offset: s.base + int64(s.i), Found: found(s.b[s.i]), Want: want}
}
