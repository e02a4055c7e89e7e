package checkpoint

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"

	"github.com/rawwatch/rawwatch/resume"
)

// fold yields the state of a generation, each object once. It reads the frames
// from the last to the first, so that what is seen first counts, and keeps of
// each key 16 bytes: a hash of two seeds, chosen anew each time, so that a
// collision is nothing that names could be made for. Beside that it holds one
// frame at a time.
func fold(ctx context.Context, m *image, frames []frameRef, encryption Encryption) iter.Seq2[resume.Record, error] {
	return func(yield func(resume.Record, error) bool) {
		f := folder{image: m, seen: map[[2]uint64]struct{}{}, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
		f.encryption = encryption
		for i := len(frames) - 1; i >= 0; i-- {
			if err := ctx.Err(); err != nil {
				yield(resume.Record{}, err)
				return
			}
			if !f.frame(frames[i], yield) {
				return
			}
		}
	}
}

type folder struct {
	unpacker
	image *image
	seeds [2]maphash.Seed
	seen  map[[2]uint64]struct{}
	buf   []byte
	keys  [][2]uint64
	key   []byte
}

// superseded stands for the hash of a record that does not count. That a key has
// this hash is as likely as any other collision of 128 bits.
var superseded [2]uint64

const cannotUnpack = "a frame's checksum holds, but its records cannot be read"

// frame yields what counts of one frame. It is false when the loop is over.
func (f *folder) frame(ref frameRef, yield func(resume.Record, error) bool) bool {
	records, err := f.load(ref)
	if err == nil {
		err = f.hash(records)
	}
	if err != nil {
		var seal *SealError
		var bad *resume.BatchError
		if !errors.As(err, &seal) && (errors.Is(err, errSize) || errors.As(err, &bad)) {
			err = &FormatError{Corrupt, ref.offset, cannotUnpack}
		}
		yield(resume.Record{}, err)
		return false
	}
	// Within a frame too the last record of a key counts.
	counts := f.keys
	for i := len(counts) - 1; i >= 0; i-- {
		if _, known := f.seen[counts[i]]; known {
			counts[i] = superseded
			continue
		}
		f.seen[counts[i]] = struct{}{}
	}
	reader := resume.BatchReader{Data: records}
	var r resume.Record
	for i := 0; ; i++ {
		more, err := reader.Next(&r)
		if !more || err != nil {
			return err == nil
		}
		if counts[i] != superseded && !r.Deleted && !yield(r, nil) {
			return false
		}
	}
}

// load reads a frame again, whose sum held when it was scanned.
func (f *folder) load(ref frameRef) ([]byte, error) {
	frame, whole, err := f.image.readFrame(ref.offset, f.buf)
	if err != nil {
		return nil, err
	}
	f.buf = frame
	b, ok := parseBody(frame, f.image.header.format)
	if !whole || !ok {
		return nil, &FormatError{Corrupt, ref.offset, "a frame's checksum does not hold any more"}
	}
	return f.unpack(f.image.header.id, &b)
}

func (f *folder) hash(records []byte) error {
	f.keys = f.keys[:0]
	reader := resume.BatchReader{Data: records}
	var r resume.Record
	for {
		more, err := reader.Next(&r)
		if !more || err != nil {
			return err
		}
		f.key = append(append(append(f.key[:0], r.Meta.Namespace...), 0), r.Meta.Name...)
		f.keys = append(f.keys, [2]uint64{maphash.Bytes(f.seeds[0], f.key), maphash.Bytes(f.seeds[1], f.key)})
	}
}

// framesOf finds the frames with records of a generation, in an image that was
// whole when it was opened.
func framesOf(m *image, gen uint64) ([]frameRef, error) {
	var frames []frameRef
	c, err := scan(m, func(ref frameRef, f *body) {
		if f.gen == gen && f.hasRecords() {
			frames = append(frames, ref)
		}
	})
	if err == nil && c.end < m.size() {
		err = &FormatError{Corrupt, c.end, "a frame's checksum does not hold any more"}
	}
	return frames, err
}
