package rawwatch

import "runtime/debug"

// visible turns a change into what the subscriber sees of it; false when that
// is nothing.
func (s *Subscription[T]) visible(c *Change[T], stood knowledge) bool {
	if c.Item == nil || stood == 0 && s.options.Filter == nil && len(s.options.Predicates) == 0 {
		return true
	}
	if c.Cause == CauseResync {
		return s.passes(c.Item, c)
	}
	was, is := s.saw(c, stood), c.Type != Deleted && s.passes(c.Item, c)
	switch {
	case !was && !is:
		return false
	case !was:
		c.Type, c.Old = Added, nil
		return true
	case !is:
		if c.Type != Deleted {
			c.Type, c.Item = Deleted, before(c)
		}
		return true
	case stood == maybe:
		c.Type, c.Old = Added, nil
	}
	return c.Type == Added || s.worthwhile(c)
}

// saw reports whether the subscriber knows the object from before the change.
func (s *Subscription[T]) saw(c *Change[T], stood knowledge) bool {
	switch {
	case stood != 0:
		return stood != hidden
	case c.Type == Added:
		return false
	case c.Type == Deleted:
		return s.passes(before(c), c)
	}
	return c.Old == nil || s.passes(c.Old, c)
}

// before is the state that the subscriber knows: a deletion may show another.
func before[T any](c *Change[T]) *Item[T] {
	if c.Old != nil {
		return c.Old
	}
	return c.Item
}

// passes asks the filter.
func (s *Subscription[T]) passes(item *Item[T], c *Change[T]) (ok bool) {
	if s.options.Filter == nil {
		return true
	}
	ok = true
	defer s.contain("filter", c)
	ok = s.options.Filter(item)
	return ok
}

// worthwhile asks the predicates.
func (s *Subscription[T]) worthwhile(c *Change[T]) bool {
	for _, p := range s.options.Predicates {
		if !s.holds(p, c) {
			return false
		}
	}
	return true
}

func (s *Subscription[T]) holds(p Predicate[T], c *Change[T]) (ok bool) {
	ok = true
	defer s.contain("predicate", c)
	ok = p(c.Old, c.Item)
	return ok
}

// contain is deferred around user code that has no attempts.
func (s *Subscription[T]) contain(function string, c *Change[T]) {
	if value := recover(); value != nil {
		s.report(s.failure(function, c, panicError(value), debug.Stack()))
	}
}
