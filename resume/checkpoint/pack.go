package checkpoint

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"

	stateless "github.com/klauspost/compress/flate"

	"github.com/rawwatch/rawwatch/resume"
)

// packer turns records into what stands in a frame, and back. Deflating
// without state keeps no memory between commits, where an ordinary deflater
// would hold almost a megabyte; see docs/checkpoints.md. What inflates is the
// standard library's, which every client has linked for gzip. It is not safe for
// concurrent use.
type packer struct {
	encryption Encryption
	scratch    bytes.Buffer
	associated []byte
}

// keepScratch is the largest buffer that is kept between frames.
const keepScratch = 32 << 10

// leastDeflated is how many bytes are worth the effort: the text of one note is
// mostly a uid, which does not get smaller.
const leastDeflated = 128

// pack appends flags, size and the packed records to dst.
func (p *packer) pack(dst []byte, id [8]byte, gen uint64, records []byte) ([]byte, error) {
	var flags byte
	packed := records
	p.scratch.Reset()
	if len(records) < leastDeflated {
		// as they are
	} else if err := p.deflate(records); err == nil && p.scratch.Len() < len(records) {
		packed = p.scratch.Bytes()
		flags |= flagDeflated
	}
	if p.encryption == nil || len(records) == 0 {
		dst = append(binary.AppendUvarint(append(dst, flags), uint64(len(records))), packed...)
	} else {
		var err error
		dst = binary.AppendUvarint(append(dst, flags|flagSealed), uint64(len(records)))
		if dst, err = p.encryption.Seal(dst, packed, p.associate(id, gen)); err != nil {
			return dst, &SealError{err}
		}
	}
	if p.scratch.Cap() > keepScratch {
		p.scratch = bytes.Buffer{}
	}
	return dst, nil
}

// deflate fills scratch. The deflater's tables are on its stack, more than a
// quarter of a megabyte: a goroutine that ends takes them along, where the
// caller's stack would stay that large.
func (p *packer) deflate(records []byte) error {
	done := make(chan error, 1)
	go func() { done <- stateless.StatelessDeflate(&p.scratch, records, true, nil) }()
	return <-done
}

// associate binds sealed records to their file and generation.
func (p *packer) associate(id [8]byte, gen uint64) []byte {
	p.associated = append(p.associated[:0], "rawwatch checkpoint "...)
	p.associated = append(p.associated, id[:]...)
	p.associated = binary.LittleEndian.AppendUint64(p.associated, gen)
	return p.associated
}

// unpacker holds what reading frames needs, for the time of one reading.
type unpacker struct {
	packer
	opened   []byte
	inflated []byte
	source   bytes.Reader
	inflater io.ReadCloser
}

var errSize = errors.New("the records have another size than they should")

// unpack gives a frame's records, valid until the next call. It never takes
// more memory than the records' size, nor more than that size allows.
func (u *unpacker) unpack(id [8]byte, f *body) ([]byte, error) {
	packed := f.records
	if f.flags&flagSealed != 0 {
		if u.encryption == nil {
			return nil, &SealError{errNoEncryption}
		}
		var err error
		if u.opened, err = u.encryption.Open(u.opened[:0], packed, u.associate(id, f.gen)); err != nil {
			return nil, &SealError{err}
		}
		packed = u.opened
	}
	if f.flags&flagDeflated == 0 {
		if len(packed) != f.size {
			return nil, errSize
		}
		return packed, nil
	}
	return u.inflate(packed, f.size)
}

// maxInflation is the most that DEFLATE makes of a byte (RFC 1951: 258 bytes of
// two bits).
const maxInflation = 1032

func (u *unpacker) inflate(packed []byte, size int) ([]byte, error) {
	if size > maxInflation*(len(packed)+1) {
		return nil, errSize
	}
	u.source.Reset(packed)
	if u.inflater == nil {
		u.inflater = flate.NewReader(&u.source)
	} else if err := u.inflater.(flate.Resetter).Reset(&u.source, nil); err != nil {
		return nil, err
	}
	if cap(u.inflated) < size {
		u.inflated = make([]byte, size)
	}
	u.inflated = u.inflated[:size]
	if _, err := io.ReadFull(u.inflater, u.inflated); err != nil {
		return nil, errSize
	}
	var more [1]byte
	if n, _ := u.inflater.Read(more[:]); n > 0 {
		return nil, errSize
	}
	return u.inflated, nil
}

// hasRecords reports that a frame changes objects.
func (f *body) hasRecords() bool { return f.size > 0 }

// checkBatch refuses what does not fit into a frame.
func checkBatch(b *resume.Batch) error {
	if size := int64(b.Size()); size > resume.MaxBatchBytes {
		return &TooLargeError{Size: size, Limit: resume.MaxBatchBytes}
	}
	return nil
}
