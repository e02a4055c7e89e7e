package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// errReaderLeft ends a command whose output nobody reads any more. It is no
// failure: head and grep -q do this.
var errReaderLeft = errors.New("the reader of standard output has left")

// keepBuffer is the largest line buffer kept for the next line: one huge
// object must not weigh for ever.
const keepBuffer = 256 << 10

// output writes lines to standard output: one buffer for the line at hand, one
// for those that wait to be flushed.
type output struct {
	w    *bufio.Writer
	line []byte
}

func newOutput(w io.Writer) *output {
	return &output{w: bufio.NewWriterSize(w, 64<<10)}
}

// writeLine lets fill append a line to an empty slice, and writes it. What
// fill fails with is returned as it is, and nothing is written.
func (o *output) writeLine(fill func(dst []byte) ([]byte, error)) error {
	line, err := fill(o.line[:0])
	if err != nil {
		return err
	}
	line = append(line, '\n')
	_, err = o.w.Write(line)
	if o.line = line[:0]; cap(line) > keepBuffer {
		o.line = nil
	}
	return writeError(err)
}

func (o *output) flush() error { return writeError(o.w.Flush()) }

func writeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return errReaderLeft
	}
	return fmt.Errorf("cannot write to standard output: %w", err)
}
