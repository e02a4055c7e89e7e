package rawwatch

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
)

// remove takes a closed subscription off the list.
func (s *subscribers[T]) remove(sub *Subscription[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := func(other *Subscription[T]) bool { return other == sub }
	if i := slices.Index(s.list, sub); i >= 0 {
		s.list = slices.Concat(s.list[:i], s.list[i+1:])
	}
	s.joining = slices.DeleteFunc(s.joining, same)
	s.skipping = slices.DeleteFunc(s.skipping, same)
	s.asking = slices.DeleteFunc(s.asking, same)
}

// acknowledged is up to which sequence number every durable subscription has
// acknowledged, those included that stop has ended; not those that were closed.
// Without any it is that of the last change.
func (s *subscribers[T]) acknowledged() uint64 {
	s.mu.Lock()
	low, durable := s.sequence, []*Subscription[T](nil)
	for _, list := range [][]*Subscription[T]{s.list, s.joining} {
		for _, sub := range list {
			if sub.options.Durable {
				durable = append(durable, sub)
			}
		}
	}
	s.mu.Unlock()
	for _, sub := range durable {
		low = min(low, sub.Acknowledged())
	}
	return low
}

// stop ends all subscriptions, and waits until their handlers have returned or
// ctx is done. Called from a handler it does not wait.
func (s *subscribers[T]) stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	inside := s.running[goroutineID()] != nil
	alive := make([]*Subscription[T], 0, len(s.alive))
	for sub := range s.alive {
		alive = append(alive, sub)
	}
	s.mu.Unlock()
	for _, sub := range alive {
		sub.markClosed()
	}
	if inside {
		return nil
	}
	for i, sub := range alive {
		if err := s.await(ctx, sub); err != nil {
			return fmt.Errorf("rawwatch: stopped, but up to %d handlers have not returned: %w", len(alive)-i, err)
		}
	}
	return nil
}

// await waits for the end of a closed subscription's goroutine.
func (s *subscribers[T]) await(ctx context.Context, sub *Subscription[T]) error {
	s.mu.Lock()
	caller := s.running[goroutineID()]
	s.mu.Unlock()
	var callerClosed <-chan struct{}
	switch caller {
	case nil:
	case sub:
		return nil
	default:
		callerClosed = caller.ctx.Done()
	}
	select {
	case <-sub.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-callerClosed:
		return caller.ctx.Err()
	}
}

// started registers the calling goroutine as the subscription's. What it
// returns takes that back.
func (s *subscribers[T]) started(sub *Subscription[T]) (ended func()) {
	id := goroutineID()
	s.mu.Lock()
	s.running[id] = sub
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		delete(s.running, id)
		delete(s.alive, sub)
		s.mu.Unlock()
	}
}

// goroutineID tells a handler's own goroutine from others, which nothing else
// in the language does: a handler that closes its subscription with a context
// of its own making would wait for itself. It is asked for when a subscription
// begins and ends, never in between.
func goroutineID() uint64 {
	var buf [64]byte
	// The text begins "goroutine 123 [running]:".
	text := buf[:runtime.Stack(buf[:], false)]
	const prefix = len("goroutine ")
	if len(text) < prefix {
		return 0
	}
	text = text[prefix:]
	for i, b := range text {
		if b < '0' || b > '9' {
			text = text[:i]
			break
		}
	}
	id, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return id
}
