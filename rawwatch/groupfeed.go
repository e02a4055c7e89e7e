package rawwatch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// feed is one watch of a group. Its goroutine runs one reflector after the
// other, each for all who are members when it begins.
type feed struct {
	group   *Group
	query   Query
	options ListWatchOptions
	life    context.Context // over when nobody is left
	end     context.CancelCauseFunc
	done    chan struct{} // closed when its goroutine has ended

	// Guarded by the group's lock.
	members   []*feedMember
	reflector *Reflector              // of the run under way, or to come
	again     context.CancelCauseFunc // ends the run under way; nil before the first
	gather    *time.Timer             // until it is called
}

// feedMember is what a feed gives its events to: one part of an informer.
type feedMember struct {
	query Query
	feed  *feed

	to         atomic.Pointer[target] // nil once the informer is to end
	publishing sync.Mutex             // held while it is given an event
}

// errJoined ends a run: there is one more to run for.
var errJoined = errors.New("rawwatch: another type joins the watch")

// feed returns the feed of a query, a new one if need be. It is called with the
// lock held, and somebody has to join.
func (g *Group) feed(q Query, o ListWatchOptions) *feed {
	if f := g.feeds[q]; f != nil {
		return f
	}
	f := &feed{group: g, query: q, options: o, done: make(chan struct{})}
	f.reflector = NewReflector(g.client, q, o)
	f.life, f.end = context.WithCancelCause(g.life)
	g.feeds[q], g.running[f] = f, struct{}{}
	return f
}

// join adds a member: to the first run, which it starts, or to a next one,
// which begins soon. It is called with the lock held.
func (f *feed) join(m *feedMember) {
	f.members = append(f.members, m)
	switch {
	case len(f.members) == 1:
		go f.run()
	case f.again != nil && f.gather == nil:
		f.gather = time.AfterFunc(gatherTime, f.restart)
	}
}

func (f *feed) restart() {
	f.group.mu.Lock()
	defer f.group.mu.Unlock()
	if f.gather == nil {
		return // a run has begun meanwhile
	}
	f.gather = nil
	f.again(errJoined)
}

// leave takes a member out, at once. The feed ends with its last. It is called
// with the lock held.
func (f *feed) leave(m *feedMember) {
	m.to.Store(nil)
	for i, other := range f.members {
		if other == m {
			f.members = append(f.members[:i:i], f.members[i+1:]...)
			break
		}
	}
	if len(f.members) > 0 {
		return
	}
	if f.gather != nil {
		f.gather.Stop()
		f.gather = nil
	}
	if f.group.feeds[f.query] == f {
		delete(f.group.feeds, f.query)
	}
	f.end(errReleased)
}

// gone waits until nothing is given any more to a member that has left.
func (m *feedMember) gone() {
	m.publishing.Lock()
	defer m.publishing.Unlock()
}

// run runs until nobody is left, or nothing can go on.
func (f *feed) run() {
	defer f.ended()
	for {
		err := f.follow()
		if f.life.Err() != nil {
			return
		}
		if !errors.Is(err, errJoined) {
			f.fail(err)
			return
		}
	}
}

func (f *feed) ended() {
	f.group.mu.Lock()
	delete(f.group.running, f)
	f.group.mu.Unlock()
	close(f.done)
}

// follow is one run. Its end ends the stream, but nothing that is being
// published: who misses something cannot go on.
func (f *feed) follow() error {
	ctx, again := context.WithCancelCause(f.life)
	defer again(nil)
	f.group.mu.Lock()
	f.again = again
	all := &crowd{members: append([]*feedMember(nil), f.members...)}
	if f.gather != nil { // its members are in
		f.gather.Stop()
		f.gather = nil
	}
	r := NewReflector(f.group.client, f.query, f.options)
	f.reflector = r
	f.group.mu.Unlock()
	r.index = all
	r.wants(all.wants())
	all.follows(r)
	for e, err := range r.events(ctx) {
		if err == nil {
			err = all.publish(f.life, e)
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// fail ends all informers that the feed was for.
func (f *feed) fail(err error) {
	g := f.group
	g.mu.Lock()
	var failed []*share
	for key, s := range g.shares {
		for _, m := range s.members {
			if m.feed == f {
				g.retire(key, s)
				failed = append(failed, s)
				break
			}
		}
	}
	g.mu.Unlock()
	for _, s := range failed {
		s.finish(err)
		if g.options.OnEnd != nil {
			g.options.OnEnd(s.query, err)
		}
	}
}
