package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// lockPoll is how often a lock that is held is tried again.
const lockPoll = 50 * time.Millisecond

// Open opens the checkpoint in a file, which it makes if there is none, with
// mode 0600. Beside it are a file whose name ends in .lock, which stays, and
// now and then one whose name ends in .new.
//
// A file that is damaged, not a checkpoint, or of a newer format is set aside:
// renamed, and Status().Err is a [*SetAsideError]. When what is before the
// damage is whole, it is gone on from. A medium that is full is no error
// either: the Store begins Degraded.
//
// The error is a [*LockedError], a [*FileError] or an [*OptionError]; see also
// Options.GoOnWithout. ctx bounds the wait for the lock.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{
		o: o, contents: newContents(), packer: packer{encryption: o.Encryption},
		kick: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	s.emptyInMemory()
	if o.MemoryOnly {
		s.resigned = true
		s.health(resume.CheckpointMemoryOnly, nil)
		close(s.stopped)
		return s, nil
	}
	if path == "" {
		return nil, &OptionError{"path", "must be the name of a file"}
	}
	s.path = resolve(path)
	s.health(resume.CheckpointDurable, nil)
	if err := s.open(ctx); err != nil {
		if err = s.goOnWithout(err); err != nil {
			s.release()
			return nil, err
		}
	}
	go s.run()
	if s.degraded() || s.unsynced {
		s.kick <- struct{}{}
	}
	return s, nil
}

// release undoes an Open that failed.
func (s *Store) release() {
	if s.image.file != nil {
		_ = s.image.file.Close()
	}
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// goOnWithout resigns, if that is allowed. Only a file that nobody else writes
// is read then.
func (s *Store) goOnWithout(err error) error {
	var locked *LockedError
	var file *FileError
	isLocked := errors.As(err, &locked)
	if !s.o.GoOnWithout || !isLocked && !errors.As(err, &file) {
		return err
	}
	s.release()
	s.lock = nil
	s.emptyInMemory()
	s.contents = newContents()
	s.suspect, s.resigned = false, true
	if !isLocked && file.Problem != NotRegular {
		s.readOnly()
	}
	s.o.Logger.Log(context.Background(), slog.LevelWarn, "going on without a checkpoint file", "path", s.path, "error", err)
	s.health(resume.CheckpointMemoryOnly, err)
	return nil
}

// readOnly takes in what a file holds that cannot be written, if it is whole.
func (s *Store) readOnly() {
	m, c, err := readImage(s.o.FS, s.path)
	if err != nil {
		return
	}
	if m.damage(c.end) != nil {
		_ = m.file.Close()
		return
	}
	m.end = c.end
	s.image, s.contents, s.base = *m, c, headerSize
}

// open needs no mu: nobody else knows of the store.
func (s *Store) open(ctx context.Context) error {
	info, err := s.o.FS.Stat(s.path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &FileError{Path: s.path, Problem: NotRegular}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fileError(s.path, err)
	}
	if err := s.takeLock(ctx); err != nil {
		return err
	}
	if s.lock == nil {
		s.suspect = true
		s.readOnly()
		s.degrade(syscall.ENOSPC)
		return nil
	}
	_ = s.o.FS.Remove(s.path + newSuffix) // of a process that was killed
	file, err := s.o.FS.OpenFile(s.path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s.create(ctx)
	}
	if err != nil {
		return fileError(s.path, err)
	}
	s.image = image{file: file}
	return s.take(ctx, file)
}

func (s *Store) takeLock(ctx context.Context) error {
	deadline := time.Now().Add(s.o.LockWait)
	for {
		lock, err := s.o.FS.Lock(s.path + lockSuffix)
		if err == nil {
			s.lock = lock
			return nil
		}
		var locked *LockedError
		switch {
		case full(err):
			return nil // later, before anything is written
		case !errors.As(err, &locked):
			return fileError(s.path, err)
		case time.Now().After(deadline):
			return err
		}
		timer := time.NewTimer(lockPoll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}

// full reports that there is no room, which heals.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota) }

// create makes an empty file. Without room for it there will be one later.
func (s *Store) create(ctx context.Context) error {
	s.emptyInMemory()
	err := s.rewrite(ctx)
	switch {
	case err == nil:
		return nil
	case full(err):
		s.suspect = true
		s.degrade(err)
		return nil
	case s.image.file != nil: // but its name may not be durable
		s.degrade(err)
		return nil
	}
	return fileError(s.path, err)
}

// take goes on from a file.
func (s *Store) take(ctx context.Context, file File) error {
	info, err := file.Stat()
	if err != nil {
		return fileError(s.path, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := file.Chmod(0o600); err != nil {
			return &FileError{Path: s.path, Problem: NotPermitted, Err: err}
		}
	}
	if info.Size() == 0 {
		_ = file.Close()
		return s.create(ctx)
	}
	m, c, err := imageOf(file)
	if err == nil {
		err = m.damage(c.end)
	}
	var damage *FormatError
	switch {
	case errors.As(err, &damage):
		return s.salvage(ctx, m, c, damage)
	case err != nil:
		return fileError(s.path, err)
	}
	s.goOn(ctx, m, c)
	return nil
}

// goOn takes m up to the end of its frames as the image.
func (s *Store) goOn(ctx context.Context, m *image, c *contents) {
	if m.end > c.end {
		if err := m.file.Truncate(c.end); err != nil {
			s.suspect = true
			s.degrade(err)
		}
	}
	m.end = c.end
	s.image, s.contents, s.base = *m, c, m.header.baseSize
	s.tell(func(*resume.CheckpointStatus) {})
	if m.header.format < FormatCurrent {
		if err := s.rewrite(ctx); err != nil {
			s.o.Logger.Log(context.Background(), slog.LevelWarn, "the checkpoint's format could not be upgraded; it is used as it is", "path", s.path, "error", err)
		}
	}
}

// readImage opens a file for reading and scans it. Where the error is a
// *FormatError, the contents are what is before the damage.
func readImage(files FS, path string) (*image, *contents, error) {
	info, err := files.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &FileError{Path: path, Problem: NotRegular}
	}
	file, err := files.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	m, c, err := imageOf(file)
	if err != nil {
		_ = file.Close()
		return nil, c, err
	}
	return m, c, nil
}

// imageOf reads the header of a file and scans it.
func imageOf(file File) (*image, *contents, error) {
	m := &image{file: file}
	info, err := file.Stat()
	if err != nil {
		return m, newContents(), err
	}
	m.end = info.Size()
	head := make([]byte, min(headerSize, m.end))
	if _, err := m.ReadAt(head, 0); err != nil {
		return m, newContents(), err
	}
	if m.header, err = parseHeader(head, m.end); err != nil {
		return m, newContents(), err
	}
	c, err := scan(m, nil)
	return m, c, err
}
