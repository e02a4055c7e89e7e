package resume

import "time"

func (s *opening) ask(m *Machine) Action {
	s.timeout = m.drawTimeout()
	return Action{Kind: Watch, ResourceVersion: s.from, Timeout: s.timeout, Reason: s.reason}
}

// opened: the watch is there. That alone proves nothing; a too old version is
// told in the first frame.
func (s *opening) opened(m *Machine, now time.Time, o Outcome) Action {
	m.good(now)
	m.state = &watching{at: s.from, opened: now, timeout: s.timeout, listed: s.reason == ReasonListed}
	return Action{Kind: Read, Reason: ReasonResumed}
}

// event moves the resume point and reads on. A bookmark does no more.
func (s *watching) event(m *Machine, now time.Time, o Outcome) Action {
	s.framed = true
	m.quickList()
	if m.incomplete() {
		if usable(o.ResourceVersion) && !isNumber(o.ResourceVersion) {
			m.opaque = true
			return m.gap(ReasonOpaque, &listing{attempt: attempt{reason: ReasonOpaque, limit: m.pageLimit(), known: s.at}})
		}
	} else {
		m.synced = true // a watch from a checkpoint was accepted
	}
	s.at = advance(s.at, o.ResourceVersion)
	m.good(now)
	m.health.framed()
	if m.auditDue(now) {
		return m.audit(s.at)
	}
	return Action{Kind: Read, Reason: ReasonResumed}
}

// ended: at its own deadline a watch is reopened at once; otherwise after a
// moment, since a server that goes ends thousands of them; and with backoff
// when it did not live.
func (s *watching) ended(m *Machine, now time.Time, o Outcome) Action {
	if s.lived(m, now, o.AtDeadline) {
		m.health.clear()
		if o.AtDeadline {
			return m.enter(s.reopen())
		}
		return m.after(m.chance(EndJitter), ReasonEnded, s.reopen())
	}
	return s.lost(m, Failure{Class: Unavailable}, ReasonEnded, !s.framed && m.health.barren(), ReasonEmptyStreams)
}

// lived reports whether the stream lasted long enough to count as healthy: to
// its deadline, if that was set to come sooner.
func (s *watching) lived(m *Machine, now time.Time, atDeadline bool) bool {
	enough := m.o.Backoff.ResetAfter
	if atDeadline {
		enough = min(enough, s.timeout/2)
	}
	return now.Sub(s.opened) >= enough
}

// torn: the stream broke; the partial frame is void, the resume point holds. A
// server that says so itself, again and again and without a frame in between,
// cannot go on from there: without a watch cache, and with etcd compacted at
// just that revision, it answers 500 for ever. A list gets past it.
func (s *watching) torn(m *Machine, now time.Time, o Outcome) Action {
	list := o.Failure.ErrorFrame && o.Failure.Class == Unavailable && m.health.barren()
	return s.lost(m, o.Failure, classReasons[o.Failure.Class], list, ReasonBadStreams)
}

// garbled: the stream made no sense. If the same happens again and again
// without a frame in between, it is that frame, and a list gets past it.
func (s *watching) garbled(m *Machine, now time.Time, o Outcome) Action {
	return s.lost(m, o.Failure, ReasonBadResponse, m.health.barren(), ReasonBadStreams)
}

// settle forgets old failures if the stream lived before it failed.
func (s *watching) settle(m *Machine, now time.Time) {
	if s.lived(m, now, false) {
		m.health.clear()
	}
}

// lost reopens the watch, or lists, after a wait: with backoff, and never less
// than the jitter that spreads those who lost the same server.
func (s *watching) lost(m *Machine, f Failure, why Reason, list bool, listWhy Reason) Action {
	var next asker = s.reopen()
	if list {
		next = m.fetch(listWhy, attempt{known: s.at})
	}
	d := max(m.chance(EndJitter), m.backoff(m.failed(f.Class)), m.told(f))
	return m.after(d, why, next)
}

func (s *watching) reopen() *opening { return &opening{from: s.at, reason: ReasonResumed} }

// silent: no frame for long where some must come. The stream is given up, and
// the server asked where it stands.
func (s *watching) silent(m *Machine, now time.Time, o Outcome) Action {
	next := &probing{from: s.at}
	if s.lived(m, now, false) {
		m.health.clear()
		return m.enter(next)
	}
	return m.after(m.backoff(m.failed(Unavailable)), ReasonSilent, next)
}

// The failures that opening and open watches have in common.

// expired: the server no longer has the history. Only the most recent state
// helps.
func expired(m *Machine, now time.Time, o Outcome) Action {
	if m.state.(interface{ fresh() bool }).fresh() {
		m.expiredList()
	}
	return m.gap(ReasonExpired, m.fetch(ReasonExpired, attempt{known: m.state.point(), paged: true}))
}

// fresh reports that the watch follows a list and has brought nothing yet.
func (s *opening) fresh() bool  { return s.reason == ReasonListed }
func (s *watching) fresh() bool { return s.listed && !s.framed }
func (s *probing) fresh() bool  { return false }

// tooLarge: the server does not have that version yet, so its history is
// another one, or it lags. A list waits for the latter.
func tooLarge(m *Machine, now time.Time, o Outcome) Action {
	return m.gap(ReasonTooLarge, &listing{attempt: attempt{reason: ReasonTooLarge, limit: m.pageLimit(), rewritten: true}})
}

// throttled waits as told and goes on from the same version.
func throttled(m *Machine, now time.Time, o Outcome) Action {
	return m.throttled(o.Failure, m.resumed())
}

// denied tries the same watch slowly: others of the client are not affected.
func denied(m *Machine, now time.Time, o Outcome) Action {
	return m.slowly(o.Failure.Class, m.resumed())
}

// again tries the same watch with backoff.
func again(m *Machine, now time.Time, o Outcome) Action {
	return m.retry(o.Failure, m.resumed())
}

// wrong: the server does not take the request, for one thing because the
// version is none of its own. A list gets a new one.
func wrong(m *Machine, now time.Time, o Outcome) Action {
	next := m.fetch(ReasonRefused, attempt{known: m.state.point()})
	if m.health.failures == 0 {
		return m.retry(o.Failure, next)
	}
	return m.slowly(Refused, next)
}

// resumed is the watch from the resume point that is held.
func (m *Machine) resumed() *opening {
	return &opening{from: m.state.point(), reason: ReasonResumed}
}
