package rawwatch

import (
	"context"
	"time"
)

// publication is one event on its way to all subscribers.
type publication[T any] struct {
	deliver func(Change[T]) bool // tell, made once
	ctx     context.Context
	err     error
	synced  bool               // the event is a Synced
	list    []*Subscription[T] // who was on the list before
	full    []refusal[T]       // whose queue has no room for the change at hand
	record  record[T]

	restores bool // what is told was saved before
	recalls  bool // only those are told who remember the object; see [past]
	former   bool // an earlier process may have told of it, in a state unknown
}

// refusal is a subscription that has to be waited for.
type refusal[T any] struct {
	to    *Subscription[T]
	stood knowledge
}

// begins says that from now on there may be something published.
func (s *subscribers[T]) begins() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
}

// restore publishes what was saved by an earlier process.
func (s *subscribers[T]) restore(ctx context.Context, to taker[T]) error {
	s.mu.Lock()
	s.restored = true
	s.mu.Unlock()
	s.publication.restores = true
	defer func() { s.publication.restores = false }()
	return s.publishTo(ctx, to, Event{})
}

// publish lets the store take an event in, numbers what that changes, and puts
// it into the queues. It waits for those that push back, after all others were
// served. A Modified of the same uid and resourceVersion is no change and left
// out; so are bookmarks, but for their version.
//
// An error is the context's cause. Subscribers may then have missed something,
// so nothing more may be published. The event's bytes are not kept.
func (s *subscribers[T]) publish(ctx context.Context, e Event) error {
	return s.publishTo(ctx, s.store, e)
}

// taker takes an event in and delivers what that changes, after readers see it:
// a store, or a part of an informer.
type taker[T any] interface {
	Apply(e Event, deliver func(Change[T]) bool) bool
	// syncs reports whether everything is in sync with this event.
	syncs(e Event) bool
}

func (s *Store[T]) syncs(e Event) bool { return e.Type == Synced }

// publishTo is publish for an event that another than the store takes in.
func (s *subscribers[T]) publishTo(ctx context.Context, to taker[T], e Event) error {
	p := &s.publication
	p.ctx, p.err, p.synced = ctx, nil, to.syncs(e)
	s.enter(applying)
	to.Apply(e, p.deliver)
	s.enter(level)
	p.ctx, p.list, p.record = nil, nil, record[T]{}
	return p.err
}

// enter goes on to the next phase, and serves who waited for it.
func (s *subscribers[T]) enter(next phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = next
	if next == applying {
		return
	}
	if next == telling {
		s.publication.list = s.list
		s.synced = s.synced || s.publication.synced
	}
	for _, sub := range s.joining {
		s.joinLocked(sub)
	}
	clear(s.joining)
	s.joining = s.joining[:0]
	if next != level {
		return
	}
	for _, sub := range s.skipping {
		sub.skip(s.sequence)
	}
	clear(s.skipping)
	s.skipping = s.skipping[:0]
	s.answerLocked()
}

// answerLocked gives a snapshot to who has asked for one.
func (s *subscribers[T]) answerLocked() {
	if s.recalling {
		return
	}
	for _, sub := range s.asking {
		sub.give(s.snapshotLocked())
	}
	clear(s.asking)
	s.asking = s.asking[:0]
}

// tell is what the store delivers to; the store shows the change by now.
func (s *subscribers[T]) tell(c Change[T]) bool {
	if s.phase == applying { // only written by this goroutine
		s.enter(telling)
	}
	if unchanged(&c) {
		return true
	}
	p := &s.publication
	p.record.change = c
	s.number(&p.record.change)
	if s.observe != nil {
		s.observe(&p.record.change)
	}
	if c.Type == Bookmark {
		return true
	}
	p.err = s.fanOut()
	return p.err == nil
}

func (s *subscribers[T]) number(c *Change[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Type != Bookmark {
		s.sequence++
	}
	c.Sequence = s.sequence
	if c.ResourceVersion != "" {
		s.resourceVersion = c.ResourceVersion
	}
}

// unchanged says that nothing has happened to the object.
func unchanged[T any](c *Change[T]) bool {
	return c.Type == Modified && c.Old != nil && c.Item != nil && c.Item.ResourceVersion != "" &&
		c.Item.ResourceVersion == c.Old.ResourceVersion && c.Item.UID == c.Old.UID
}

// fanOut puts the change at hand into the queues.
func (s *subscribers[T]) fanOut() error {
	p := &s.publication
	if len(p.list) == 0 {
		return nil
	}
	p.record.first, p.record.at = p.record.change.Sequence, time.Now()
	for _, sub := range p.list {
		var has bool
		if p.record.stood, has = p.tells(sub); has {
			sub.skip(p.record.change.Sequence)
			continue
		}
		switch {
		case !sub.offer(&p.record):
			p.full = append(p.full, refusal[T]{sub, p.record.stood})
		case s.lazy:
			s.late.add(sub)
		default:
			signal(sub.wake)
		}
	}
	var err error
	for _, r := range p.full {
		p.record.stood = r.stood
		if err = r.to.push(p.ctx, &p.record); err != nil {
			break
		}
	}
	clear(p.full)
	p.full = p.full[:0]
	return err
}

// tells decides whether the change at hand goes to a subscription: has is set
// when it knows it already. stood is as in a record.
func (p *publication[T]) tells(sub *Subscription[T]) (stood knowledge, has bool) {
	c := &p.record.change
	if p.restores && sub.options.ChangesOnly || p.recalls && c.Item != nil && !sub.remembers(c) {
		return 0, true
	}
	if stood, has = sub.recollect(c); stood == 0 && p.former && sub.options.ChangesOnly {
		stood = maybe
	}
	return stood, has
}
