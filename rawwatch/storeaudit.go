package rawwatch

import (
	"iter"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// storeAudit is an audit under way: the store as it was when it began, which
// is what a list at exactly that version has to show, and what it has shown.
type storeAudit[T any] struct {
	items tree[T]
	seen  map[*Item[T]]struct{}
}

// BeginAudit is that of a [resume.Index]. What changes meanwhile does not
// matter: the store as it is now is kept for as long as the audit takes.
func (x storeIndex[T]) BeginAudit() {
	if x.tracker.listing {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.live.items.freeze()
	x.audit = &storeAudit[T]{items: x.live.items, seen: make(map[*Item[T]]struct{}, x.live.items.size)}
}

// Audit compares one object of the list.
func (x storeIndex[T]) Audit(m *decode.Meta) resume.Discrepancy {
	if x.audit == nil {
		return resume.NoDiscrepancy
	}
	id := m.Identity()
	item := x.audit.items.get(place{Key: id.Key()})
	if item == nil {
		return resume.Missing
	}
	x.audit.seen[item] = struct{}{}
	if item.Identity != id {
		return resume.Different
	}
	return resume.NoDiscrepancy
}

// EndAudit yields what the store held and the list has not shown.
func (x storeIndex[T]) EndAudit() (extra iter.Seq[decode.Identity], conclusive bool) {
	audit := x.audit
	x.audit = nil
	return func(yield func(decode.Identity) bool) {
		if audit == nil || len(audit.seen) == audit.items.size {
			return
		}
		audit.items.root.ascend(nil, func(_ string, item *Item[T]) bool {
			_, seen := audit.seen[item]
			return seen || yield(item.Identity)
		})
	}, audit != nil
}

// AbortAudit ends the audit without a conclusion.
func (x storeIndex[T]) AbortAudit() { x.audit = nil }
