package rawwatch

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// Subscription delivers an informer's changes to one handler, on a goroutine of
// its own. Its methods may be called from any goroutine.
//
// It begins with the objects that the store holds, each as an Added with
// [CauseStore], and a Synced if the informer is in sync; then come the changes
// that follow exactly that state, none missing and none twice.
//
// It comes from [Informer.Subscribe] or [Informer.SubscribeBatch]. The zero value is
// as if it were closed and nothing had ever been delivered; its Done is nil.
type Subscription[T any] struct {
	owner   *subscribers[T]
	options SubscriptionOptions[T]
	handler BatchHandler[T]

	ctx    context.Context // done when the subscription is closed
	cancel context.CancelFunc
	wake   chan struct{} // something may have changed for the goroutine
	space  chan struct{} // the queue may have room for the publisher
	done   chan struct{} // the goroutine has ended

	// Of the goroutine alone.
	hand   []held[T]   // what is being delivered
	out    []Change[T] // as the handler gets it
	resync *time.Timer
	asked  bool // for a snapshot to resync from

	noter      atomic.Pointer[noter]
	deliveries []delivery // of the goroutine alone, to be noted

	past *past // of who publishes; nil or empty as a rule

	// acking is held by who acknowledges by hand. What is acknowledged is noted
	// first and counts then: nothing may be saved of which the note is not there
	// yet, and whoever finds it acknowledged already can rely on the note.
	acking sync.Mutex

	mu       sync.Mutex // guards all below; no user code runs under it
	closed   bool
	queue    queue[T]
	newest   *coalescing[T] // the queue, when it is one
	snapshot *snapshot[T]   // to be delivered as soon as its turn has come
	initial  bool           // the objects to begin with are not all delivered
	joinedAt time.Time
	moved    map[decode.Key]struct{} // delivered in a state newer than snapshot
	offered  uint64                  // sequence of the last change published to it
	waitLow  uint64                  // once closed: waitingFrom at that time
	handLow  uint64                  // lowest first in hand; 0 when nothing is
	handAt   time.Time
	ledger   ledger
	tally    tally
}

// held is a record in the handler's hand.
type held[T any] struct {
	record[T]
	shown bool         // it passed the filter
	entry *outstanding // in the ledger; nil when it is not there

	missed    bool      // it was not shown, and may have passed the filter meanwhile
	appears   bool      // the handler may not know the object yet
	knowledge knowledge // how it stands to the object after this
}

// snapshot is the store's state at one point of the published order.
type snapshot[T any] struct {
	items           iter.Seq2[decode.Key, *Item[T]]
	sequence        uint64
	synced          bool
	restored        bool // not synced: it is what a checkpoint held
	resourceVersion string
}

func newSubscription[T any](owner *subscribers[T], h BatchHandler[T], o SubscriptionOptions[T]) *Subscription[T] {
	s := &Subscription[T]{
		owner: owner, options: o, handler: h,
		wake: make(chan struct{}, 1), space: make(chan struct{}, 1), done: make(chan struct{}),
		initial: true, joinedAt: time.Now(),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if o.Delivery == Coalesce {
		s.newest = &coalescing[T]{mergeBirth: o.MergeRecreated}
		s.queue = s.newest
	} else {
		s.queue = &ring[T]{limit: o.QueueSize}
	}
	return s
}

// signal wakes whoever waits on the channel, or will.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// give hands over the snapshot that was asked for.
func (s *Subscription[T]) give(snap snapshot[T]) {
	s.mu.Lock()
	if !s.closed {
		s.snapshot = &snap
	}
	s.offered = max(s.offered, s.startOf(snap))
	s.mu.Unlock()
	signal(s.wake)
}

// startOf is up to where the snapshot stands for what was published: all of it
// for the first one; a later one comes beside the changes.
func (s *Subscription[T]) startOf(snap snapshot[T]) uint64 {
	if s.initial {
		return snap.sequence
	}
	return 0
}

// offer puts a change into the queue, and leaves it to the caller to wake the
// goroutine; false when there is no room. A closed subscription takes
// everything, and forgets it.
func (s *Subscription[T]) offer(r *record[T]) bool {
	s.mu.Lock()
	ok := s.closed || s.enqueue(r)
	switch {
	case !ok && s.tally.blockedSince.IsZero():
		s.tally.blockedSince = time.Now()
	case ok && !s.closed:
		s.offered = r.change.Sequence
		s.tally.unblock()
	}
	s.mu.Unlock()
	return ok
}

func (s *Subscription[T]) enqueue(r *record[T]) bool {
	if s.newest == nil || s.snapshot == nil || s.initial || r.change.Item == nil {
		return s.queue.offer(*r)
	}
	key := r.change.Item.Key()
	waited := s.newest.waits(key)
	s.newest.offer(*r)
	if waited && !s.newest.waits(key) {
		s.noteMoved(&r.change) // born and gone: the snapshot may show it
	}
	return true
}

// skip says that what was published up to now is in the snapshot that it began
// with.
func (s *Subscription[T]) skip(sequence uint64) {
	s.mu.Lock()
	s.offered = max(s.offered, sequence)
	s.mu.Unlock()
	signal(s.wake)
}

// push is offer, waiting for room.
func (s *Subscription[T]) push(ctx context.Context, r *record[T]) error {
	defer signal(s.wake)
	for !s.offer(r) {
		signal(s.wake)
		select {
		case <-s.space:
		case <-s.ctx.Done(): // the next offer goes nowhere
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Close ends the subscription and waits until its handler has returned, or ctx
// is done; then it returns ctx's error, and the handler, whose own context is
// done by now, is still running. What was not delivered is dropped, without
// being acknowledged. A second Close returns [ErrSubscriptionClosed] at once;
// wait for [Subscription.Done] instead.
//
// A handler may close its own subscription: Close then does not wait, and
// nothing more is delivered after the handler has returned. In a handler of
// another subscription, Close waits no longer than that one is open, so that
// two handlers can close each other.
func (s *Subscription[T]) Close(ctx context.Context) error {
	if s.owner == nil || !s.markClosed() {
		return ErrSubscriptionClosed
	}
	s.owner.remove(s)
	return s.owner.await(ctx, s)
}

// markClosed stops delivery; false when it was stopped before.
func (s *Subscription[T]) markClosed() bool {
	s.mu.Lock()
	first := !s.closed
	if first {
		s.closed = true
		s.waitLow = s.waitingFrom()
		s.queue.clear()
	}
	s.snapshot = nil
	s.tally.unblock()
	s.mu.Unlock()
	s.cancel()
	return first
}

// Done is closed when the handler has returned for the last time.
func (s *Subscription[T]) Done() <-chan struct{} { return s.done }

// Ack acknowledges, with [SubscriptionOptions].ManualAck, what was delivered of
// an object up to the change with this [Change].Sequence. It may be called
// before the handler has returned, after the subscription has ended, and more
// than once. What was not delivered is not acknowledged.
//
// With a checkpoint that takes notes, a [resume.Noter], Ack returns when it is noted:
// a process that is killed after that need not be told again.
// [resume.ErrCheckpointClosed] says that it came too late for that. [ErrNotManualAck]
// says that the subscription acknowledges by returning.
func (s *Subscription[T]) Ack(key decode.Key, sequence uint64) error {
	if !s.options.ManualAck {
		return ErrNotManualAck
	}
	s.acking.Lock()
	defer s.acking.Unlock()
	s.mu.Lock()
	last, meaning := s.ledger.due(key, sequence)
	s.mu.Unlock()
	var err error
	if notes := s.noter.Load(); notes != nil && len(meaning) > 0 {
		err = (*notes).note(s.options.Name, meaning)
	}
	s.mu.Lock()
	s.ledger.acknowledge(key, last)
	s.mu.Unlock()
	signal(s.wake)
	return err
}

// Acknowledged is the highest sequence number up to which everything is
// acknowledged. It is 0 until the objects to begin with are, and never falls.
func (s *Subscription[T]) Acknowledged() uint64 {
	if s.owner == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acknowledged()
}

func (s *Subscription[T]) acknowledged() uint64 {
	if s.initial {
		return 0
	}
	low := s.waitingFrom()
	if s.handLow != 0 {
		low = min(low, s.handLow)
	}
	if first, ok := s.ledger.oldest(); ok {
		low = min(low, first)
	}
	if s.newest != nil {
		low = s.newest.unseenFrom(low)
	}
	return low - 1
}

// waitingFrom is the lowest sequence number that was not given to the handler.
func (s *Subscription[T]) waitingFrom() uint64 {
	if s.closed && s.waitLow != 0 {
		return s.waitLow
	}
	if first, _, ok := s.queue.peek(); ok {
		return first
	}
	return s.offered + 1
}
