package decode

import (
	"errors"
	"io"
)

// maxEmptyReads is how often in a row a reader may return nothing and no
// error, as in package bufio.
const maxEmptyReads = 100

// patience is how many small values must follow a giant one before its buffer
// is exchanged for a small one.
const patience = 16

var errBadRead = errors.New("the reader returned an impossible count")

// input is a window that moves along the body: it begins at the value being
// decoded (a frame, a list item) and ends where reading has come to. It grows
// only while that one value does not fit.
type input struct {
	r          io.Reader
	full       []byte // the storage: tiny, or block's bytes
	start, end int    // the window within full
	offset     int64  // of the window's start, from the body's
	limit      int    // bytes that the current value may have
	what       string // the current value, for a LimitError
	err        error  // of r, delivered once the bytes before it are used up
	block      *block // nil while tiny suffices
	small      int    // small values in a row since the buffer became a giant
	tiny       [tinyBuffer]byte
}

func (in *input) held() []byte { return in.full[in.start:in.end] }

// window is what may be looked at: no more than the current value may have, so
// that what is found does not depend on how much happens to have arrived.
func (in *input) window() []byte { return in.full[in.start:min(in.end, in.start+in.limit)] }

// fill reads at least one more byte into the window, or says why not: io.EOF,
// the reader's error, or a *LimitError.
func (in *input) fill() error {
	if in.end-in.start >= in.limit {
		return &LimitError{What: in.what, Limit: in.limit, Offset: in.offset}
	}
	if in.err != nil {
		return in.err
	}
	in.makeRoom()
	for range maxEmptyReads {
		n, err := in.r.Read(in.full[in.end:])
		if n < 0 || n > len(in.full)-in.end {
			n, err = 0, errBadRead
		}
		in.end += n
		in.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	in.err = io.ErrNoProgress
	return in.err
}

// makeRoom leaves at least one free byte behind the window. The storage is
// doubled when the value fills more than half of it, so that moving costs a
// constant per byte; otherwise the window moves to the front.
func (in *input) makeRoom() {
	held, size := in.end-in.start, len(in.full)
	switch free := size - in.end; {
	case held == 0:
		in.start, in.end = 0, 0
	case free >= size/8 || free > 0 && in.start < size/2:
		// enough for a read that is worth it
	case held <= size/2 || size >= in.limit:
		in.end = copy(in.full, in.held())
		in.start = 0
	default:
		in.grow(min(max(2*size, smallBuffer), in.limit))
	}
}

func (in *input) grow(size int) {
	old, b := in.block, borrow(size)
	in.end = copy(b.bytes, in.held())
	in.start, in.full, in.block = 0, b.bytes, b
	if old != nil {
		giveBack(old)
	}
}

// consume moves the window's start over n bytes that are done with.
func (in *input) consume(n int) {
	in.start += n
	in.offset += int64(n)
}

// idle is called between values, the last of which had size bytes. It gives
// the borrowed buffer back when nothing is left in it, and a giant one when
// values have long been small again (at once would make a stream of large
// values allocate for each).
func (in *input) idle(size int) {
	held := in.end - in.start
	if size >= smallBuffer {
		in.small = 0
	}
	switch {
	case in.block == nil:
	case held == 0:
		in.release()
	case len(in.full) > largeBuffer && held <= smallBuffer/2:
		if in.small++; in.small >= patience {
			in.grow(smallBuffer)
		}
	}
}

// release drops the window and gives its buffer back.
func (in *input) release() {
	if in.block != nil {
		giveBack(in.block)
	}
	in.block, in.full, in.start, in.end = nil, in.tiny[:], 0, 0
}
