package rawwatch

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"
)

// inflater reads a gzip body while it arrives. API servers send an initial
// stream as one gzip member for each frame (seen on v1.37), so the end of a
// member is where a stream is idle: whatever was inflated is delivered there,
// and the window and buffers go back to their pools before the next byte is
// waited for. The limits on frames, items and documents are those of what
// comes out.
type inflater struct {
	in     compressed
	member *gzip.Reader // nil between members
	ahead  [1]byte      // of what was inflated, if it was read early
	early  bool         // it was
}

// inflaters holds windows of 40 KB, too many to keep one for each watch.
var inflaters sync.Pool // of *gzip.Reader

// Read implements io.Reader.
func (i *inflater) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if i.early {
		i.early = false
		return copy(p, i.ahead[:]), nil
	}
	for {
		if i.member == nil {
			if err := i.begin(); err != nil {
				return 0, err
			}
		}
		n, err := i.member.Read(p)
		if errors.Is(err, io.EOF) {
			i.release()
			err = nil
		}
		if n > 0 || err != nil {
			return n, i.located(err)
		}
	}
}

// begin waits for the next member. io.EOF is the end of the body.
func (i *inflater) begin() error {
	if err := i.in.wait(); err != nil {
		return err
	}
	z, _ := inflaters.Get().(*gzip.Reader)
	if z == nil {
		z = new(gzip.Reader)
	}
	if err := z.Reset(&i.in); err != nil {
		inflaters.Put(z)
		return i.located(err)
	}
	z.Multistream(false)
	i.member = z
	return nil
}

// between reports that the next thing to wait for is another member; nothing that
// was read is left then, and no buffer is held. The end of a member may come a
// little after all that it holds: between waits for it.
func (i *inflater) between() bool {
	if i.early {
		return false
	}
	if i.member != nil {
		n, err := i.member.Read(i.ahead[:])
		i.early = n > 0
		if errors.Is(err, io.EOF) {
			i.release()
		}
		if i.early || i.member != nil { // an error is told again by the next Read
			return false
		}
	}
	if len(i.in.data) > 0 {
		return false
	}
	i.in.release()
	return true
}

// release gives back what is only needed within a member.
func (i *inflater) release() {
	if i.member != nil {
		inflaters.Put(i.member)
		i.member = nil
	}
}

// close gives everything back; the inflater must not be read any more.
func (i *inflater) close() {
	i.release()
	i.in.release()
}

// located says where in the compressed body the bytes went wrong. What the
// transport says is passed on as it is.
func (i *inflater) located(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // within a header or a trailer
	}
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || isCorrupt(err) {
		return &InflateError{Offset: i.in.offset, Err: err}
	}
	return err
}

// InflateError is a compressed body that is not gzip as of RFC 1952.
type InflateError struct {
	// Offset in the compressed body up to which it was read.
	Offset int64
	// Err says what is wrong; never nil.
	Err error
}

// Error implements error.
func (e *InflateError) Error() string {
	return fmt.Sprintf("the body is no valid gzip, before byte %d of it: %v; set disable-compression for the kubeconfig's cluster if a proxy spoils it", e.Offset, e.Err)
}

// Unwrap gives the cause.
func (e *InflateError) Unwrap() error { return e.Err }
