package checkpoint

import (
	"context"
	"io"
	"log/slog"

	"github.com/rawwatch/rawwatch/resume"
)

// write adds frames to the image: in the file, or in memory while the medium
// fails. It needs mu, as all in this file.
func (s *Store) write(frames []byte) {
	if s.frame = frames; cap(frames) > keepScratch {
		s.frame = nil
	}
	if s.image.file == nil || s.resigned || s.degraded() {
		s.image.tail = append(s.image.tail, frames...)
		return
	}
	if err := s.append(frames); err != nil {
		s.image.tail = append(s.image.tail, frames...)
		s.degrade(err)
	}
}

// append writes to the end of the file, all or nothing.
func (s *Store) append(frames []byte) error {
	n, err := s.image.file.WriteAt(frames, s.image.end)
	s.tell(func(st *resume.CheckpointStatus) { st.Written += int64(n) })
	if err == nil && n < len(frames) {
		err = io.ErrShortWrite
	}
	if err != nil {
		if n > 0 && s.image.file.Truncate(s.image.end) != nil {
			s.suspect = true
		}
		return err
	}
	s.image.end += int64(n)
	s.unsynced = true
	return nil
}

// sync makes what was written durable. A sync that failed may have lost what
// was written before, whatever a later one says, so the file is written anew.
func (s *Store) sync() {
	if !s.unsynced || s.degraded() {
		return
	}
	if err := s.image.file.Sync(); err != nil {
		s.syncFailed(err)
		return
	}
	s.unsynced = false
}

func (s *Store) syncFailed(err error) {
	s.suspect = true
	s.degrade(err)
}

func (s *Store) degrade(err error) {
	if s.Status().Health != resume.CheckpointDegraded {
		s.o.Logger.Log(context.Background(), slog.LevelWarn, "the checkpoint cannot be written; it is kept in memory until it can", "path", s.path, "error", err)
	}
	s.health(resume.CheckpointDegraded, err)
}

// recover tries the medium again.
func (s *Store) recover(ctx context.Context) {
	var err error
	if s.lock == nil {
		s.lock, err = s.o.FS.Lock(s.path + lockSuffix)
	}
	if err != nil {
		s.lock = nil
		s.degrade(err)
		return
	}
	if s.suspect || s.image.file == nil {
		if s.replacing > 0 || s.readers > 0 && !s.closed {
			return // the image is in use; a replacement's parts would be lost
		}
		err = s.rewrite(ctx)
	} else {
		err = s.flushTail()
	}
	if err != nil {
		s.degrade(err)
		return
	}
	s.o.Logger.Log(context.Background(), slog.LevelInfo, "the checkpoint can be written again", "path", s.path)
	s.health(resume.CheckpointDurable, nil)
}

func (s *Store) flushTail() error {
	if err := s.append(s.image.tail); err != nil {
		return err
	}
	if err := s.image.file.Sync(); err != nil {
		s.suspect = true
		return err
	}
	s.image.tail, s.unsynced = nil, false
	return nil
}
