package rawwatch

import (
	"context"
	"log/slog"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// remember reads what an earlier process has noted of deliveries, and sees to it
// that this one notes them, for subscriptions that begin with changes only. Each
// is known by its name, which must be its own.
func (k *checkpoints[T]) remember(ctx context.Context) error {
	store, ok := k.store.(resume.Noter)
	subscriptions := k.informer.subscribers.byName()
	if !ok || len(subscriptions) == 0 {
		return nil
	}
	id := k.watches[0].id
	k.deliveries = &deliveries{store: store, log: k.log, notes: map[noteKey]note{}, id: resume.WatchIdentity{
		Watch: k.options.Watch + deliveriesSuffix, Group: id.Group, Version: id.Version, Resource: id.Resource,
	}}
	if err := k.deliveries.load(ctx); err != nil {
		if context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		k.failed(err)
	}
	k.orphans = missing{}
	for key, n := range k.deliveries.notes {
		s := subscriptions[key.subscription]
		if s == nil {
			continue
		}
		if s.past == nil {
			s.past = past{}
		}
		s.past[key.uid] = n
		k.orphans.add(decode.Key{Namespace: n.namespace, Name: n.name}, key.uid)
	}
	var notes noter = k.deliveries
	for _, s := range subscriptions {
		s.noter.Store(&notes)
	}
	return nil
}

// doubt forgets which versions were acknowledged when the server is behind one of
// them: a history that was rewritten may use it for something else.
func (k *checkpoints[T]) doubt(ctx context.Context, head string) error {
	if k.deliveries == nil {
		return nil
	}
	if err := k.informer.acquire(ctx); err != nil {
		return err
	}
	defer k.informer.release()
	for _, s := range k.informer.subscribers.current() {
		if s.past.ahead(head) {
			s.past.doubt()
		}
	}
	return nil
}

// byName are the subscriptions with ChangesOnly whose name no other of them has.
func (s *subscribers[T]) byName() map[string]*Subscription[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*Subscription[T]{}
	for sub := range s.alive {
		name := sub.options.Name
		if !sub.options.ChangesOnly {
			continue
		}
		if _, taken := all[name]; taken {
			sub = nil
		}
		all[name] = sub
	}
	for name, sub := range all {
		if sub == nil {
			s.log.Log(context.Background(), slog.LevelWarn, "several subscriptions with ChangesOnly have one name; after a kill they may be told again what they have acknowledged", "subscription", name)
			delete(all, name)
		}
	}
	return all
}

// selects reports whether objects of the namespace are among the part's.
func (p *part[T]) selects(namespace string) bool {
	return p.query.Namespace == "" || p.query.Namespace == namespace
}

// endPast is called when a watch is in sync. When all are, everything is told that
// follows from what an earlier process has noted.
func (k *checkpoints[T]) endPast() {
	if k.deliveries == nil || !k.informer.complete() {
		return
	}
	for _, s := range k.informer.subscribers.current() {
		s.past = nil
	}
	k.deliveries.caughtUp(k.sequence)
}

// current are the subscriptions that are told what is published.
func (s *subscribers[T]) current() []*Subscription[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}

// savedUpTo is the sequence number up to which everything is saved, given what is
// acknowledged.
func (k *checkpoints[T]) savedUpTo(acked uint64) uint64 {
	for _, w := range k.watches {
		if w.isFresh() {
			return 0
		}
		acked = min(acked, w.journal.savedUpTo(acked))
	}
	return acked
}

// savedUpTo is up to where nothing waits in the journal, and at most limit.
func (j *journal[T]) savedUpTo(limit uint64) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case len(j.entries) == 0:
		return limit
	case j.entries[0].whole != nil:
		return 0
	}
	return min(limit, j.entries[0].sequence-1)
}
