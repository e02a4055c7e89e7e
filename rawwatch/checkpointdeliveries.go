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
	of := &k.watches[0].id
	leaves := of.LabelSelector != "" || of.FieldSelector != ""
	d := newDeliveries(store, k.options.Watch, of, k.log)
	for name, s := range subscriptions {
		s.past = &past{notes: map[string]note{}, acked: map[decode.Key]string{}, leaves: leaves}
		d.pasts[name] = s.past
	}
	if err := d.load(ctx); err != nil {
		if context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		k.failed(err)
	}
	k.deliveries, k.orphans, k.noted = d, d.orphans, len(d.orphans) > 0
	k.informer.subscribers.recall(k.noted)
	var notes noter = d
	for _, s := range subscriptions {
		s.noteWith(notes)
	}
	return nil
}

// doubt is that of [deliveries], by who may publish, where the server's version
// gives reason to. One that is not known does.
func (k *checkpoints[T]) doubt(ctx context.Context, head string) error {
	if !k.noted {
		return nil
	}
	if err := k.informer.acquire(ctx); err != nil {
		return err
	}
	defer k.informer.release()
	if head == "" || k.deliveries.behind(head) {
		k.deliveries.doubt()
	}
	return nil
}

// byName are the subscriptions with ChangesOnly whose name no other of them has.
func (s *subscribers[T]) byName() map[string]*Subscription[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, shared := map[string]*Subscription[T]{}, []string(nil)
	for sub := range s.alive {
		name := sub.options.Name
		if !sub.options.ChangesOnly {
			continue
		}
		if _, taken := all[name]; taken {
			shared = append(shared, name)
		}
		all[name] = sub
	}
	for _, name := range shared {
		s.log.Log(context.Background(), slog.LevelWarn, "several subscriptions with ChangesOnly have one name; after a kill they may be told again what they have acknowledged", "subscription", name)
		delete(all, name)
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
	for _, w := range k.watches {
		if w.lagging {
			return
		}
	}
	k.deliveries.caughtUp(k.sequence)
	k.informer.subscribers.recall(false)
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
	for i := range j.entries {
		if first := j.entries[i].first; first > 0 {
			return min(limit, first-1)
		}
	}
	return limit
}
