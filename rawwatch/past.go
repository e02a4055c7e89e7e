package rawwatch

import (
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// past is what a subscription with ChangesOnly was told by an earlier process and
// is not saved. Whoever publishes asks it about each change until all is told that
// happened meanwhile; then it is empty, as it is as a rule.
type past struct {
	notes map[string]note // by uid
	// acked is up to which version all of a name is acknowledged, whatever uid it
	// had: a state that was superseded is, with what took its place.
	acked map[decode.Key]string
	// leaves says that an object may leave what is selected, and come back: then
	// Deleted is not the last that happens to a uid.
	leaves bool
}

func (p *past) empty() bool { return p == nil || len(p.notes) == 0 && len(p.acked) == 0 }

func (p *past) clear() {
	clear(p.notes)
	clear(p.acked)
}

// add keeps a note in mind.
func (p *past) add(uid string, n note) {
	p.notes[uid] = n
	if key := n.of.Key(); n.version != "" && n.version != doubtful && (p.acked[key] == "" || behind(p.acked[key], n.version)) {
		p.acked[key] = n.version
	}
}

// judge says whether a change has been acknowledged already, and otherwise how the
// subscription stood to the object. What passes is newer than the note, which is
// then of no more use.
func (p *past) judge(of *decode.Identity, typ EventType, listed bool) (stood knowledge, acknowledged bool) {
	n, noted := p.notes[of.UID]
	switch {
	case !listed:
		acknowledged = p.told(of, typ, n)
	case !noted:
	case typ == Deleted:
		acknowledged = n.knowledge == gone
	default:
		// A list may show what was gone: from a restored history, or because it
		// is selected again.
		acknowledged = n.knowledge != gone && n.version != "" && of.ResourceVersion == n.version
	}
	if noted && !acknowledged {
		delete(p.notes, of.UID)
	}
	if n.knowledge == gone {
		return hidden, acknowledged
	}
	return n.knowledge, acknowledged
}

// told is judge for what a stream tells, which is in order. Some servers' Deleted
// has the version of the last state.
func (p *past) told(of *decode.Identity, typ EventType, n note) (acknowledged bool) {
	acked := p.acked[of.Key()]
	switch {
	case behind(of.ResourceVersion, acked):
		return true
	case n.knowledge == gone:
		return !p.leaves || n.version != "" && !newer(of.ResourceVersion, n.version)
	case typ == Deleted:
		return false
	}
	return acked != "" && of.ResourceVersion == acked ||
		n.version != "" && !newer(of.ResourceVersion, n.version)
}

// ahead reports whether anything noted is newer than a version; "" is unknown.
func (p *past) ahead(head string) bool {
	for _, n := range p.notes {
		if behind(head, n.version) {
			return true
		}
	}
	return false
}

// doubt leaves only which objects are known.
func (p *past) doubt() {
	clear(p.acked)
	for uid, n := range p.notes {
		p.notes[uid] = n.doubted()
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
	if s.past.empty() || c.Item == nil {
		return 0, false
	}
	return s.past.judge(&c.Item.Identity, c.Type, c.listed())
}

// listed reports whether the change was learned from a list.
func (c *Change[T]) listed() bool { return c.Cause == CauseList || c.Cause == CauseRelist }

// recreated reports whether the change stands for two objects of one name; see
// [SubscriptionOptions].MergeRecreated.
func (c *Change[T]) recreated() bool {
	return c.Item != nil && c.Old != nil && c.Old.UID != c.Item.UID
}

// remembers reports whether the change, of an object that nobody else may know, says
// anything to the subscription.
func (s *Subscription[T]) remembers(c *Change[T]) bool {
	if s.past == nil {
		return false
	}
	n, ok := s.past.notes[c.Item.UID]
	return ok && (c.Type != Deleted || n.knowledge.there())
}

// noter is who notes for this subscription; nil when nobody does.
type noter interface {
	// note fails when nothing can be noted any more.
	note(subscription string, all []delivery) error
}

// noteWith lets all that is acknowledged from now on be noted.
func (s *Subscription[T]) noteWith(n noter) {
	s.noter.Store(&n)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest != nil {
		s.newest.notes = true
	}
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
		_ = notes.note(s.options.Name, s.deliveries) // nothing is noted any more: after Run
	}
	clear(s.deliveries)
}

// acknowledged adds what it means that the handler has taken the change in.
func (h *held[T]) acknowledged(to []delivery) []delivery {
	c := &h.change
	if c.Item == nil || c.Cause == CauseResync {
		return to
	}
	if c.recreated() {
		to = append(to, delivery{&c.Old.Identity, gone, c.Sequence})
	}
	return append(to, delivery{&c.Item.Identity, h.knowledge, c.Sequence})
}
