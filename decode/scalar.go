package decode

// scalar crosses a number or a literal that begins with c at i.
func (s *scanner) scalar(c byte) error {
	switch c {
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if err := s.number(c); err != nil || s.depth == 0 {
			return err
		}
		return s.more() // a number is over only when something else follows
	}
	return s.unexpected("a value")
}

func (s *scanner) literal(word string) error {
	for k := range len(word) {
		if err := s.more(); err != nil {
			return err
		}
		if s.b[s.i] != word[k] {
			return s.unexpected("the rest of " + word)
		}
		s.i++
	}
	return nil
}

// number crosses -? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?, the
// grammar of RFC 8259, section 6.
func (s *scanner) number(c byte) error {
	if c == '-' {
		s.i++
	}
	if s.peek() == '0' {
		s.i++
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.peek() == '.' {
		s.i++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c = s.peek(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits()
	}
	return nil
}

// digits crosses one digit or more.
func (s *scanner) digits() error {
	if c := s.peek(); c < '0' || c > '9' {
		if err := s.more(); err != nil {
			return err
		}
		return s.unexpected("a digit")
	}
	for {
		for s.i < len(s.b) {
			if c := s.b[s.i]; c < '0' || c > '9' {
				return nil
			}
			s.i++
		}
		if c := s.peek(); c < '0' || c > '9' {
			return nil
		}
	}
}

// peek is the byte at i, or 0 (which no number contains) where none follows;
// why none follows comes out when the next token is asked for.
func (s *scanner) peek() byte {
	if s.i >= len(s.b) && s.more() != nil {
		return 0
	}
	return s.b[s.i]
}
