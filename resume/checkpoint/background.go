package checkpoint

import (
	"context"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// Close implements [resume.Checkpoint]. The error says that something is lost
// with this process: what could not be written.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	close(s.stop)
	<-s.stopped

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.degraded() {
		s.recover(context.Background())
	}
	s.sync()
	err := s.Status().Err
	if !s.degraded() {
		err = nil
	}
	if s.image.file != nil {
		_ = s.image.file.Close() // what matters is synced
	}
	if s.lock != nil {
		_ = s.lock.Close()
	}
	s.health(resume.CheckpointClosed, err)
	return err
}

// run syncs and retries, until Close.
func (s *Store) run() {
	defer close(s.stopped)
	for {
		select {
		case <-s.stop:
			return
		case <-s.kick:
		}
		for wait := s.pending(); wait > 0; wait = s.pending() {
			timer := time.NewTimer(wait)
			select {
			case <-s.stop:
				timer.Stop()
				return
			case <-timer.C:
			}
			s.tick()
		}
	}
}

// pending is how long to wait with what is to do; 0 when there is nothing.
func (s *Store) pending() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.degraded():
		return s.o.RetryEvery
	case s.unsynced && s.o.Sync == SyncInterval:
		return s.o.SyncEvery
	}
	return 0
}

func (s *Store) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.degraded() {
		s.recover(context.Background())
		return
	}
	s.syncMeanwhile()
}

// syncMeanwhile syncs without keeping anybody from writing: a medium may take
// long for it. It needs mu, and gives it away for a while.
func (s *Store) syncMeanwhile() {
	file := s.image.file
	if !s.unsynced || file == nil {
		return
	}
	s.unsynced = false // what is written from now on is not
	s.mu.Unlock()
	err := file.Sync()
	s.mu.Lock()
	if err != nil && s.image.file == file { // and not compacted, into a file that is synced
		s.syncFailed(err)
	}
}
