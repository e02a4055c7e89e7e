package rawwatch

import (
	"context"
	"time"

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

// spend waits for a request's turn. One waits for time to pass, the others for
// that one: a thousand timers would be most of what a thousand watches leave
// behind that begin at once.
func (c *Client) spend(ctx context.Context) error {
	if len(c.inBudget) == 0 && c.budget.Allow() {
		return nil
	}
	select {
	case c.inBudget <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-c.inBudget }()
	for !c.budget.Allow() {
		if err := c.accrue(ctx); err != nil {
			return err
		}
	}
	return nil
}

// accrue waits until the budget holds a request again.
func (c *Client) accrue(ctx context.Context) error {
	missing := (1 - c.budget.Tokens()) / float64(c.budget.Limit())
	wait := time.Duration(min(missing*float64(time.Second), float64(maxAccrual))) + time.Microsecond
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return context.DeadlineExceeded // it would have to wait beyond it
	}
	if c.budgetTimer == nil {
		c.budgetTimer = time.NewTimer(wait)
	} else {
		c.budgetTimer.Reset(wait)
	}
	defer c.budgetTimer.Stop()
	select {
	case <-c.budgetTimer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// maxAccrual is how long is waited at most before the budget is looked at again.
const maxAccrual = time.Hour
