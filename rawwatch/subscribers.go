package rawwatch

import (
	"context"
	"slices"
	"sync"

	"github.com/rawwatch/rawwatch/internal/silent"
)

// subscribers fans out what events do to a store. One goroutine, the informer's,
// calls publish; everything else may be called from any.
//
// What keeps late subscribers exact: a snapshot is taken, and a subscriber put
// on the list, in one critical section, and never while the store is in between
// two states. No lock is held while the store takes an event in, which may run
// user code (Keep, Transform, indexes): who comes meanwhile is served right
// after.
//
// The lock comes before a subscription's.
type subscribers[T any] struct {
	store   *Store[T]
	observe func(*Change[T]) // told of each change, numbered, before all others; may be nil
	log     Logger

	mu              sync.Mutex
	list            []*Subscription[T] // who gets the next event's changes; never changed in place
	joining         []*Subscription[T] // who waits to be put on the list
	skipping        []*Subscription[T] // who joined while an event is told, and gets nothing of it
	asking          []*Subscription[T] // who is on it and waits for a snapshot
	alive           map[*Subscription[T]]struct{}
	running         map[uint64]*Subscription[T] // by goroutine, while it runs
	phase           phase
	stopped         bool
	begun           bool // something may have been published
	restored        bool // the store began with what a checkpoint held
	recalling       bool // subscriptions may know newer states
	synced          bool
	sequence        uint64 // of the last change published
	resourceVersion string // of the stream, as last published

	publication publication[T] // publish's own
	lazy        bool           // publish's own: wakeLate follows
	late        late[T]
}

// phase is how the store stands to what was published.
type phase uint8

const (
	level    phase = iota // everything that it shows was published
	applying              // it takes an event in
	telling               // it shows the event; not all of that was published
)

// newSubscribers makes a fan-out over a store. A nil log is silent, a nil
// observe does nothing.
func newSubscribers[T any](store *Store[T], observe func(*Change[T]), log Logger) *subscribers[T] {
	if log == nil {
		log = silent.Logger{}
	}
	s := &subscribers[T]{
		store: store, observe: observe, log: log,
		alive: map[*Subscription[T]]struct{}{}, running: map[uint64]*Subscription[T]{},
	}
	s.publication.deliver = s.tell
	return s
}

// subscribe begins a subscription of single changes.
func (s *subscribers[T]) subscribe(h Handler[T], o SubscriptionOptions[T]) (*Subscription[T], error) {
	if h == nil {
		return nil, &OptionError{Option: "handler", Problem: "must be a function, not nil"}
	}
	return s.begin(func(ctx context.Context, batch []Change[T]) error { return h(ctx, batch[0]) }, o.withDefaults(true))
}

// subscribeBatch begins a subscription of batches.
func (s *subscribers[T]) subscribeBatch(h BatchHandler[T], o SubscriptionOptions[T]) (*Subscription[T], error) {
	if h == nil {
		return nil, &OptionError{Option: "handler", Problem: "must be a function, not nil"}
	}
	return s.begin(h, o.withDefaults(false))
}

func (s *subscribers[T]) begin(h BatchHandler[T], o SubscriptionOptions[T]) (*Subscription[T], error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Predicates = slices.Clone(o.Predicates)
	sub := newSubscription(s, h, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		sub.cancel()
		return nil, ErrInformerStopped
	}
	if o.ChangesOnly && s.begun {
		sub.cancel()
		return nil, &OptionError{Option: "SubscriptionOptions.ChangesOnly", Problem: "must be asked for before Run: what came before is not known any more"}
	}
	s.alive[sub] = struct{}{}
	s.joinLocked(sub)
	go sub.run()
	return sub, nil
}

// joinLocked puts a new subscription on the list, with the snapshot from which
// the list's next changes go on. While an event is told, its rest is in that
// snapshot, and goes to those only who were on the list before.
func (s *subscribers[T]) joinLocked(sub *Subscription[T]) {
	if s.phase == applying {
		s.joining = append(s.joining, sub)
		return
	}
	if s.phase == telling {
		s.skipping = append(s.skipping, sub)
	}
	s.list = append(slices.Clip(s.list), sub)
	sub.give(s.snapshotLocked())
}

// ask gives a snapshot to a subscription on the list, once everything that it
// shows was published.
func (s *subscribers[T]) ask(sub *Subscription[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != level || s.recalling {
		s.asking = append(s.asking, sub)
		return
	}
	sub.give(s.snapshotLocked())
}

// recall says whether subscriptions may know newer states from an earlier process
// than the store shows. While they may, nobody gets a snapshot to resync from.
func (s *subscribers[T]) recall(may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recalling = may
	if s.phase == level {
		s.answerLocked()
	}
}

func (s *subscribers[T]) snapshotLocked() snapshot[T] {
	return snapshot[T]{items: s.store.Snapshot().All(), sequence: s.sequence, synced: s.synced, restored: s.restored, resourceVersion: s.resourceVersion}
}
