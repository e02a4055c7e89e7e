package checkpoint

import (
	"context"

	"github.com/rawwatch/rawwatch/resume"
)

// replacement is one Replace: parts of a generation that is nothing until its
// base is written.
type replacement struct {
	store   *Store
	id      resume.WatchIdentity
	gen     uint64
	batch   resume.Batch
	payload int64
}

func (r *replacement) begin() error {
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return resume.ErrCheckpointClosed
	}
	r.gen = s.contents.nextGen
	s.contents.nextGen++
	s.replacing++
	return nil
}

func (r *replacement) end() {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	r.store.replacing--
}

func (r *replacement) add(ctx context.Context, record *resume.Record) error {
	if record.Object != nil {
		if err := r.store.checkSecrets(r.id); err != nil {
			return err
		}
	}
	if len(record.Object) > resume.MaxBatchBytes-chunk {
		return &TooLargeError{Size: int64(len(record.Object)), Limit: resume.MaxBatchBytes - chunk}
	}
	if r.batch.Size()+len(record.Object) > resume.MaxBatchBytes-chunk {
		if err := r.part(ctx); err != nil {
			return err
		}
	}
	if r.batch.Add(record); r.batch.Size() < chunk {
		return nil
	}
	return r.part(ctx)
}

// part writes what has come together.
func (r *replacement) part(ctx context.Context) error {
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed {
		return resume.ErrCheckpointClosed
	}
	frame, err := r.appendPart(s.frame[:0])
	if err != nil {
		return err
	}
	s.write(frame)
	return nil
}

// appendPart appends a whole frame to nothing. It needs mu.
func (r *replacement) appendPart(dst []byte) ([]byte, error) {
	s := r.store
	dst = appendKind(append(dst, make([]byte, frameHead)...), kindPart, r.gen)
	dst, err := s.packer.pack(dst, s.image.header.id, r.gen, r.batch.Bytes())
	if err != nil {
		return dst, err
	}
	closeFrame(dst, 0, s.image.header.id, s.image.size())
	r.payload += r.batch.Payload()
	r.batch.Reset()
	return dst, nil
}

func (r *replacement) commit(ctx context.Context, version string) error {
	if r.batch.Len() > 0 {
		if err := r.part(ctx); err != nil {
			return err
		}
	}
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed {
		return resume.ErrCheckpointClosed
	}
	now := s.o.Now()
	frame := append(s.frame[:0], make([]byte, frameHead)...)
	frame = appendBase(frame, s.image.header.format, r.gen, r.id, version, now)
	closeFrame(frame, 0, s.image.header.id, s.image.size())
	s.write(frame)
	s.contents.take(&body{kind: kindBase, gen: r.gen, id: r.id, version: version, at: now}, now)
	s.done(ctx, r.payload+int64(len(version)))
	return nil
}
