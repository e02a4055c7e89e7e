package rawwatch

import "github.com/rawwatch/rawwatch/resume"

// past is what a subscription with ChangesOnly was told by an earlier process and
// is not saved, by uid. Whoever publishes asks it about each change until all is
// told that happened meanwhile.
type past map[string]note

// judge says whether a change has been acknowledged already, and otherwise how the
// subscription stood to the object. What passes is newer than the note, which is
// then of no more use.
func (p past) judge(uid, version string, typ EventType, listed bool) (stood knowledge, acknowledged bool) {
	n, ok := p[uid]
	switch {
	case !ok:
		return 0, false
	case typ == Deleted:
		acknowledged = n.knowledge == gone
	case n.knowledge == gone:
		// A list may show what is back after all, from a restored history.
		acknowledged = !listed
		n.knowledge = hidden
	case n.version == "":
	case listed:
		acknowledged = version == n.version
	default:
		acknowledged = !newer(version, n.version)
	}
	if !acknowledged {
		delete(p, uid)
	}
	return n.knowledge, acknowledged
}

// ahead reports whether anything noted is newer than a version; "" is unknown.
func (p past) ahead(head string) bool {
	for _, n := range p {
		if behind(head, n.version) {
			return true
		}
	}
	return false
}

// doubt leaves only which objects are known.
func (p past) doubt() {
	for uid, n := range p {
		n.version = ""
		if n.knowledge == gone {
			n.knowledge = hidden
		}
		p[uid] = n
	}
}

// newer reports whether a version is newer than another of the same object, as
// far as versions can be compared; if not, whether it is another.
func newer(version, than string) bool {
	order, comparable := resume.CompareVersions(version, than)
	if !comparable {
		return version != than
	}
	return order > 0
}

// recollect asks the past about the change at hand.
func (s *Subscription[T]) recollect(c *Change[T]) (stood knowledge, acknowledged bool) {
	if len(s.past) == 0 || c.Item == nil {
		return 0, false
	}
	return s.past.judge(c.Item.UID, c.Item.ResourceVersion, c.Type, c.listed())
}

// listed reports whether the change was learned from a list.
func (c *Change[T]) listed() bool { return c.Cause == CauseList || c.Cause == CauseRelist }

// remembers reports whether the subscription may know an object that nobody else
// does.
func (s *Subscription[T]) remembers(c *Change[T]) bool {
	_, ok := s.past[c.Item.UID]
	return ok
}

// noter is who notes for this subscription; nil when nobody does.
type noter interface {
	note(subscription string, all []delivery)
}

// announce notes, before the handler is called, which objects it may have been
// told of for the first time.
func (s *Subscription[T]) announce() {
	notes := s.noter.Load()
	if notes == nil {
		return
	}
	s.deliveries = s.deliveries[:0]
	for i := range s.hand {
		if h := &s.hand[i]; h.shown && h.appears {
			s.deliveries = append(s.deliveries, delivery{&h.change.Item.Identity, maybe, h.change.Sequence})
		}
	}
	s.tellNoter(*notes)
}

// acknowledge notes what the handler has acknowledged by returning, or what is
// given up.
func (s *Subscription[T]) acknowledge() {
	notes := s.noter.Load()
	if notes == nil {
		return
	}
	s.deliveries = s.deliveries[:0]
	for i := range s.hand {
		if h := &s.hand[i]; h.shown {
			s.deliveries = h.acknowledged(s.deliveries)
		}
	}
	s.tellNoter(*notes)
}

func (s *Subscription[T]) tellNoter(notes noter) {
	if len(s.deliveries) > 0 {
		notes.note(s.options.Name, s.deliveries)
	}
	clear(s.deliveries)
}

// acknowledged adds what it means that the handler has taken the change in.
func (h *held[T]) acknowledged(to []delivery) []delivery {
	c := &h.change
	if c.Item == nil || c.Cause == CauseResync {
		return to
	}
	if c.Type == Modified && c.Old != nil && c.Old.UID != c.Item.UID { // see MergeRecreated
		to = append(to, delivery{&c.Old.Identity, gone, c.Sequence})
	}
	return append(to, delivery{&c.Item.Identity, h.knowledge, c.Sequence})
}
