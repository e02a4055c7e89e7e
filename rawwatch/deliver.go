package rawwatch

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

// deliver gives the hand to the handler, until it has taken it, the attempts
// are used up, or the subscription is closed: what is in hand then stays
// unacknowledged.
func (s *Subscription[T]) deliver() {
	for tries, attempt := 1, 1; s.present(); tries, attempt = tries+1, attempt+1 {
		s.enter()
		s.announce()
		stack, err := s.call()
		if err == nil {
			break
		}
		failure := s.failure("handler", &s.out[0], err, stack)
		failure.Changes, failure.Attempt = len(s.out), attempt
		failure.Dropped = s.ctx.Err() == nil && s.exhausted(tries, attempt)
		s.report(failure)
		if failure.Dropped {
			s.giveUp()
			return
		}
		if s.ctx.Err() != nil || !s.pause(s.options.Backoff.Wait(attempt, rand.Float64())) {
			return
		}
		if s.supersede() {
			tries = 0
		}
	}
	if !s.options.ManualAck {
		s.acknowledge()
	}
	s.mu.Lock()
	s.tally.delivered += uint64(len(s.out))
	s.tally.filtered += uint64(len(s.hand) - len(s.out))
	s.emptyLocked()
	s.mu.Unlock()
}

// supersededAttempts is how many times [SubscriptionOptions].Attempts there are
// for an object that changes while it fails. Without a bound it could hold up
// all others; and as it changes often, its next state will be tried, too.
const supersededAttempts = 3

// exhausted says that a failure was the last: tries counts those of the states
// in hand, attempt also those of the states before them.
func (s *Subscription[T]) exhausted(tries, attempt int) bool {
	most := s.options.Attempts
	return most != RetryForever && (tries >= most || attempt >= supersededAttempts*most)
}

// present makes out what the handler is to see of the hand; false when that is
// nothing.
func (s *Subscription[T]) present() bool {
	s.out = s.out[:0]
	for i := range s.hand {
		h := &s.hand[i]
		s.out = append(s.out, h.change)
		c := &s.out[len(s.out)-1]
		h.missed = false
		if h.shown = s.visible(c, h.stood); !h.shown {
			s.out = s.out[:len(s.out)-1]
			h.missed = s.misses(h)
			continue
		}
		h.appears = c.Type == Added || c.Type == Modified && c.recreated()
		h.knowledge = knowledgeAfter(c.Type, h.change.Type)
	}
	return len(s.out) > 0
}

// enter puts into the ledger, before the handler can acknowledge it, what it
// is to acknowledge by hand. A resync is nothing new.
func (s *Subscription[T]) enter() {
	if !s.options.ManualAck {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.hand {
		h := &s.hand[i]
		if h.shown && h.entry == nil && h.first != 0 && h.change.Item != nil {
			h.entry = s.ledger.add(h.change.Item.Key(), h.first, h.change.Sequence, s.meaningOf(h))
		}
	}
}

// call runs the handler, and contains its panic.
func (s *Subscription[T]) call() (stack []byte, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if value := recover(); value != nil { // nil: the goroutine is ending
			stack, err = debug.Stack(), panicError(value)
		}
	}()
	err = s.handler(s.ctx, s.out)
	returned = true
	return nil, err
}

// failure describes one, but for what only handlers have.
func (s *Subscription[T]) failure(function string, c *Change[T], err error, stack []byte) *HandlerError {
	e := &HandlerError{Subscription: s.options.Name, Func: function, Sequence: c.Sequence, Changes: 1, Stack: stack, Err: err}
	if c.Item != nil {
		e.Key = c.Item.Key()
	}
	return e
}

// report tells the statistics, the log and the hook of a failure.
func (s *Subscription[T]) report(e *HandlerError) {
	s.mu.Lock()
	s.tally.lastError, s.tally.lastErrorTime = e, time.Now()
	if e.Attempt > 0 && !e.Dropped {
		s.tally.retried++
	}
	s.mu.Unlock()
	s.owner.log.Log(context.Background(), slog.LevelWarn, "a subscriber failed", "error", e, "dropped", e.Dropped)
	if s.options.OnError == nil {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			s.owner.log.Log(context.Background(), slog.LevelError, "OnError of a subscription panicked", "subscription", s.options.Name, "error", panicError(value))
		}
	}()
	s.options.OnError(e)
}

// supersede puts the newer states that wait in the place of those that failed,
// where changes coalesce; false when there is none.
func (s *Subscription[T]) supersede() (any bool) {
	if s.newest == nil {
		return false
	}
	for i := range s.hand {
		h := &s.hand[i]
		if h.change.Item == nil || h.change.Type == Deleted || h.change.Cause == CauseResync {
			continue
		}
		s.mu.Lock()
		next, waits := s.newest.takeKey(h.change.Item.Key())
		if waits {
			s.tally.superseded++
			s.noteMoved(&next.change)
			if h.entry != nil { // the successor's will stand for both
				s.ledger.strike(h.entry)
				h.entry = nil
			}
		}
		s.mu.Unlock()
		if waits {
			s.replace(h, &next.change)
			any = true
		}
	}
	return any
}

// replace makes h what happened next.
func (s *Subscription[T]) replace(h *held[T], next *Change[T]) {
	tried := h.shown && s.passes(h.change.Item, &h.change)
	if tried && (next.Type != Modified || !s.passes(next.Item, next)) {
		// The handler has seen the object, if it failed to take it in, and so
		// is told that it is gone.
		if h.change, h.stood = *next, 0; h.appears {
			h.stood = maybe
		}
		return
	}
	if merge(&h.change, next) {
		h.change = *next
	}
}

// giveUp drops what is in hand, which acknowledges it.
func (s *Subscription[T]) giveUp() {
	s.acknowledge()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.dropped += uint64(len(s.out))
	s.tally.filtered += uint64(len(s.hand) - len(s.out))
	for i := range s.hand {
		if entry := s.hand[i].entry; entry != nil {
			s.ledger.strike(entry)
		}
	}
	s.emptyLocked()
}

func (s *Subscription[T]) empty() {
	s.mu.Lock()
	s.emptyLocked()
	s.mu.Unlock()
}

// emptyLocked is done with what is in hand, and holds on to none of it.
func (s *Subscription[T]) emptyLocked() {
	s.overlook()
	clear(s.out[:min(len(s.hand), cap(s.out))])
	clear(s.hand)
	s.hand, s.out = s.hand[:0], s.out[:0]
	s.handLow, s.handAt, s.tally.inHand = 0, time.Time{}, 0
}

// knowledgeAfter is how a subscription stands to an object after it was told a
// change as one type, which was published as another.
func knowledgeAfter(told, published EventType) knowledge {
	switch {
	case told != Deleted:
		return shown
	case published != Deleted:
		return hidden
	}
	return gone
}

// meaningOf is what is to be noted once the change is acknowledged.
func (s *Subscription[T]) meaningOf(h *held[T]) []delivery {
	if s.noter.Load() == nil {
		return nil
	}
	return h.acknowledged(nil)
}
