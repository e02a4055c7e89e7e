package rawwatch

// early is the first bytes of what a body has next, for whoever reads it then.
type early struct {
	bytes  [16]byte
	lo, hi uint8 // what of bytes is still to be read
	err    error // that came with them
}

// await returns when the body has something to read, or has ended. It asks the
// response itself, past all that takes the body apart: see [stream.await].
func (x *exchange) await() {
	if x.inflater != nil && !x.inflater.between() {
		return
	}
	e := &x.early
	if e.lo == e.hi && e.err == nil {
		n, err := x.resp.Body.Read(e.bytes[:])
		e.lo, e.hi, e.err = 0, uint8(n), err
	}
}

// take gives what was read early, if anything.
func (e *early) take(p []byte) (int, error) {
	n := copy(p, e.bytes[e.lo:e.hi])
	e.lo += uint8(n)
	if e.lo < e.hi {
		return n, nil
	}
	return n, e.err
}
