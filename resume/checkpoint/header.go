package checkpoint

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

// The header is the same in all formats, so that any program can say which
// format a file has:
//
//	 0  8 bytes  magic; its end shows a transfer as text, its start one as 7 bits
//	 8  uint16   format
//	10  6 bytes  zero
//	16  8 bytes  the file's id, random: what is written elsewhere fits no other file
//	24  uint64   when the file was made, in milliseconds since 1970
//	32  uint64   how long the file was when it was made
//	40  20 bytes zero
//	60  uint32   CRC-32C of what is before
//
// Numbers are little-endian.
const (
	headerSize = 64
	magic      = "\x89RWCKP\r\n"

	// FormatCurrent is the format that is written, FormatOldest the oldest
	// that is read; a file of an older one is rewritten when it is opened.
	// Format 0 has no times in its frames.
	FormatCurrent = 1
	FormatOldest  = 0
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type header struct {
	format   int
	id       [8]byte
	madeAt   time.Time
	baseSize int64
}

func newHeader(now time.Time) header {
	h := header{format: FormatCurrent, madeAt: now}
	_, _ = rand.Read(h.id[:]) // never fails
	return h
}

func (h *header) bytes() []byte {
	b := make([]byte, headerSize)
	copy(b, magic)
	binary.LittleEndian.PutUint16(b[8:], uint16(h.format))
	copy(b[16:], h.id[:])
	binary.LittleEndian.PutUint64(b[24:], uint64(h.madeAt.UnixMilli()))
	binary.LittleEndian.PutUint64(b[32:], uint64(h.baseSize))
	binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	return b
}

// parseHeader reads the first headerSize bytes of a file, or as many as there
// are, of a file of the given size. The error is a *FormatError.
func parseHeader(b []byte, size int64) (h header, err error) {
	switch {
	case len(b) < len(magic) || !bytes.Equal(b[:len(magic)], []byte(magic)):
		return h, &FormatError{Foreign, 0, "this is not a checkpoint: the magic bytes are missing"}
	case len(b) < headerSize:
		return h, &FormatError{Truncated, int64(len(b)), "the file ends within its header"}
	case crc32.Checksum(b[:60], castagnoli) != binary.LittleEndian.Uint32(b[60:]):
		return h, &FormatError{Corrupt, 0, "the header's checksum does not hold"}
	}
	h.format = int(binary.LittleEndian.Uint16(b[8:]))
	copy(h.id[:], b[16:])
	h.madeAt = time.UnixMilli(int64(binary.LittleEndian.Uint64(b[24:])))
	h.baseSize = int64(binary.LittleEndian.Uint64(b[32:]))
	switch {
	case h.format > FormatCurrent:
		return h, &FormatError{OtherVersion, 8, fmt.Sprintf("the file has format %d, this program knows formats %d to %d: it was written by a newer program", h.format, FormatOldest, FormatCurrent)}
	case h.baseSize < headerSize:
		return h, &FormatError{Corrupt, 32, "the header says a size that cannot be"}
	case h.baseSize > size:
		return h, &FormatError{Truncated, size, fmt.Sprintf("the file ends, and was %d bytes long when it was made", h.baseSize)}
	}
	return h, nil
}
