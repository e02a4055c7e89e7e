package rawwatch

import (
	"sync/atomic"

	"github.com/rawwatch/rawwatch/decode"
)

// part is one watch of an informer: all of it, or one namespace of several.
//
// Alone, it fills the informer's store, which is its reflector's index. One of
// several has a store of its own as index and staging: what it lists is shown,
// all at once, when it is complete, whatever the others are doing. The items
// themselves are the same in both.
type part[T any] struct {
	query     Query
	reflector atomic.Pointer[Reflector] // in a group, that of the run under way
	own       *Store[T]
	shared    *Store[T] // nil when own is what is shown
	changes   []Change[T]
	saved     *savedWatch[T] // nil without a checkpoint

	synced    bool // its first list is complete
	completes bool // and so are those of all other parts
	lazy      bool // handlers may be woken later, by the reflector's settle
}

func newPart[T any](c *Client, q Query, o InformerOptions[T], shared *Store[T], alone bool) (*part[T], error) {
	p := &part[T]{query: q, own: shared}
	if !alone {
		options := o.StoreOptions
		options.Indexers = nil
		own, err := NewStore(options)
		if err != nil {
			return nil, err
		}
		p.own, p.shared = own, shared
	}
	r := NewReflector(c, q, o.ListWatch)
	r.index = storeIndex[T]{p.own}
	if o.Keep == nil {
		d, err := newDecoder[T](q.Resource)
		if err != nil {
			return nil, err
		}
		r.wants(d.core)
	}
	p.reflector.Store(r)
	return p, nil
}

// Apply takes an event in, shows what it changes, and delivers that; see
// [Store.Apply]. Synced is delivered once all parts are.
func (p *part[T]) Apply(e Event, deliver func(Change[T]) bool) bool {
	if p.shared == nil {
		return p.own.Apply(e, deliver)
	}
	p.changes = p.changes[:0]
	p.own.Apply(e, func(c Change[T]) bool {
		p.changes = append(p.changes, c)
		return true
	})
	p.shared.take(p.changes)
	defer p.forget()
	for _, c := range p.changes {
		if c.Type == Synced && !p.completes {
			continue
		}
		if !deliver(c) {
			return false
		}
	}
	return true
}

// keptChanges bounds the room for changes that is kept for the next event.
const keptChanges = 64

func (p *part[T]) forget() {
	clear(p.changes)
	if cap(p.changes) > keptChanges {
		p.changes = nil
	}
}

// syncs reports whether the event is the end of a list, with which the informer
// as a whole is in sync.
func (p *part[T]) syncs(e Event) bool { return e.Type == Synced && p.completes }

// take puts changes that another store has made into this one, and shows them
// all at once. Neither lists nor the tracker of a relist are involved.
func (s *Store[T]) take(changes []Change[T]) {
	if len(changes) == 0 {
		return
	}
	for _, c := range changes {
		switch c.Type {
		case Added, Modified:
			s.replace(s.held(c.Item.Key()), c.Item, false)
		case Deleted:
			if old := s.held(c.Old.Key()); old != nil {
				s.replace(old, nil, false)
			}
		}
	}
	s.mu.Lock()
	s.publish()
	s.mu.Unlock()
}

func (s *Store[T]) held(key decode.Key) *Item[T] { return s.live.items.get(place{Key: key}) }
