package rawwatch

import (
	"context"

	"golang.org/x/time/rate"
)

// Budget bounds the requests of a [Client], all its lists, watches and writes
// together: whatever goes wrong, a server hears no more of them. A request that
// finds the budget spent waits for its turn.
type Budget struct {
	// PerSecond is how many requests are sent in a second on average; 0 is
	// [DefaultRequestsPerSecond], less than 0 is no bound.
	PerSecond float64
	// Burst is how many may be sent at once after a quiet time; 0 is
	// [DefaultRequestBurst].
	Burst int
}

// Defaults of [Budget]: a thousand watches begin within ten seconds, and a list
// of 100,000 objects in pages is not slowed down.
const (
	DefaultRequestsPerSecond = 100
	DefaultRequestBurst      = 200
)

func (b Budget) limiter() *rate.Limiter {
	if b.PerSecond < 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	if b.PerSecond == 0 {
		b.PerSecond = DefaultRequestsPerSecond
	}
	if b.Burst == 0 {
		b.Burst = DefaultRequestBurst
	}
	return rate.NewLimiter(rate.Limit(b.PerSecond), b.Burst)
}

// spend waits for a request's turn.
func (c *Client) spend(ctx context.Context) error {
	if err := c.budget.Wait(ctx); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return context.DeadlineExceeded // it would have to wait beyond it
	}
	return nil
}
