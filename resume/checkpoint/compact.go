package checkpoint

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"

	"github.com/rawwatch/rawwatch/resume"
)

// compactIfLarge rewrites an image that has grown by more than its state. It
// needs mu, as all in this file. A failure is none of the caller's: what was
// committed is committed.
func (s *Store) compactIfLarge(ctx context.Context) {
	inMemory := s.image.file == nil || s.resigned || s.degraded()
	size := s.image.end
	if inMemory {
		size = int64(len(s.image.tail))
	}
	grown := size - s.base
	if grown <= max(s.o.CompactFrom, int64(s.o.CompactFactor)*s.base) || size < s.notBefore || s.readers > 0 || s.replacing > 0 {
		return
	}
	var err error
	if inMemory {
		err = s.foldIntoMemory(ctx)
	} else {
		err = s.rewrite(ctx)
	}
	if err != nil && inMemory && ctx.Err() == nil {
		err = s.lose(err) // or memory would grow without bound
	}
	if err != nil {
		s.notBefore = size + s.o.CompactFrom
		s.o.Logger.Log(context.Background(), slog.LevelWarn, "the checkpoint could not be compacted", "path", s.path, "error", err)
	}
}

// build writes the states of all watches into a new image through write, and
// gives its header and size. Their generations are then 1, 2, … in the order of
// their names.
func (s *Store) build(ctx context.Context, write func(int64, []byte) error) (header, error) {
	snap := newSnapshot(newHeader(s.o.Now()), s.o.Encryption, write)
	for _, w := range s.contents.sorted() {
		if _, err := snap.watch(ctx, w, &s.image); err != nil {
			return header{}, err
		}
	}
	return snap.finish(), nil
}

// built makes a new image the image.
func (s *Store) built(m image) {
	old := s.image
	s.image = m
	fresh := newContents()
	for i, w := range s.contents.sorted() {
		w.gen = uint64(i + 1)
		fresh.watches[w.id.Watch], fresh.byGen[w.gen] = w, w
		fresh.nextGen = w.gen + 1
	}
	s.contents = fresh
	s.base, s.notBefore = m.size(), 0
	if old.file != nil && old.file != m.file {
		_ = old.file.Close() // nothing in it is needed any more
	}
}

// rewrite puts a new file in the place of the old one. At every instant there
// is one whole file of that name.
func (s *Store) rewrite(ctx context.Context) error {
	f, h, err := s.writeFile(s.path+newSuffix, func(write func(int64, []byte) error) (header, error) {
		return s.build(ctx, write)
	})
	if err != nil {
		return s.lost(err)
	}
	if f, err = s.takePlace(f); err != nil {
		return err
	}
	s.built(image{header: h, file: f, end: h.baseSize})
	s.unsynced, s.suspect = false, false
	s.tell(func(st *resume.CheckpointStatus) { st.Compactions++ })
	if err := s.o.FS.SyncDir(directory(s.path)); err != nil {
		s.suspect = true // the old file may come back
		return err
	}
	return nil
}

// lost looks whether a state could not be read back. Then there is nothing to
// go on from: what follows must begin anew.
func (s *Store) lost(err error) error {
	var damage *FormatError
	if !errors.As(err, &damage) {
		return err
	}
	return s.lose(err)
}

// lose begins anew, in memory; callers learn it from ErrNothingSaved.
func (s *Store) lose(err error) error {
	lost := &SetAsideError{Path: s.path, Aside: "(nothing)", Err: err}
	if !s.resigned {
		// Where the file cannot be renamed, it cannot be replaced either.
		lost.Aside, _ = s.asideWhole(Corrupt)
	}
	if s.image.file != nil {
		_ = s.image.file.Close()
	}
	s.contents = newContents()
	s.emptyInMemory()
	s.suspect = true
	s.o.Logger.Log(context.Background(), slog.LevelError, "what the checkpoint held cannot be read back", "path", s.path, "aside", lost.Aside, "error", err)
	return lost
}

// writeFile makes a whole file: the frames first, the header last, synced.
func (s *Store) writeFile(name string, fill func(write func(int64, []byte) error) (header, error)) (File, header, error) {
	f, err := s.o.FS.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, header{}, err
	}
	write := func(off int64, p []byte) error {
		n, err := f.WriteAt(p, off)
		s.tell(func(st *resume.CheckpointStatus) { st.Written += int64(n) })
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		return err
	}
	h, err := fill(write)
	if err == nil {
		err = write(0, h.bytes())
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Close()
		_ = s.o.FS.Remove(name) // it takes room that is short
		return nil, header{}, err
	}
	return f, h, nil
}

// takePlace renames the new file over the old one. Windows cannot do that with
// open files.
func (s *Store) takePlace(f File) (File, error) {
	if runtime.GOOS != "windows" {
		if err := s.o.FS.Rename(s.path+newSuffix, s.path); err != nil {
			_ = f.Close()
			_ = s.o.FS.Remove(s.path + newSuffix)
			return nil, err
		}
		return f, nil
	}
	_ = f.Close()
	if s.image.file != nil {
		_ = s.image.file.Close()
	}
	renameErr := s.o.FS.Rename(s.path+newSuffix, s.path)
	f, err := s.o.FS.OpenFile(s.path, os.O_RDWR, 0)
	if renameErr != nil && err == nil {
		s.image.file = f
	}
	return f, errors.Join(renameErr, err)
}

// foldIntoMemory makes the image one that is all in memory.
func (s *Store) foldIntoMemory(ctx context.Context) error {
	m := image{tail: make([]byte, headerSize)}
	h, err := s.build(ctx, func(_ int64, p []byte) error {
		m.tail = append(m.tail, p...)
		return nil
	})
	if err != nil {
		return err
	}
	copy(m.tail, h.bytes())
	m.header = h
	s.built(m)
	s.suspect = true // there is no file of this image
	s.tell(func(st *resume.CheckpointStatus) { st.Compactions++ })
	return nil
}

// emptyInMemory begins an image without a file.
func (s *Store) emptyInMemory() {
	h := newHeader(s.o.Now())
	h.baseSize = headerSize
	s.image = image{header: h, tail: h.bytes()}
	s.base = headerSize
}
