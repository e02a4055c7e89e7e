package resume

import "time"

func (s *openingInitial) ask(m *Machine) Action {
	s.timeout = m.drawTimeout()
	return Action{
		Kind: StreamInitial, Timeout: s.timeout, Reason: s.reason,
		BeginList: true, Rewritten: s.rewritten,
	}
}

// opened: initial events will come, or so it seems.
func (s *openingInitial) opened(m *Machine, now time.Time, o Outcome) Action {
	m.good(now)
	s.streaming.opened = now
	m.state = &s.streaming
	return Action{Kind: Read, Reason: s.reason}
}

// event reads on, but not for ever: servers that ignore the request send live
// events and never the end mark. They cannot be told from a slow link.
func (s *streaming) event(m *Machine, now time.Time, o Outcome) Action {
	if now.Sub(s.opened) > m.o.InitialLimit {
		return m.overdue(s.attempt)
	}
	return Action{Kind: Read, Reason: s.reason}
}

// bookmark ends the initial events if it is the one that says so; no other
// one's version is a resume point before that.
func (s *streaming) bookmark(m *Machine, now time.Time, o Outcome) Action {
	switch {
	case !o.InitialEventsEnd:
		return s.event(m, now, o)
	case !usable(o.ResourceVersion):
		return m.restream(Failure{Class: BadResponse}, s.attempt)
	case !s.rewritten && (o.Stale || older(o.ResourceVersion, s.known)):
		return m.doubt(s.attempt)
	case o.Emptied && !s.doubted:
		return m.askAgain(s.attempt)
	}
	m.good(now)
	m.health.framed()
	m.synced = true
	m.state = &watching{at: o.ResourceVersion, opened: s.opened, timeout: s.timeout, framed: true}
	return Action{Kind: Read, Reason: s.reason, Synced: true}
}

// ended: without the mark nothing was concluded. A stream that lasted to its
// own deadline had time enough.
func (s *streaming) ended(m *Machine, now time.Time, o Outcome) Action {
	if o.AtDeadline {
		return m.overdue(s.attempt)
	}
	return m.restream(Failure{Class: Unavailable}, s.attempt)
}

// silent: neither events nor the mark come.
func (s *streaming) silent(m *Machine, now time.Time, o Outcome) Action {
	return m.refuse(s.attempt)
}

// failed: an ERROR frame before the mark is how some servers refuse; what does
// not come from the server's mouth is a stream cut short.
func (s *streaming) failed(m *Machine, now time.Time, o Outcome) Action {
	if o.Failure.ErrorFrame {
		return m.refuse(s.attempt)
	}
	return initialFailed(m, now, o)
}

// attempted is the attempt of either state of an initial stream.
func (a attempt) attempted() attempt { return a }

func (m *Machine) attempt() attempt {
	return m.state.(interface{ attempted() attempt }).attempted()
}

// The failures that opening and open initial streams have in common.

// initialExpired starts over, as after any history that was lost.
func initialExpired(m *Machine, now time.Time, o Outcome) Action {
	a := m.attempt()
	a.streams++
	a.paged = true
	return m.gap(ReasonExpired, m.stream(ReasonExpired, a))
}

// initialThrottled starts over when the server wants to be asked.
func initialThrottled(m *Machine, now time.Time, o Outcome) Action {
	return m.throttled(o.Failure, m.fetch(m.attempt().reason, m.attempt()))
}

// initialDenied starts over slowly.
func initialDenied(m *Machine, now time.Time, o Outcome) Action {
	return m.slowly(o.Failure.Class, m.fetch(m.attempt().reason, m.attempt()))
}

// initialFailed starts over with backoff; a few times only.
func initialFailed(m *Machine, now time.Time, o Outcome) Action {
	return m.restream(o.Failure, m.attempt())
}

// initialRefused lists from now on.
func initialRefused(m *Machine, now time.Time, o Outcome) Action { return m.refuse(m.attempt()) }

// refuse remembers that this server does not stream initial events.
func (m *Machine) refuse(a attempt) Action {
	m.refused = true
	return m.enter(m.fetch(ReasonStreamRefused, a))
}

// overdue remembers that initial events take too long for this watch.
func (m *Machine) overdue(a attempt) Action {
	m.slow = true
	return m.enter(m.fetch(ReasonStreamUnfinished, a))
}

// restream starts the stream over after a failure.
func (m *Machine) restream(f Failure, a attempt) Action {
	a.streams++
	return m.retry(f, m.stream(a.reason, a))
}

// stream is the next initial stream, or a list in its place when they broke too
// often: a proxy may hold back what never ends.
func (m *Machine) stream(why Reason, a attempt) asker {
	if a.streams < MaxInitialTries {
		return m.fetch(why, a)
	}
	a.reason, a.limit = ReasonStreamUnfinished, m.pageLimit()
	return &listing{attempt: a}
}

// denied in an open stream: see failed.
func (s *streaming) denied(m *Machine, now time.Time, o Outcome) Action {
	if o.Failure.ErrorFrame {
		return m.refuse(s.attempt)
	}
	return initialDenied(m, now, o)
}
