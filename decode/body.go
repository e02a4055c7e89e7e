package decode

import "io"

// body is what the two readers share: a scanner upon an input, the value that
// is lent out at its front, and the error that ended it.
type body struct {
	scanner
	input  input
	lent   int  // bytes at the window's front that the caller may be looking at
	begun  bool // a value has been taken
	poison bool
	err    error
}

func (y *body) init(r io.Reader, o Options) {
	y.input.r = r
	y.input.full = y.input.tiny[:]
	y.in = &y.input
	y.max = o.Depth
	y.poison = o.Poison
	y.expect(whatFrame, o.FrameLimit)
}

// expect says what the next value is, and how large it may be.
func (y *body) expect(what string, limit int) { y.input.what, y.input.limit = what, limit }

// begin ends the loan of the last value, whose metadata was m.
func (y *body) begin(m *Meta) error {
	if y.err != nil {
		return y.err
	}
	y.endLoan(m)
	return nil
}

func (y *body) endLoan(m *Meta) {
	if y.lent == 0 {
		return
	}
	if y.poison {
		poison(y.b[:y.lent])
		poison(m.scratch[:cap(m.scratch)])
	}
	lent := y.lent
	y.advance(lent)
	y.lent = 0
	y.idle(lent)
}

// idle lets the input exchange its buffer; nothing may point into it now, the
// window included.
func (y *body) idle(size int) {
	y.input.idle(size)
	y.b = y.input.window()
}

// advance drops n bytes from the window's front.
func (y *body) advance(n int) {
	y.input.consume(n)
	y.b = y.input.window()
	y.base = y.input.offset
	y.i = 0
}

// maxSpace bounds the white space in front of a value. Nobody sends a hundredth
// of it, and without end it would pass for signs of life.
const maxSpace = 1 << 20

// between crosses white space in front of a value without keeping it, and
// returns the value's first byte. io.EOF is the end of the body.
func (y *body) between() (byte, error) {
	start := y.base
	for {
		for y.i < len(y.b) {
			if c := y.b[y.i]; !isSpace(c) {
				y.advance(y.i)
				return c, nil
			}
			y.i++
		}
		if y.advance(y.i); y.base-start > maxSpace {
			return 0, &SyntaxError{Offset: y.base, Found: "more than a mebibyte of white space", Want: "a value or the end"}
		}
		if len(y.b) > 0 {
			continue
		}
		y.idle(0)
		if err := y.input.fill(); err == io.EOF {
			return 0, err
		} else if err != nil {
			return 0, y.torn(err)
		}
		y.b = y.input.window()
	}
}

// drained reports that nothing is left to be looked at, but for white space where
// that may stand between values.
func (y *body) drained(spaces bool) bool {
	for spaces && y.i < len(y.b) && isSpace(y.b[y.i]) {
		y.i++
	}
	y.advance(y.i)
	if len(y.b) > 0 {
		return false
	}
	y.idle(0)
	return true
}

// inside is between where the body must not end.
func (y *body) inside() (byte, error) {
	c, err := y.between()
	if err == io.EOF {
		err = y.torn(err)
	}
	return c, err
}

// pass crosses the opening bracket at i for good.
func (y *body) pass() error {
	if err := y.deeper(); err != nil {
		return err
	}
	y.advance(y.i)
	return nil
}

// take lends out what has been crossed since the window's front.
func (y *body) take() []byte {
	y.lent, y.begun = y.i, true
	return y.b[:y.i:y.i]
}

func (y *body) offset() int64 { return y.input.offset + int64(y.lent) }

// wrongStart is the error for a value that is not the object it should be.
func (y *body) wrongStart(want string) error {
	found := found(y.b[y.i])
	if !y.begun {
		found = y.firstWord()
	}
	return &SyntaxError{Offset: y.base + int64(y.i), Found: found, Want: want, first: !y.begun}
}

// fail ends the body.
func (y *body) fail(err error) error {
	y.err = err
	y.input.release()
	y.b, y.i, y.lent = nil, 0, 0
	return err
}

func (y *body) close(m *Meta) {
	if y.err == nil {
		y.endLoan(m)
	}
	if y.err != ErrClosed {
		y.fail(ErrClosed)
	}
	y.input.r = nil
}
