package checkpoint

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// After the header come frames:
//
//	0  2 bytes  a mark, by which frames are found behind damage
//	2  uint32   the length of the body
//	6  uint32   CRC-32C of the file's id, the frame's offset, the length, the body
//
// A body is a kind, a generation as varint, and what the kind needs:
//
//	part    flags, the size of the records, the records: a piece of a state to come
//	base    an identity, version, time: the parts of this generation are the
//	        state of that watch from now on
//	commit  version, time, flags, size, records: changes of that state
//	forget  nothing: the generation counts no more (today nobody writes it)
//	note    a text for people
//
// The state of a watch is its last base's generation: the parts and commits of
// that, in order. A frame counts as a whole or not at all.
const (
	frameMark0, frameMark1 = 0xC5, 0x9E
	frameHead              = 10

	// maxBody bounds the body of a frame: a batch that does not get smaller,
	// what encryption adds, and the rest.
	maxBody = resume.MaxBatchBytes + 2<<20
)

type frameKind byte

const (
	kindPart frameKind = iota + 1
	kindBase
	kindCommit
	kindForget
	kindNote
)

const (
	flagDeflated = 1 << iota
	flagSealed
	flagKnown = 1<<iota - 1
)

// body is a frame's body, parsed. Its slices point into it.
type body struct {
	kind    frameKind
	gen     uint64
	id      resume.WatchIdentity // of a base
	version string               // of a base and a commit
	at      time.Time            // of a base and a commit
	flags   byte
	size    int    // of the records, when they are neither deflated nor sealed
	records []byte // as they are in the file
	note    string
}

// checksum is that of a frame. With id and offset in it, a frame that is a
// rest of another file, or at another place, does not count.
func checksum(id [8]byte, offset int64, body []byte) uint32 {
	var seed [20]byte
	copy(seed[:], id[:])
	binary.LittleEndian.PutUint64(seed[8:], uint64(offset))
	binary.LittleEndian.PutUint32(seed[16:], uint32(len(body)))
	return crc32.Update(crc32.Checksum(seed[:], castagnoli), castagnoli, body)
}

// closeFrame fills in the head of the frame that is in b from start on.
func closeFrame(b []byte, start int, id [8]byte, offset int64) {
	head, body := b[start:start+frameHead], b[start+frameHead:]
	head[0], head[1] = frameMark0, frameMark1
	binary.LittleEndian.PutUint32(head[2:], uint32(len(body)))
	binary.LittleEndian.PutUint32(head[6:], checksum(id, offset, body))
}

func appendString[T string | []byte](dst []byte, s T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func appendKind(dst []byte, kind frameKind, gen uint64) []byte {
	return binary.AppendUvarint(append(dst, byte(kind)), gen)
}

func appendTime(dst []byte, format int, at time.Time) []byte {
	if format == 0 {
		return dst
	}
	return binary.AppendVarint(dst, at.UnixMilli())
}

func identityFields(id *resume.WatchIdentity) [10]*string {
	return [...]*string{&id.Watch, &id.Cluster, &id.Group, &id.Version, &id.Resource,
		&id.Namespace, &id.LabelSelector, &id.FieldSelector, &id.Schema, &id.Format}
}

// appendBase appends the body of a base.
func appendBase(dst []byte, format int, gen uint64, id resume.WatchIdentity, version string, at time.Time) []byte {
	dst = appendKind(dst, kindBase, gen)
	for _, field := range identityFields(&id) {
		dst = appendString(dst, *field)
	}
	return appendTime(appendString(dst, version), format, at)
}

// parseBody is false for what makes no sense.
func parseBody(b []byte, format int) (f body, ok bool) {
	p := parser{b: b, ok: true}
	f.kind, f.gen = frameKind(p.byte()), p.uvarint()
	switch f.kind {
	case kindBase:
		for _, field := range identityFields(&f.id) {
			*field = string(p.bytes())
		}
		f.version, f.at = string(p.bytes()), p.time(format)
	case kindCommit:
		f.version, f.at = string(p.bytes()), p.time(format)
		p.records(&f)
	case kindPart:
		p.records(&f)
	case kindForget:
	case kindNote:
		f.note = string(p.bytes())
	default:
		return f, false
	}
	return f, p.ok && len(p.b) == 0
}

// parser reads the fields of a body. It goes on after an error, with zeros.
type parser struct {
	b  []byte
	ok bool
}

func (p *parser) fail() { p.b, p.ok = nil, false }

func (p *parser) byte() byte {
	if len(p.b) == 0 {
		p.fail()
		return 0
	}
	c := p.b[0]
	p.b = p.b[1:]
	return c
}

func (p *parser) uvarint() uint64 {
	v, n := binary.Uvarint(p.b)
	if n <= 0 {
		p.fail()
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *parser) bytes() []byte {
	n := p.uvarint()
	if n > uint64(len(p.b)) {
		p.fail()
		return nil
	}
	s := p.b[:n]
	p.b = p.b[n:]
	return s
}

func (p *parser) time(format int) (at time.Time) {
	if format == 0 {
		return at
	}
	v, n := binary.Varint(p.b)
	if n <= 0 {
		p.fail()
		return at
	}
	p.b = p.b[n:]
	return time.UnixMilli(v)
}

func (p *parser) records(f *body) {
	f.flags = p.byte()
	size := p.uvarint()
	if f.flags&^flagKnown != 0 || size > resume.MaxBatchBytes {
		p.fail()
		return
	}
	f.size, f.records = int(size), p.b
	p.b = nil
}
