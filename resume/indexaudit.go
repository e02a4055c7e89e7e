package resume

import (
	"iter"

	"github.com/rawwatch/rawwatch/decode"
)

// Discrepancy is what an audit has found of one object.
type Discrepancy uint8

const (
	NoDiscrepancy Discrepancy = iota // known as the server has it, or changed since
	Missing                          // the server has it, and it is not known
	Different                        // known with another uid or version
)

var discrepancyNames = [...]string{"NoDiscrepancy", "Missing", "Different"}

// String is the constant's name, or "unknown".
func (d Discrepancy) String() string { return nameOf(discrepancyNames[:], int(d)) }

// BeginAudit begins to compare what is known with a list at exactly the version
// up to which everything is known now. Events may go on: what they change
// meanwhile is left out of the comparison. A relist ends the audit.
func (x *Index[V]) BeginAudit() {
	if x.listing {
		return
	}
	x.auditing = true
	x.deletions.Clear()
	for _, e := range x.entries.all() {
		e.audited = false
	}
}

// Audit compares one object of that list. It changes nothing that is known.
func (x *Index[V]) Audit(m *decode.Meta) Discrepancy {
	if !x.auditing {
		return NoDiscrepancy
	}
	e := x.entries.of(m)
	switch {
	case e == nil && x.deletions.Has(m):
		return NoDiscrepancy
	case e == nil:
		return Missing
	case e.audited || x.hasUID(e, m.UID) && x.hasVersion(e, m.ResourceVersion):
		e.audited = true
		return NoDiscrepancy
	}
	e.audited = true
	return Different
}

// EndAudit ends the audit after the list was complete, and yields what is known
// but was not in it. Nothing is removed. conclusive is false when no audit is
// under way any more, or too much was deleted meanwhile to tell; nothing is
// yielded then, and what was found means nothing.
func (x *Index[V]) EndAudit() (extra iter.Seq[decode.Identity], conclusive bool) {
	conclusive = x.auditing && !x.deletions.Overfull()
	x.AbortAudit()
	return func(yield func(decode.Identity) bool) {
		for key, e := range x.entries.all() {
			if conclusive && !e.audited && !yield(x.identity(key, e)) {
				return
			}
		}
	}, conclusive
}

// AbortAudit ends the audit without a conclusion.
func (x *Index[V]) AbortAudit() {
	if x.auditing {
		x.auditing = false
		x.deletions.Clear()
	}
}
