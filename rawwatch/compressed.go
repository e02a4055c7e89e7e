package rawwatch

import (
	"compress/flate"
	"errors"
	"io"
	"sync"
)

// compressed buffers a body for an [inflater], which reads it byte by byte. It
// holds its large buffer only while there is something in it.
type compressed struct {
	body   io.Reader
	data   []byte // what is buffered; part of first or of *large
	first  [16]byte
	large  *[]byte // from the pool; nil while nothing is buffered
	err    error   // of the body, for when data is used up
	offset int64   // of the end of data
}

// compressedBuffers holds what bodies are read into.
var compressedBuffers = sync.Pool{New: func() any {
	b := make([]byte, 8<<10)
	return &b
}}

// wait returns when there is a byte to read, without holding a buffer
// meanwhile. io.EOF is the end of the body.
func (c *compressed) wait() error {
	if len(c.data) > 0 {
		return nil
	}
	c.release()
	return c.fill(c.first[:])
}

// fill reads until there is data.
func (c *compressed) fill(buffer []byte) error {
	for range maxEmptyReads {
		if c.err != nil {
			return c.err
		}
		var n int
		n, c.err = c.body.Read(buffer)
		c.data = buffer[:n]
		c.offset += int64(n)
		if n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}

// maxEmptyReads bounds how often a body may say nothing, and no error either.
const maxEmptyReads = 100

func (c *compressed) more() error {
	if len(c.data) > 0 {
		return nil
	}
	if c.large == nil {
		c.large = compressedBuffers.Get().(*[]byte)
	}
	return c.fill(*c.large)
}

// Read implements io.Reader.
func (c *compressed) Read(p []byte) (int, error) {
	if err := c.more(); err != nil {
		return 0, err
	}
	n := copy(p, c.data)
	c.data = c.data[n:]
	return n, nil
}

// ReadByte implements io.ByteReader, which keeps the inflater from reading
// ahead of the member's end.
func (c *compressed) ReadByte() (byte, error) {
	if err := c.more(); err != nil {
		return 0, err
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b, nil
}

// release gives the buffer back, and drops what is in it.
func (c *compressed) release() {
	if c.large != nil {
		compressedBuffers.Put(c.large)
		c.large = nil
	}
	c.data = nil
}

func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt)
}
