package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// GroupOptions adjust a [Group]. The zero value is ready to use.
type GroupOptions struct {
	// ListWatch is how objects are fetched and followed where a [Shared] call
	// leaves it to the group.
	ListWatch ListWatchOptions
	// Grace is how long an informer goes on after the last who wanted it has
	// released it, so that the next one need not list again. 0 is
	// [DefaultGroupGrace], negative is none.
	Grace time.Duration
	// OnEnd is told when an informer has ended by itself, and why: a query that
	// the server refuses for good, a closed client, an error of
	// ListWatchOptions.OnFailure. The next Shared call makes a new one. Nil
	// tells nobody, but see [Informer.Err]. It must not block.
	OnEnd func(q Query, err error)
}

// DefaultGroupGrace is what a zero GroupOptions.Grace stands for.
const DefaultGroupGrace = 30 * time.Second

// gatherTime is how long a watch that is under way waits for more types to join
// before it lists again for all of them.
const gatherTime = 50 * time.Millisecond

// Group shares informers within a process, as client-go's
// SharedInformerFactory does: who asks with [Shared] for what somebody else has
// asked for gets the same informer. It runs each as long as somebody wants it.
//
// Informers of one query with different T's are fed by one watch, each with its
// own store and its own part of the objects. When another T joins, the state is
// listed once more, for all of them; those that were there notice only what has
// changed meanwhile. Protobuf is asked for when all T's can be read from it,
// metadata only when none needs more. A subscriber that pushes back holds up
// the watch, and so all informers that it feeds.
//
// All methods are safe for concurrent use.
type Group struct {
	client  *Client
	options GroupOptions
	life    context.Context // of all feeds
	end     context.CancelCauseFunc

	mu      sync.Mutex // guards all below, and what shares and feeds say so of
	stopped bool
	shares  map[any]*share // by shareKey[T]
	ending  map[*share]struct{}
	feeds   map[Query]*feed
	running map[*feed]struct{} // those that have ended their work last, too
}

// ErrGroupStopped is what [Shared] returns after [Group.Stop], and what ends
// the group's informers.
var ErrGroupStopped = errors.New("rawwatch: the group of informers is stopped; make a new one")

// errReleased ends an informer that nobody wants any more.
var errReleased = errors.New("rawwatch: the informer was released by all who shared it; ask the group for it again")

// A GroupConflictError says that two [Shared] calls for one informer, or for
// one watch, differ in an option in which they must agree.
type GroupConflictError struct {
	Query Query
	// Option is the path of the option in [InformerOptions].
	Option string
	// Need says what is accepted.
	Need string
}

// Error implements error.
func (e *GroupConflictError) Error() string {
	return fmt.Sprintf("rawwatch: %s is shared, and who came first has set %s otherwise: %s", e.Query, e.Option, e.Need)
}

// NewGroup returns a group without informers.
func NewGroup(c *Client, o GroupOptions) *Group {
	if o.Grace == 0 {
		o.Grace = DefaultGroupGrace
	}
	g := &Group{
		client: c, options: o,
		shares: map[any]*share{}, ending: map[*share]struct{}{},
		feeds: map[Query]*feed{}, running: map[*feed]struct{}{},
	}
	g.life, g.end = context.WithCancelCause(context.Background())
	return g
}

// WaitForSync waits until all informers that somebody wants are in sync. The
// error is ctx's cause, or what ended one of them before.
func (g *Group) WaitForSync(ctx context.Context) error {
	for _, s := range g.wanted() {
		if err := s.synced(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.query, err)
		}
	}
	return nil
}

// GroupStatus is how a [Group] is at one moment.
type GroupStatus struct {
	// Informers are those that run, in no order.
	Informers []SharedStatus
	// Watches is how many watches feed them.
	Watches int
}

// SharedStatus is how one informer of a [Group] is.
type SharedStatus struct {
	Query Query
	// Wanted is how many have asked for it and not released it; 0 in its grace
	// time.
	Wanted int
	InformerStatus
}

// Status tells how the group's informers are.
func (g *Group) Status() GroupStatus {
	g.mu.Lock()
	var s GroupStatus
	var shares []*share
	s.Watches = len(g.feeds)
	for _, x := range g.shares {
		shares = append(shares, x)
		s.Informers = append(s.Informers, SharedStatus{Query: x.query, Wanted: x.wanted})
	}
	g.mu.Unlock()
	for i, x := range shares {
		s.Informers[i].InformerStatus = x.status()
	}
	return s
}

// Statuses implements [StatusSource]: how each watch is. One that lists anew
// because another type has joined is not synced until it has.
func (g *Group) Statuses() []Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]Status, 0, len(g.feeds))
	for _, f := range g.feeds {
		all = append(all, f.reflector.Status())
	}
	return all
}

func (g *Group) wanted() []*share {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []*share
	for _, s := range g.shares {
		if s.wanted > 0 {
			all = append(all, s)
		}
	}
	return all
}

// Stop ends the group: nobody can ask any more, the watches end, then all
// subscriptions are closed. It waits until all handlers have returned and
// nothing of the group runs, or ctx is done, whose cause it returns then. What
// was not delivered is dropped; the stores stay readable. It may be called more
// than once. A handler that calls it must give a ctx that is done when its own
// is, or it waits for itself.
func (g *Group) Stop(ctx context.Context) error {
	g.mu.Lock()
	g.stopped = true
	for key, s := range g.shares {
		g.retire(key, s)
		go s.finish(ErrGroupStopped)
	}
	wait := make([]<-chan struct{}, 0, len(g.ending)+len(g.running))
	for s := range g.ending {
		wait = append(wait, s.done)
	}
	for f := range g.running {
		wait = append(wait, f.done)
	}
	g.mu.Unlock()
	g.end(ErrGroupStopped)
	for _, done := range wait {
		select {
		case <-done:
		case <-ctx.Done():
			return fmt.Errorf("rawwatch: the group is stopped, but not all of it has ended: %w", context.Cause(ctx))
		}
	}
	return nil
}
