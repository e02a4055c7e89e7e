package checkpoint

import (
	"io"
)

// image is a checkpoint's bytes: those in a file, and behind them those that
// are in memory only, because there is no file or its medium fails. It is a
// value; what it refers to is only appended to.
type image struct {
	header header
	file   File  // nil when all is in memory
	end    int64 // of what is in the file
	tail   []byte
}

func (m *image) size() int64 { return m.end + int64(len(m.tail)) }

// ReadAt implements io.ReaderAt.
func (m *image) ReadAt(p []byte, off int64) (n int, err error) {
	if off < m.end {
		part := p[:min(int64(len(p)), m.end-off)]
		n, err = m.file.ReadAt(part, off)
		if n < len(part) {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
		off += int64(n)
	}
	if at := off - m.end; n < len(p) && at < int64(len(m.tail)) {
		n += copy(p[n:], m.tail[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// frameRef is where a frame is.
type frameRef struct {
	offset int64
	length int // of the body
}

// readFrame reads the frame at offset into buf, which it may replace. ok is
// false when there is no whole frame.
func (m *image) readFrame(offset int64, buf []byte) (frame []byte, ok bool, err error) {
	rest := m.size() - offset
	if rest < frameHead {
		return buf, false, nil
	}
	var head [frameHead]byte
	if _, err := m.ReadAt(head[:], offset); err != nil {
		return buf, false, err
	}
	length, ok := frameLength(head[:], rest)
	if !ok {
		return buf, false, nil
	}
	if int64(cap(buf)) < length {
		buf = make([]byte, length)
	}
	buf = buf[:length]
	if _, err := m.ReadAt(buf, offset+frameHead); err != nil {
		return buf, false, err
	}
	return buf, checksum(m.header.id, offset, buf) == frameSum(head[:]), nil
}
