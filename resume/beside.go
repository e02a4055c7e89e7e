package resume

import "time"

// listsBeside reports whether a list whose page 1 has this version goes on
// beside a watch from there. Versions without an order cannot tell which of
// two states of an object is newer, the page's or the watch's: such lists are
// finished first.
func (m *Machine) listsBeside(version string) bool {
	return (m.o.ListWhileWatching || m.slowLists >= SlowListsBeforeBeside) && !m.opaque && isNumber(version)
}

// incomplete reports that a list is under way beside the watch.
func (m *Machine) incomplete() bool {
	switch m.side.(type) {
	case *listingBeside, *waitingBeside:
		return true
	}
	return false
}

// expiredList counts lists that took longer than the server's history lasts,
// until a watch has brought a frame.
func (m *Machine) expiredList() { m.slowLists = min(m.slowLists+1, SlowListsBeforeBeside) }

// quickList: a watch has brought a frame. A machine that has once learned to
// list beside its watches goes on so.
func (m *Machine) quickList() {
	if m.slowLists < SlowListsBeforeBeside {
		m.slowLists = 0
	}
}

// split goes on with the list beside a watch from its first page's version.
func (s *listing) split(m *Machine) Action {
	m.side = &listingBeside{*s}
	a := m.enter(&opening{from: s.version, reason: ReasonListBeside})
	a.Beside, a.Continue, a.Limit = ListBeside, s.token, s.limit
	return a
}

func (s *listingBeside) ask(m *Machine) Action {
	m.side = s
	return Action{Kind: GoOn, Beside: ListBeside, Continue: s.token, Limit: s.limit, Reason: ReasonNextPage}
}

// page takes in a complete page. The watch tells what has changed since page 1.
func (s *listingBeside) page(m *Machine, now time.Time, o Outcome) Action {
	if !s.belongs(o.ResourceVersion) || !s.leadsOn(o.Continue) || s.pages+1 >= m.o.MaxPages && o.Continue != "" {
		return s.broken(m, now, Outcome{Failure: Failure{Class: BadResponse}})
	}
	m.good(now)
	s.pages++
	switch {
	case o.Continue != "":
		s.turn(o.Continue)
		return s.ask(m)
	case o.Emptied && !s.doubted:
		return m.askAgain(s.attempt)
	}
	m.side, m.synced = nil, true
	return Action{Kind: GoOn, Reason: ReasonListed, Synced: true}
}

// expired: the continue token is too old. The one that the answer carries leads
// on in a newer state; what lies between is told by the watch (API concepts,
// "Retrieving large results sets in chunks"). Without it the list starts over.
func (s *listingBeside) expired(m *Machine, now time.Time, o Outcome) Action {
	token := o.Failure.Continue
	if s.tries++; token == "" || !s.leadsOn(token) || s.tries > MaxBesideRetries {
		return m.gap(ReasonTokenExpired, s.another(m, ReasonTokenExpired))
	}
	s.token = token
	if n := m.health.gap(); n > 1 {
		return m.afterBeside(m.backoff(n-1), ReasonTokenExpired, s)
	}
	return s.ask(m)
}

// again asks for the same page: while the watch lives, no time is too long for
// a list. Only a page that never comes lets it start over.
func (s *listingBeside) again(m *Machine, now time.Time, o Outcome) Action {
	if s.tries++; s.tries > MaxBesideRetries {
		return m.retry(o.Failure, s.anew(m, s.reason))
	}
	d := max(m.backoff(m.failed(o.Failure.Class)), m.told(o.Failure))
	return m.afterBeside(d, classReasons[o.Failure.Class], s)
}

// throttled asks for the same page, when the server wants to be asked.
func (s *listingBeside) throttled(m *Machine, now time.Time, o Outcome) Action {
	return m.afterBeside(m.throttle(o.Failure), ReasonThrottled, s)
}

// denied asks for the same page, slowly.
func (s *listingBeside) denied(m *Machine, now time.Time, o Outcome) Action {
	if s.tries++; s.tries > MaxBesideRetries {
		return m.slowly(o.Failure.Class, s.anew(m, s.reason))
	}
	return m.afterBeside(m.longWait(o.Failure.Class), classReasons[o.Failure.Class], s)
}

// wrong: the token is not accepted.
func (s *listingBeside) wrong(m *Machine, now time.Time, o Outcome) Action {
	return m.retry(o.Failure, s.another(m, s.reason))
}

// afterBeside waits beside the watch before the list goes on.
func (m *Machine) afterBeside(d time.Duration, why Reason, next *listingBeside) Action {
	m.side = &waitingBeside{next}
	return Action{Kind: GoOn, Beside: WaitBeside, Wait: d, Reason: why}
}

// over goes on with the list.
func (s *waitingBeside) over(m *Machine, now time.Time, o Outcome) Action { return s.next.ask(m) }
