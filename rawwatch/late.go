package rawwatch

import (
	"slices"
	"sync"
	"sync/atomic"
)

// late holds subscriptions whose goroutines are to be woken in a moment: frames
// that were read at once wake each of them once, and not once for each frame.
type late[T any] struct {
	some atomic.Bool
	mu   sync.Mutex
	list []*Subscription[T]
}

func (l *late[T]) add(s *Subscription[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.list, s) {
		l.list = append(l.list, s)
	}
	l.some.Store(true)
}

// wakeLate wakes all who were left for later.
func (s *subscribers[T]) wakeLate() {
	l := &s.late
	if !l.some.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, sub := range l.list {
		signal(sub.wake)
	}
	clear(l.list)
	l.list = l.list[:0]
	l.some.Store(false)
}
