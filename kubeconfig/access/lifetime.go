package access

import (
	"context"
	"log/slog"
	"time"
)

// OnRotate has f called whenever a client certificate, the CA, or with Follow
// the server has changed: connections made before should be retired. f is
// called by whichever goroutine noticed, and must not call Close. The returned
// function ends that.
func (s *Session) OnRotate(f func()) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.nextKey
	s.nextKey++
	s.hooks[key] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.hooks, key)
	}
}

func (s *Session) rotate() {
	s.mu.Lock()
	hooks := make([]func(), 0, len(s.hooks))
	for _, f := range s.hooks {
		hooks = append(hooks, f)
	}
	s.mu.Unlock()
	for _, f := range hooks {
		f()
	}
}

// Close ends what runs: a plugin is killed, a refresh given up, following
// ends. It waits for them. Requests that wait for a credential get [ErrClosed].
func (s *Session) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.tasks.Wait()
	return nil
}

// spawn runs f in a goroutine that Close waits for; its context ends with the
// session.
func (s *Session) spawn(f func(context.Context)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.tasks.Add(1)
	go func() {
		defer s.tasks.Done()
		f(s.ctx)
	}()
	return nil
}

// watched logs how the runs of a source end.
func (s *Session) watched(what string, source func(context.Context) (*issued, error)) func(context.Context) (*issued, error) {
	return func(ctx context.Context) (*issued, error) {
		began := time.Now()
		got, err := source(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ErrClosed
		case err != nil:
			s.log.Log(context.Background(), slog.LevelWarn, what+" gave no credential", "error", err)
		default:
			s.log.Log(context.Background(), slog.LevelInfo, what+" gave a credential", "took", time.Since(began), "expires", got.expires)
		}
		return got, err
	}
}
