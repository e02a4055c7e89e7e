package resume

import "time"

func (s *probing) ask(*Machine) Action {
	return Action{Kind: Probe, Limit: 1, Reason: ReasonSilent}
}

// answer compares where the server stands with the resume point. A server that
// is behind has another history: it was restored to an older state. Versions
// that cannot be compared tell nothing.
func (s *probing) answer(m *Machine, now time.Time, o Outcome) Action {
	if !usable(o.ResourceVersion) {
		return m.retry(Failure{Class: BadResponse}, m.resumed())
	}
	m.good(now)
	if older(o.ResourceVersion, s.from) {
		return m.gap(ReasonRewritten, m.fetch(ReasonRewritten, attempt{known: s.from, rewritten: true}))
	}
	return m.enter(m.resumed())
}
