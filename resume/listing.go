package resume

import "time"

func (s *listing) ask(*Machine) Action {
	a := Action{Kind: List, Continue: s.token, Limit: s.limit, Reason: s.reason}
	if s.token == "" {
		a.BeginList, a.Rewritten = true, s.rewritten
	} else {
		a.Reason = ReasonNextPage
	}
	return a
}

// page takes in a complete page.
func (s *listing) page(m *Machine, now time.Time, o Outcome) Action {
	if !s.belongs(o.ResourceVersion) || !s.leadsOn(o.Continue) || s.pages+1 >= m.o.MaxPages && o.Continue != "" {
		return s.broken(m, now, Outcome{Failure: Failure{Class: BadResponse}})
	}
	if !s.rewritten && (o.Stale || s.pages == 0 && older(o.ResourceVersion, s.known)) {
		return m.doubt(s.attempt)
	}
	m.good(now)
	if s.pages == 0 {
		s.version = o.ResourceVersion
	}
	s.pages++
	switch {
	case o.Continue == "" && o.Emptied && !s.doubted:
		return m.askAgain(s.attempt)
	case o.Continue == "":
		m.synced = true
		a := m.enter(&opening{from: s.version, reason: ReasonListed})
		a.Synced = true
		return a
	}
	s.turn(o.Continue)
	if s.pages == 1 && m.listsBeside(s.version) {
		return s.split(m)
	}
	return s.ask(m)
}

// turn goes to the page of this token.
func (s *listing) turn(token string) {
	if s.pages&(s.pages-1) == 0 { // at powers of two: a circle of any length is noticed
		s.mark = token
	}
	s.token, s.tries = token, 0
}

// belongs reports whether a page of this version can be part of the list. The
// first page's version is where the watch will start, so that a later page may
// be newer, and what it says too early is said again by the watch. It must not
// be older, and may leave its version out.
func (s *listing) belongs(version string) bool {
	if s.pages == 0 {
		return usable(version)
	}
	order, comparable := CompareVersions(version, s.version)
	return version == "" || comparable && order >= 0
}

// leadsOn reports whether the token can lead to another page: it fits in a
// request, and is none that has been used.
func (s *listing) leadsOn(token string) bool {
	return token == "" || len(token) <= MaxContinueLength && token != s.token && token != s.mark
}

// anew is the same attempt from page 1, in pages.
func (s *listing) anew(m *Machine, why Reason) *listing {
	next := &listing{attempt: s.attempt}
	next.reason, next.limit = why, m.pageLimit()
	return next
}

// unpaged reports that the list was asked for without a limit because its
// tokens were not accepted; that is tried once.
func (s *listing) unpaged(m *Machine) bool { return s.limit != m.pageLimit() }

// expired: the continue token is too old. The token that such an answer may
// carry leads to an inconsistent list, so the list starts over: in pages a few
// times, then once in one piece (API concepts, "Retrieving large results sets
// in chunks").
func (s *listing) expired(m *Machine, now time.Time, o Outcome) Action {
	if s.token == "" {
		return m.gap(ReasonExpired, s.anew(m, ReasonExpired))
	}
	m.expiredList()
	return m.gap(ReasonTokenExpired, s.another(m, ReasonTokenExpired))
}

// another is the list from page 1 after its token was not accepted.
func (s *listing) another(m *Machine, why Reason) *listing {
	next := s.anew(m, why)
	next.restarts++
	if next.restarts > MaxListRestarts {
		next.limit, next.restarts = 0, 0
	}
	return next
}

// again asks for the same page with its token a few times, then for the list
// from page 1; page 1 for ever.
func (s *listing) again(m *Machine, now time.Time, o Outcome) Action {
	return m.retry(o.Failure, s.samePage(m))
}

func (s *listing) samePage(m *Machine) *listing {
	if s.unpaged(m) {
		return s.anew(m, s.reason)
	}
	if s.token == "" {
		return s
	}
	if s.tries++; s.tries > MaxPageRetries {
		return s.anew(m, s.reason)
	}
	return s
}

// throttled asks for the same page, when the server wants to be asked.
func (s *listing) throttled(m *Machine, now time.Time, o Outcome) Action {
	return m.throttled(o.Failure, s)
}

// broken starts over: the answer cannot be part of a list.
func (s *listing) broken(m *Machine, now time.Time, o Outcome) Action {
	return m.retry(o.Failure, s.anew(m, s.reason))
}

// denied asks from page 1, slowly.
func (s *listing) denied(m *Machine, now time.Time, o Outcome) Action {
	return m.slowly(o.Failure.Class, s.anew(m, s.reason))
}

// wrong: the request is not accepted. Before anything was ever fetched that is
// for good. Later pages differ in nothing but their token.
func (s *listing) wrong(m *Machine, now time.Time, o Outcome) Action {
	switch {
	case s.token != "":
		return m.retry(o.Failure, s.another(m, s.reason))
	case m.synced || s.unpaged(m):
		return m.slowly(Refused, s.anew(m, s.reason))
	}
	m.failed(Refused)
	m.state = &gaveUp{}
	return Action{Kind: GiveUp, Reason: ReasonRefused}
}

// doubt fetches once more what seemed older than what is known: an old answer
// of some cache, or a history rewritten. The next answer is believed.
func (m *Machine) doubt(a attempt) Action {
	a.rewritten, a.restarts = true, 0
	return m.after(m.backoff(m.health.gap()), ReasonRewritten, m.fetch(ReasonRewritten, a))
}

// askAgain fetches once more what seemed to say that everything is gone. The
// next answer is believed.
func (m *Machine) askAgain(a attempt) Action {
	a.doubted = true
	return m.after(m.backoff(m.health.gap()), ReasonEmptied, m.fetch(ReasonEmptied, a))
}

// pageLimit is the limit of each page. A list that goes on beside a watch has
// pages in any case.
func (m *Machine) pageLimit() int64 {
	if m.o.PageLimit == 0 && (m.o.ListWhileWatching || m.slowLists >= SlowListsBeforeBeside) {
		return DefaultPageLimit
	}
	return m.o.PageLimit
}

// good notes a success.
func (m *Machine) good(now time.Time) {
	m.health.good(now, m.o.Backoff.ResetAfter)
}
