package resume

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/rawwatch/rawwatch/decode"
)

// MaxBatchBytes bounds a batch, in bytes as [Batch.Size] counts them. One
// object of the largest size that is read from a server fits. Callers commit
// long before: a batch is in memory as a whole.
const MaxBatchBytes = 32 << 20

// Record is the state of one object, or its deletion.
type Record struct {
	// Meta is Namespace, Name, UID and ResourceVersion; the last two are
	// empty for a deletion. Nothing else of it is used.
	Meta decode.Meta
	// Object is what the caller keeps of the object, opaque; nil for nothing.
	Object  []byte
	Deleted bool
}

// Batch collects changes for [Checkpoint.Commit], in order: a later change of a
// key overrides an earlier one. It copies what it is given, in a compact
// encoding that is also what checkpoints store, so that a batch is encoded
// once. The zero value is empty and ready to use. It is not safe for
// concurrent use and must not be copied.
type Batch struct {
	buf     []byte
	records int
	objects int
	payload int64
	ns, end int // where the last record's namespace is in buf
}

// What the first byte of a record says.
const (
	recordDeleted   = 1 << iota // namespace and name only
	recordSameSpace             // no namespace: that of the record before
	recordUUID                  // the uid is 16 bytes
	recordNumber                // the version is a varint
	recordObject                // there is an object
	recordKnownBits = 1<<iota - 1
)

// Put takes in an object's state: Namespace, Name, UID and ResourceVersion of
// m, and object, which may be nil.
func (b *Batch) Put(m *decode.Meta, object []byte) {
	flags := b.begin(m.Namespace)
	uuid, isUUID := parseUUID(m.UID)
	version, isNumber := parseVersion(m.ResourceVersion)
	if isUUID {
		flags |= recordUUID
	}
	if isNumber {
		flags |= recordNumber
	}
	if object != nil {
		flags |= recordObject
	}
	b.key(flags, m)
	if isUUID {
		b.buf = append(b.buf, uuid[:]...)
	} else {
		b.buf = appendBytes(b.buf, m.UID)
	}
	if isNumber {
		b.buf = binary.AppendUvarint(b.buf, version)
	} else {
		b.buf = appendBytes(b.buf, m.ResourceVersion)
	}
	if object != nil {
		b.buf = appendBytes(b.buf, object)
		b.objects++
	}
	b.payload += int64(len(m.UID) + len(m.ResourceVersion) + len(object))
}

// Delete takes in that the object with m's Namespace and Name is gone.
func (b *Batch) Delete(m *decode.Meta) { b.key(b.begin(m.Namespace)|recordDeleted, m) }

// Add takes in a record: Put, or Delete when it says so.
func (b *Batch) Add(r *Record) {
	if r.Deleted {
		b.Delete(&r.Meta)
		return
	}
	b.Put(&r.Meta, r.Object)
}

// begin gives the flag that saves the namespace where it is the one before.
func (b *Batch) begin(namespace []byte) byte {
	if b.records > 0 && string(b.buf[b.ns:b.end]) == string(namespace) {
		return recordSameSpace
	}
	return 0
}

func (b *Batch) key(flags byte, m *decode.Meta) {
	b.buf = append(b.buf, flags)
	if flags&recordSameSpace == 0 {
		b.buf = appendBytes(b.buf, m.Namespace)
		b.ns, b.end = len(b.buf)-len(m.Namespace), len(b.buf)
	}
	b.buf = appendBytes(b.buf, m.Name)
	b.records++
	b.payload += int64(len(m.Namespace) + len(m.Name))
}

// Len is the number of changes, those overridden included.
func (b *Batch) Len() int { return b.records }

// Objects is the number of changes that carry an object's bytes.
func (b *Batch) Objects() int { return b.objects }

// Size is the number of bytes that the batch takes, encoded.
func (b *Batch) Size() int { return len(b.buf) }

// Payload is the number of bytes that were given: keys, uids, versions and
// objects as text.
func (b *Batch) Payload() int64 { return b.payload }

// Bytes is the encoded batch, for [BatchReader]. It is the batch's own memory,
// valid until the batch is changed.
func (b *Batch) Bytes() []byte { return b.buf }

// keepBatch is the largest buffer that Reset keeps.
const keepBatch = 64 << 10

// Reset empties the batch. It keeps its memory for the next one, unless that
// is more than 64 KiB.
func (b *Batch) Reset() {
	buf := b.buf[:0]
	if cap(buf) > keepBatch {
		buf = nil
	}
	*b = Batch{buf: buf}
}

func appendBytes(dst, s []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// BatchError says where encoded changes make no sense. They are from elsewhere,
// or damaged.
type BatchError struct{ Offset int }

// Error gives the offset.
func (e *BatchError) Error() string {
	return fmt.Sprintf("checkpoint: no record at byte %d of the batch", e.Offset)
}

// BatchReader reads what [Batch.Bytes] gave. It allocates nothing, keeps
// slices of Data in the records that it fills, and never reads outside of it.
type BatchReader struct {
	Data []byte

	at      int
	space   []byte
	begun   bool
	uid     [36]byte
	version [20]byte
}

// Reset makes the reader begin with data.
func (r *BatchReader) Reset(data []byte) { *r = BatchReader{Data: data} }

// Next fills rec with the next record, which is valid until the next call. It
// is false at the end. The error is a [*BatchError].
func (r *BatchReader) Next(rec *Record) (bool, error) {
	if r.at == len(r.Data) {
		return false, nil
	}
	start := r.at
	if !r.read(rec) {
		r.at = len(r.Data)
		return false, &BatchError{Offset: start}
	}
	return true, nil
}

func (r *BatchReader) read(rec *Record) (ok bool) {
	flags := r.Data[r.at]
	r.at++
	if flags&^recordKnownBits != 0 || flags&recordSameSpace != 0 && !r.begun {
		return false
	}
	*rec = Record{Deleted: flags&recordDeleted != 0}
	if flags&recordSameSpace == 0 {
		if r.space, ok = r.bytes(); !ok {
			return false
		}
		r.begun = true
	}
	rec.Meta.Namespace = r.space
	if rec.Meta.Name, ok = r.bytes(); !ok {
		return false
	}
	if rec.Deleted {
		return flags&(recordUUID|recordNumber|recordObject) == 0
	}
	if !r.readUID(rec, flags) || !r.readVersion(rec, flags) {
		return false
	}
	if flags&recordObject != 0 {
		rec.Object, ok = r.bytes()
		return ok
	}
	return true
}

func (r *BatchReader) readUID(rec *Record, flags byte) (ok bool) {
	if flags&recordUUID == 0 {
		rec.Meta.UID, ok = r.bytes()
		return ok
	}
	raw, ok := r.take(16)
	if ok {
		rec.Meta.UID = appendUUID(r.uid[:0], [16]byte(raw))
	}
	return ok
}

func (r *BatchReader) readVersion(rec *Record, flags byte) (ok bool) {
	if flags&recordNumber == 0 {
		rec.Meta.ResourceVersion, ok = r.bytes()
		return ok
	}
	v, ok := r.uvarint()
	rec.Meta.ResourceVersion = strconv.AppendUint(r.version[:0], v, 10)
	return ok
}

func (r *BatchReader) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(r.Data[r.at:])
	if n <= 0 {
		return 0, false
	}
	r.at += n
	return v, true
}

func (r *BatchReader) take(n uint64) ([]byte, bool) {
	if n > uint64(len(r.Data)-r.at) {
		return nil, false
	}
	b := r.Data[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b, true
}

func (r *BatchReader) bytes() ([]byte, bool) {
	n, ok := r.uvarint()
	if !ok {
		return nil, false
	}
	return r.take(n)
}
