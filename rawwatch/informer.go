package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// InformerOptions adjust an [Informer]. The zero value keeps the fields of T.
type InformerOptions[T any] struct {
	// StoreOptions say what is kept of an object.
	StoreOptions[T]
	// ListWatch adjusts how the objects are fetched and followed. Its Encoding
	// and MetadataOnly are chosen by what T names unless they are set, as
	// [ListWatchAs] does.
	ListWatch ListWatchOptions
	// Namespaces limits the informer to a list of namespaces, in place of the
	// query's one. Each is listed and watched by itself; together they are one
	// informer, which is in sync when all of them are. Nil leaves the query as
	// it is.
	Namespaces []string
	// StopTimeout is how long [Informer.Run] waits at its end for handlers that
	// have not returned; 0 is [DefaultStopTimeout].
	StopTimeout time.Duration
	// Checkpoint makes the informer begin with what an earlier process knew, and
	// save what it knows itself; see [CheckpointIn]. Nil does neither.
	Checkpoint Checkpointer[T]
	// MaxStaleness is how old what the store shows may get, while the server
	// cannot be heard, before [InformerStatus].Stale is set. 0 sets no bound.
	MaxStaleness time.Duration
}

// DefaultStopTimeout is what a zero InformerOptions.StopTimeout stands for.
const DefaultStopTimeout = 30 * time.Second

// Informer keeps a [Store] of a query's objects current and tells subscribers
// what changes: client-go's SharedIndexInformer, with bounds. All methods are
// safe for concurrent use; [Informer.Run] is called once.
//
// An Informer comes from [NewInformer], or from [Shared]. The zero value is never in
// sync: what would run it, subscribe to it or wait for it returns [ErrZeroInformer],
// and its Store and Done are nil, so that Get panics.
type Informer[T any] struct {
	store       *Store[T]
	subscribers *subscribers[T]
	parts       []*part[T]
	keeper      keeper[T] // nil without a checkpoint
	stopTimeout time.Duration
	maxStale    time.Duration

	used       atomic.Bool
	publishing chan struct{} // holds a token while a part publishes
	synced     chan struct{} // closed when the first sync is shown
	once       sync.Once     // closes it
	done       chan struct{} // closed when Run has returned
	err        error         // of Run; set before done is closed
}

// NewInformer returns an informer of the query's objects. Nothing is sent
// before Run, but subscribers and indexers may come already. The error is a
// [*decode.TypeError] for a T that cannot be decoded into, a [*QueryError], or
// an [*IndexNameError]. With a checkpoint it may also be an [*OptionError] or a
// [*CheckpointTypeError].
func NewInformer[T any](c *Client, q Query, o InformerOptions[T]) (*Informer[T], error) {
	queries, err := o.queries(q)
	if err != nil {
		return nil, err
	}
	store, err := NewStore(o.StoreOptions)
	if err != nil {
		return nil, err
	}
	i := &Informer[T]{
		store: store, stopTimeout: o.StopTimeout, maxStale: o.MaxStaleness,
		publishing: make(chan struct{}, 1), synced: make(chan struct{}), done: make(chan struct{}),
	}
	if i.stopTimeout == 0 {
		i.stopTimeout = DefaultStopTimeout
	}
	i.subscribers = newSubscribers(store, i.observe, c.log)
	for _, q := range queries {
		p, err := newPart(c, q, o, store, len(queries) == 1)
		if err != nil {
			return nil, err
		}
		i.parts = append(i.parts, p)
	}
	if o.Checkpoint != nil {
		if i.keeper, err = o.Checkpoint.keep(i, o); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// queries are one for each namespace, or the query itself.
func (o InformerOptions[T]) queries(q Query) ([]Query, error) {
	if o.Namespaces == nil {
		return []Query{q}, q.Validate()
	}
	if q.Namespace != "" || !q.Resource.Namespaced || len(o.Namespaces) == 0 {
		return nil, &OptionError{Option: "InformerOptions.Namespaces", Problem: "needs a query for all namespaces of a namespaced resource, and at least one namespace"}
	}
	var all []Query
	seen := map[string]bool{}
	for _, namespace := range o.Namespaces {
		if namespace == "" || seen[namespace] {
			return nil, &OptionError{Option: "InformerOptions.Namespaces", Problem: "holds an empty or a repeated namespace"}
		}
		seen[namespace] = true
		part := q.InNamespace(namespace)
		if err := part.Validate(); err != nil {
			return nil, err
		}
		all = append(all, part)
	}
	return all, nil
}

// ErrInformerUsed is what a second [Informer.Run] returns.
var ErrInformerUsed = errors.New("rawwatch: an informer runs once; make a new one")

// ErrZeroInformer is returned by an [Informer] that does not come from
// [NewInformer].
var ErrZeroInformer = errors.New("rawwatch: this informer is a zero value; make it with NewInformer")

// Run fetches and follows the objects until ctx is done, or until nothing can
// go on: a query that the server refuses for good, a closed client, an error
// of ListWatchOptions.OnFailure. It returns why, ctx's cause as a rule, after
// all handlers have returned; the store stays readable. Everything else heals
// by itself; see [Informer.Status].
func (i *Informer[T]) Run(ctx context.Context) error {
	if i.subscribers == nil {
		return ErrZeroInformer
	}
	if i.used.Swap(true) {
		return ErrInformerUsed
	}
	i.finish(context.WithoutCancel(ctx), i.run(ctx))
	return i.err
}

// finish ends all subscriptions: nothing is published any more, for the reason
// err.
func (i *Informer[T]) finish(ctx context.Context, err error) {
	defer close(i.done)
	ctx, cancel := context.WithTimeout(ctx, i.stopTimeout)
	defer cancel()
	if late := i.subscribers.stop(ctx); late != nil {
		err = errors.Join(err, late)
	}
	if i.keeper != nil {
		i.keeper.stop(ctx)
	}
	i.err = err
}

// run follows all parts; the first that cannot go on ends the others.
func (i *Informer[T]) run(ctx context.Context) error {
	i.subscribers.begins()
	if i.keeper != nil {
		if err := i.keeper.start(ctx); err != nil {
			return err
		}
	}
	if len(i.parts) == 1 {
		return i.follow(ctx, i.parts[0])
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var parts sync.WaitGroup
	for _, p := range i.parts {
		parts.Go(func() { cancel(i.follow(ctx, p)) })
	}
	parts.Wait()
	return context.Cause(ctx)
}

func (i *Informer[T]) follow(ctx context.Context, p *part[T]) error {
	if i.keeper != nil {
		if err := i.keeper.admit(ctx, p); err != nil {
			return err
		}
	}
	reflector := p.reflector.Load()
	if i.keeper == nil { // which waits for handlers by itself
		reflector.settle = i.subscribers.wakeLate
		defer i.subscribers.wakeLate()
	}
	for e, err := range reflector.events(ctx) {
		if err == nil {
			p.lazy = reflector.lazy
			err = i.publish(ctx, p, e)
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// publish lets one part at a time change the store.
func (i *Informer[T]) publish(ctx context.Context, p *part[T], e Event) error {
	if i.keeper != nil {
		if err := i.keeper.room(ctx); err != nil {
			return err
		}
	}
	if err := i.acquire(ctx); err != nil {
		return err
	}
	defer i.release()
	if e.Type == Synced {
		p.synced = true
	}
	p.completes = i.complete()
	if i.keeper == nil {
		i.subscribers.lazy = p.lazy
		return i.subscribers.publishTo(ctx, p, e)
	}
	if err := i.subscribers.publishTo(ctx, i.keeper.taker(p, e), e); err != nil {
		return err
	}
	return i.keeper.published(ctx, p, e)
}

// acquire waits for the right to publish.
func (i *Informer[T]) acquire(ctx context.Context) error {
	select {
	case i.publishing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (i *Informer[T]) release() { <-i.publishing }

// complete reports whether all parts are in sync.
func (i *Informer[T]) complete() bool {
	for _, p := range i.parts {
		if !p.synced {
			return false
		}
	}
	return true
}

// observe sees each change before the subscribers do.
func (i *Informer[T]) observe(c *Change[T]) {
	if c.Type == Synced {
		i.once.Do(func() { close(i.synced) })
	}
	if i.keeper != nil {
		i.keeper.observe(c)
	}
}

// Store is the informer's store, for reading and for adding indexers.
func (i *Informer[T]) Store() *Store[T] { return i.store }

// Get returns the item of a key; false when there is none.
func (i *Informer[T]) Get(key decode.Key) (*Item[T], bool) { return i.store.Get(key) }

// Subscribe delivers changes to a handler, one by one, beginning with the
// objects that the store holds. It may be called before, during and between;
// after the end of Run it returns [ErrInformerStopped]. Other errors are a
// [*OptionError].
func (i *Informer[T]) Subscribe(h Handler[T], o SubscriptionOptions[T]) (*Subscription[T], error) {
	if i.subscribers == nil {
		return nil, ErrZeroInformer
	}
	return i.subscribers.subscribe(h, o)
}

// SubscribeBatch is Subscribe for a handler of batches.
func (i *Informer[T]) SubscribeBatch(h BatchHandler[T], o SubscriptionOptions[T]) (*Subscription[T], error) {
	if i.subscribers == nil {
		return nil, ErrZeroInformer
	}
	return i.subscribers.subscribeBatch(h, o)
}

// Synced reports whether the store has shown a complete list.
func (i *Informer[T]) Synced() bool {
	select {
	case <-i.synced:
		return true
	default:
		return false
	}
}

// WaitForSync waits until the store shows a complete list. The error is ctx's
// cause, or what ended Run before.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	if i.subscribers == nil {
		return ErrZeroInformer
	}
	select {
	case <-i.synced:
		return nil
	case <-i.done:
		if i.Synced() {
			return nil
		}
		return fmt.Errorf("rawwatch: the informer ended before it was in sync: %w", i.err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Done is closed when the informer has ended and its handlers have returned.
func (i *Informer[T]) Done() <-chan struct{} { return i.done }

// Err says why the informer has ended: what Run has returned. It is nil before.
func (i *Informer[T]) Err() error {
	select {
	case <-i.done:
		return i.err
	default:
		return nil
	}
}

// InformerStatus is how an [Informer] is at one moment.
type InformerStatus struct {
	// Synced is [Informer.Synced]. Objects is the store's size.
	Synced  bool
	Objects int
	// Running is set between the beginning and the end of Run.
	Running bool
	// Watches are the informer's watches: one, or one for each of
	// InformerOptions.Namespaces.
	Watches []Status
	// AsOf is up to when the store is known to show everything: now, while all
	// watches are open; zero while nothing is known. Stale is set when that is
	// longer ago than InformerOptions.MaxStaleness.
	AsOf  time.Time
	Stale bool
	// Checkpoint is nil without InformerOptions.Checkpoint.
	Checkpoint *InformerCheckpoint
}

// Status tells how the informer is.
func (i *Informer[T]) Status() InformerStatus {
	if i.subscribers == nil {
		return InformerStatus{}
	}
	s := InformerStatus{Synced: i.Synced(), Objects: i.store.Len(), Running: i.used.Load()}
	select {
	case <-i.done:
		s.Running = false
	default:
	}
	s.Watches = i.Statuses()
	if i.keeper != nil {
		s.Checkpoint = i.keeper.status()
	}
	now := time.Now()
	s.AsOf = s.asOf(now)
	s.Stale = i.maxStale > 0 && now.Sub(s.AsOf) > i.maxStale
	return s
}

// asOf is the least of all watches.
func (s *InformerStatus) asOf(now time.Time) time.Time {
	if c := s.Checkpoint; c != nil && c.Unconfirmed {
		if c.SavedAt.After(now) {
			return now // the clock was set back
		}
		return c.SavedAt
	}
	low := now
	for i := range s.Watches {
		if at := s.Watches[i].heard(now); at.Before(low) {
			low = at
		}
	}
	return low
}

// heard is when the server was last heard.
func (s *Status) heard(now time.Time) time.Time {
	at := s.LastSync
	switch {
	case at.IsZero():
		return at
	case s.Connected:
		return now
	}
	for _, later := range [...]time.Time{s.LastFrame, s.Since} {
		if later.After(at) {
			at = later
		}
	}
	return at
}

// Statuses implements [StatusSource]: how each watch is.
func (i *Informer[T]) Statuses() []Status {
	all := make([]Status, 0, len(i.parts))
	for _, p := range i.parts {
		all = append(all, p.reflector.Load().Status())
	}
	return all
}
