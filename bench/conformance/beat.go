package conformance

import (
	"context"
	"sync"
)

// Beat wakes those who wait for something to have changed. The zero value is
// ready; it is safe for concurrent use.
type Beat struct {
	mu   sync.Mutex // guards next
	next chan struct{}
}

// Next is closed by the next Ring.
func (b *Beat) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Ring wakes all who wait.
func (b *Beat) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// Until waits until what holds, looking after every Ring. The error is the
// context's.
func (b *Beat) Until(ctx context.Context, what func() bool) error {
	for {
		next := b.Next()
		if what() {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
