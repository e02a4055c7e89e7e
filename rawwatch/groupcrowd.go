package rawwatch

import (
	"context"
	"iter"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// crowd is all who are fed in one run of a reflector, and its index: each store
// decides by itself what an object is to it, and is given what follows from
// that. The reflector is told what an object is to any of them.
//
// It is the feed's goroutine's, except that members may leave at any time.
type crowd struct {
	members []*feedMember
	answers []answer    // to the last question, by member
	removes *feedMember // whose object EndRelist has named
}

// answer is what the last object is to one member.
type answer struct {
	concerned bool
	gone      decode.Identity // an object that is gone, seen by what came; "" is none
}

// each calls do for all who are left.
func (c *crowd) each(do func(n int, t target)) {
	for n, m := range c.members {
		if t := m.to.Load(); t != nil {
			do(n, *t)
		}
	}
}

func (c *crowd) ask() {
	c.removes = nil
	if c.answers == nil {
		c.answers = make([]answer, len(c.members))
	}
	clear(c.answers)
}

// wants is what all of them want together.
func (c *crowd) wants() projection {
	sum := projection{metadataOnly: true}
	c.each(func(_ int, t target) {
		partial, _ := t.wants()
		sum.metadataOnly = sum.metadataOnly && partial.metadataOnly
	})
	c.each(func(_ int, t target) {
		partial, whole := t.wants()
		if sum.metadataOnly {
			whole = partial
		}
		if sum.unknown == nil {
			sum.unknown = whole.unknown
		}
	})
	return sum
}

func (c *crowd) follows(r *Reflector) {
	c.each(func(_ int, t target) { t.follows(r) })
}

// Observe asks all stores. That an object was replaced by another is theirs to
// deal with: the reflector is told of the other only.
func (c *crowd) Observe(m *decode.Meta) (resume.Change, decode.Identity) {
	c.ask()
	var said [resume.Stale + 1]bool
	c.each(func(n int, t target) {
		change, old := t.Observe(m)
		said[change] = true
		switch change {
		case resume.Replaced:
			c.answers[n].gone = old
			fallthrough
		case resume.Added, resume.Modified:
			c.answers[n].concerned = true
		}
	})
	switch {
	case said[resume.Modified]:
		return resume.Modified, decode.Identity{}
	case said[resume.Added] || said[resume.Replaced]:
		return resume.Added, decode.Identity{}
	case said[resume.Stale]:
		return resume.Stale, decode.Identity{}
	}
	return resume.Unchanged, decode.Identity{}
}

// Remove asks all stores. The reflector is told that it was the event's own
// object if any store knew one.
func (c *crowd) Remove(m *decode.Meta) (decode.Identity, bool) {
	c.ask()
	known := false
	c.each(func(n int, t target) {
		old, ok := t.Remove(m)
		if ok {
			known = true
			c.answers[n].concerned = old.UID == string(m.UID)
			if !c.answers[n].concerned {
				c.answers[n].gone = old
			}
		}
	})
	return m.Identity(), known
}

// EndRelist yields what each store has not seen, store by store.
func (c *crowd) EndRelist() iter.Seq[decode.Identity] {
	return func(yield func(decode.Identity) bool) {
		for _, m := range c.members {
			t := m.to.Load()
			if t == nil {
				continue
			}
			for id := range (*t).EndRelist() {
				if c.removes = m; !yield(id) {
					return
				}
			}
		}
		c.removes = nil
	}
}

// publish gives an event to those whom it concerns.
func (c *crowd) publish(ctx context.Context, e Event) error {
	if c.removes != nil {
		return c.removes.publish(ctx, e)
	}
	for n, m := range c.members {
		if e.Type == Synced || e.Type == Bookmark {
			if err := m.publish(ctx, e); err != nil {
				return err
			}
			continue
		}
		if gone := c.answers[n].gone; gone != (decode.Identity{}) {
			stub := Object{Identity: gone, APIVersion: e.Object.APIVersion, Kind: e.Object.Kind}
			if err := m.publish(ctx, Event{Type: Deleted, Cause: e.Cause, Object: stub}); err != nil {
				return err
			}
		}
		if c.answers[n].concerned {
			if err := m.publish(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// publish gives an event to a member that has not left.
func (m *feedMember) publish(ctx context.Context, e Event) error {
	m.publishing.Lock()
	defer m.publishing.Unlock()
	if t := m.to.Load(); t != nil {
		return (*t).publish(ctx, e)
	}
	return nil
}

func (c *crowd) BeginRelist() { c.each(func(_ int, t target) { t.BeginRelist() }) }
func (c *crowd) AbortRelist() { c.each(func(_ int, t target) { t.AbortRelist() }) }
func (c *crowd) ForgetOrder() { c.each(func(_ int, t target) { t.ForgetOrder() }) }
func (c *crowd) BeginAudit()  { c.each(func(_ int, t target) { t.BeginAudit() }) }
func (c *crowd) AbortAudit()  { c.each(func(_ int, t target) { t.AbortAudit() }) }

func (c *crowd) Overfull() (any bool) {
	c.each(func(_ int, t target) { any = t.Overfull() || any })
	return any
}

// Audit says what is worst about any of them.
func (c *crowd) Audit(m *decode.Meta) (worst resume.Discrepancy) {
	c.each(func(_ int, t target) { worst = max(worst, t.Audit(m)) })
	return worst
}

// EndAudit yields what any store has and the audit has not seen, once each.
func (c *crowd) EndAudit() (iter.Seq[decode.Identity], bool) {
	conclusive := true
	var extra []decode.Identity
	seen := map[decode.Key]bool{}
	c.each(func(_ int, t target) {
		some, ok := t.EndAudit()
		conclusive = conclusive && ok
		for id := range some {
			if !seen[id.Key()] {
				seen[id.Key()] = true
				extra = append(extra, id)
			}
		}
	})
	return func(yield func(decode.Identity) bool) {
		for _, id := range extra {
			if !yield(id) {
				return
			}
		}
	}, conclusive
}

// Len is the size of the largest store.
func (c *crowd) Len() (n int) {
	c.each(func(_ int, t target) { n = max(n, t.Len()) })
	return n
}
