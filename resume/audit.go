package resume

import "time"

// auditDue reports whether it is time to compare what is known with the
// server's list, and sets the next time. Audits of clients that began together
// are spread over the interval.
func (m *Machine) auditDue(now time.Time) bool {
	if m.o.AuditEvery == 0 || m.side != nil {
		return false
	}
	if m.nextAudit.IsZero() {
		m.nextAudit = now.Add(m.o.AuditEvery/2 + m.chance(m.o.AuditEvery/2))
		return false
	}
	if now.Before(m.nextAudit) {
		return false
	}
	m.nextAudit = now.Add(m.o.AuditEvery)
	return true
}

// audit begins to compare, at the version up to which everything is known.
func (m *Machine) audit(version string) Action {
	m.side = &auditing{}
	return Action{Kind: Read, Beside: AuditBeside, ResourceVersion: version, Limit: m.pageLimit(), Reason: ReasonAudit}
}

// page asks for the next page, or concludes. A list that runs in circles ends
// the audit, as any failure does.
func (s *auditing) page(m *Machine, now time.Time, o Outcome) Action {
	s.pages++
	switch {
	case o.Continue == "" && o.Differs:
		return m.gap(ReasonAuditDiffers, m.fetch(ReasonAuditDiffers, attempt{rewritten: true}))
	case o.Continue == "" || o.Continue == s.token || o.Continue == s.mark ||
		len(o.Continue) > MaxContinueLength || s.pages >= m.o.MaxPages:
		return s.ended(m, now, o)
	}
	if s.pages&(s.pages-1) == 0 {
		s.mark = o.Continue
	}
	s.token = o.Continue
	return Action{Kind: GoOn, Beside: AuditBeside, Continue: s.token, Limit: m.pageLimit(), Reason: ReasonAudit}
}

// ended: the audit is over. One that failed says nothing, for one thing because
// the server no longer had that version; the next one comes in its time.
func (s *auditing) ended(m *Machine, now time.Time, o Outcome) Action {
	m.side = nil
	return Action{Kind: GoOn, Reason: ReasonAudit}
}
