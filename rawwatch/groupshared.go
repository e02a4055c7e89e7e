package rawwatch

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// share is one informer of a group, whatever its T.
type share struct {
	group    *Group
	query    Query
	informer any // *Informer[T]
	options  any // InformerOptions[T], of who came first
	indexers any // *sharedIndexers[T]
	members  []*feedMember

	listWatch ListWatchOptions // of its feeds

	synced func(context.Context) error
	status func() InformerStatus
	ended  func(error) // ends the subscriptions; waits for them
	done   chan struct{}

	wanted int         // guarded by the group's lock
	grace  *time.Timer // runs while nobody wants it; guarded too
	graces int         // how often it was begun; guarded too
}

// shareKey is what informers are shared by.
type shareKey[T any] struct {
	query      Query
	namespaces string
}

// Shared returns the group's informer of the query's objects as T's. The first
// call makes and starts it, later ones get the same; each is to be released
// when it is no longer needed, once (more does nothing). The informer ends when
// all were released and GroupOptions.Grace is over; nobody but the group may
// Run it. Close your subscriptions before you release: as long as others want
// the informer, they go on.
//
// Two calls of one T must agree on Keep and Transform. Functions count as the
// same when they are one value: make the options once, in a variable. Indexers
// are added; KeepLabels holds for who comes later if the first has set it.
// ListWatch is best left zero, which takes the group's or what the first has
// said; all that share a watch must agree on it. Otherwise the error is a
// [*GroupConflictError]; others are [ErrGroupStopped] and those of
// [NewInformer]; an informer with a Checkpoint cannot be shared.
func Shared[T any](g *Group, q Query, o InformerOptions[T]) (i *Informer[T], release func(), err error) {
	if o.Checkpoint != nil {
		return nil, nil, &OptionError{Option: "InformerOptions.Checkpoint", Problem: "is for an informer of its own, made by NewInformer; a group's informers come and go"}
	}
	names := slices.Sorted(slices.Values(o.Namespaces))
	key := shareKey[T]{q, strings.Join(names, ",")}
	s, err := want(g, key, o)
	if err != nil {
		return nil, nil, err
	}
	i, release = s.informer.(*Informer[T]), sync.OnceFunc(func() { g.release(key, s) })
	if err := s.indexers.(*sharedIndexers[T]).add(s.query, i.store, o.Indexers); err != nil {
		release()
		return nil, nil, err
	}
	return i, release, nil
}

// want notes one more interest.
func want[T any](g *Group, key shareKey[T], o InformerOptions[T]) (*share, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return nil, ErrGroupStopped
	}
	s := g.shares[key]
	if s == nil {
		var err error
		if s, err = newShare(g, key.query, o); err != nil {
			return nil, err
		}
		g.shares[key] = s
		for _, m := range s.members {
			m.feed = g.feed(m.query, s.listWatch)
			m.feed.join(m)
		}
	} else if err := agree(s, o); err != nil {
		return nil, err
	}
	s.wanted++
	if s.grace != nil {
		s.grace.Stop()
		s.grace = nil
	}
	return s, nil
}

// newShare makes an informer. It is called with the lock held.
func newShare[T any](g *Group, q Query, o InformerOptions[T]) (*share, error) {
	asked := o
	if reflect.ValueOf(o.ListWatch).IsZero() {
		o.ListWatch = g.options.ListWatch
	}
	queries, err := o.queries(q)
	if err != nil {
		return nil, err
	}
	for _, part := range queries {
		switch f := g.feeds[part]; {
		case f == nil:
		case reflect.ValueOf(asked.ListWatch).IsZero():
			o.ListWatch = f.options
		case !reflect.DeepEqual(f.options, o.ListWatch):
			return nil, &GroupConflictError{Query: part, Option: "ListWatch", Need: "leave it zero, or set GroupOptions.ListWatch"}
		}
	}
	i, err := NewInformer(g.client, q, o)
	if err != nil {
		return nil, err
	}
	i.used.Store(true)
	s := &share{
		group: g, query: q, informer: i, options: asked, listWatch: o.ListWatch, done: make(chan struct{}),
		indexers: &sharedIndexers[T]{known: maps.Clone(o.Indexers)},
		synced:   i.WaitForSync, status: i.Status,
		ended: func(err error) { i.finish(context.Background(), err) },
	}
	for _, p := range i.parts {
		m := &feedMember{query: p.query}
		to, err := newPartTarget(i, p, o)
		if err != nil {
			return nil, err
		}
		m.to.Store(to)
		s.members = append(s.members, m)
	}
	return s, nil
}

const sameOnce = "give the same value: make the options once, in a variable"

// agree says whether an informer is what another asks for, too. It is called
// with the lock held.
func agree[T any](s *share, o InformerOptions[T]) error {
	first := s.options.(InformerOptions[T])
	conflict := func(option, need string) error {
		return &GroupConflictError{Query: s.query, Option: option, Need: need}
	}
	switch {
	case !sameFunc(first.Keep, o.Keep):
		return conflict("Keep", sameOnce)
	case !sameFunc(first.Transform, o.Transform):
		return conflict("Transform", sameOnce)
	case o.OnIndexError != nil && !sameFunc(first.OnIndexError, o.OnIndexError):
		return conflict("OnIndexError", sameOnce)
	case o.KeepLabels && !first.KeepLabels:
		return conflict("KeepLabels", "who comes first must ask for it")
	case o.StopTimeout != 0 && o.StopTimeout != first.StopTimeout:
		return conflict("StopTimeout", "leave it zero, or give the same")
	case !reflect.ValueOf(o.ListWatch).IsZero() && !reflect.DeepEqual(o.ListWatch, s.listWatch):
		return conflict("ListWatch", "leave it zero, or set GroupOptions.ListWatch")
	}
	return nil
}

// sharedIndexers are the indexers that those who share an informer have asked
// for.
type sharedIndexers[T any] struct {
	mu    sync.Mutex // held while one is filled: nobody is told of it before
	known Indexers[T]
}

func (x *sharedIndexers[T]) add(q Query, to *Store[T], asked Indexers[T]) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	missing := Indexers[T]{}
	for name, f := range asked {
		there, ok := x.known[name]
		if ok && !sameFunc(there, f) {
			return &GroupConflictError{Query: q, Option: "Indexers[" + name + "]", Need: sameOnce}
		}
		if !ok {
			missing[name] = f
		}
	}
	if err := to.AddIndexers(missing); err != nil {
		return err
	}
	if x.known == nil {
		x.known = Indexers[T]{}
	}
	maps.Copy(x.known, missing)
	return nil
}

// sameFunc reports whether two functions are one value. The language compares
// functions with nil only, and reflect tells the code of a function, which
// closures of different content share. A function value is one pointer, to its
// closure: where these are equal so are the functions.
func sameFunc[F any](a, b F) bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a)) == *(*unsafe.Pointer)(unsafe.Pointer(&b))
}

// release takes back one interest.
func (g *Group) release(key any, s *share) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.wanted--
	if s.wanted > 0 || g.shares[key] != s {
		return
	}
	s.graces++
	number := s.graces
	s.grace = time.AfterFunc(max(g.options.Grace, 0), func() { g.expire(key, s, number) })
}

// expire ends an informer whose grace time is over, unless that was an earlier
// one: somebody may have come, and gone again, while its timer's function waited
// for the lock.
func (g *Group) expire(key any, s *share, number int) {
	g.mu.Lock()
	if s.wanted > 0 || number != s.graces || g.shares[key] != s {
		g.mu.Unlock()
		return
	}
	g.retire(key, s)
	g.mu.Unlock()
	s.finish(errReleased)
}

// retire takes an informer out of the group; who does so has to finish it. It
// is called with the lock held.
func (g *Group) retire(key any, s *share) {
	delete(g.shares, key)
	g.ending[s] = struct{}{}
	if s.grace != nil {
		s.grace.Stop()
		s.grace = nil
	}
	for _, m := range s.members {
		m.feed.leave(m)
	}
}

// finish ends a retired informer's subscriptions and waits for them, and for
// what its watches are giving it at this moment.
func (s *share) finish(why error) {
	defer close(s.done)
	s.ended(why)
	for _, m := range s.members {
		m.gone()
	}
	s.group.mu.Lock()
	delete(s.group.ending, s)
	s.group.mu.Unlock()
}
