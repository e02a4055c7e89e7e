package rawwatch

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// run is the subscription's goroutine: it delivers until it is closed.
func (s *Subscription[T]) run() {
	defer s.owner.started(s)()
	defer s.finish()
	if s.options.Resync > 0 {
		s.resync = time.NewTimer(s.resyncAfter())
		defer s.resync.Stop()
	}
	for s.ctx.Err() == nil {
		s.noteUnseen()
		s.askForResync()
		if snap, ok := s.snapshotDue(); ok {
			s.replay(snap)
			continue
		}
		wait, ok := s.fill()
		if !ok {
			s.idle(wait)
			continue
		}
		signal(s.space)
		s.deliver()
	}
}

// finish is also reached when a handler ends the goroutine.
func (s *Subscription[T]) finish() {
	if s.markClosed() {
		s.owner.log.Log(context.Background(), slog.LevelError, "a handler ended its goroutine; the subscription is closed", "subscription", s.options.Name)
		s.owner.remove(s)
	}
	close(s.done)
}

// fill takes what is to be delivered next into the hand. When that is nothing,
// ok is false, and wait is how long the oldest change may yet wait for its
// batch; 0 when there is none.
func (s *Subscription[T]) fill() (wait time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := s.room()
	_, at, waiting := s.queue.peek()
	if s.initial || !waiting || room == 0 {
		return 0, false
	}
	n := s.queue.size()
	if d := s.options.BatchDelay; d > 0 && n < room && !s.queue.full() && s.snapshot == nil {
		if wait = d - time.Since(at); wait > 0 {
			return wait, false
		}
	}
	for len(s.hand) < room {
		first, at, waiting := s.queue.peek()
		if !waiting || s.snapshot != nil && first > s.snapshot.sequence {
			break
		}
		if len(s.hand) == 0 {
			s.handLow, s.handAt = first, at
		}
		s.hand = append(s.hand, held[T]{record: s.queue.take()})
		s.noteMoved(&s.hand[len(s.hand)-1].change)
	}
	s.tally.inHand = len(s.hand)
	return 0, len(s.hand) > 0
}

// room is how many changes may be delivered at once.
func (s *Subscription[T]) room() int {
	if !s.options.ManualAck {
		return s.options.BatchSize
	}
	return max(min(s.options.BatchSize, s.options.MaxUnacknowledged-s.ledger.n), 0)
}

// idle waits until there may be something to do.
func (s *Subscription[T]) idle(wait time.Duration) {
	var due, resync <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	if s.resync != nil && !s.asked && !s.initial {
		resync = s.resync.C
	}
	select {
	case <-s.wake:
	case <-due:
	case <-resync:
		s.ask()
	case <-s.ctx.Done():
	}
}

// pause waits for the next attempt; false when the subscription was closed.
func (s *Subscription[T]) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// askForResync asks when the time has come, also for one who is never idle.
func (s *Subscription[T]) askForResync() {
	if s.resync == nil || s.asked || s.initial {
		return
	}
	select {
	case <-s.resync.C:
		s.ask()
	default:
	}
}

func (s *Subscription[T]) ask() {
	s.asked = true
	s.owner.ask(s)
}

func (s *Subscription[T]) resyncAfter() time.Duration {
	d := s.options.Resync
	return d + rand.N(max(d/10, 1))
}
