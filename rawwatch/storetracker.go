package rawwatch

import (
	"bytes"
	"hash/maphash"
	"iter"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// tracker is what the writer of a [Store] notes about a relist.
type tracker struct {
	relist    uint32 // number of the relist under way, or done last
	listing   bool   // it is under way
	unordered bool   // versions known from before it have no order

	deletions resume.Deletions // told during it
}

// storeIndex lets a store be the index of the reflector that fills it, so that
// no key is held twice: it has the methods of a [resume.Index], and their
// meaning, with one difference. It takes nothing in: that is done by
// [Store.Apply], to which every event has to be given that follows from what is
// said here, before the next call. What is not applied is told again.
//
// It belongs to the writer. What it notes about a relist is one bit per object,
// in the leaves.
type storeIndex[T any] struct{ *Store[T] }

// Observe says what an object of a list, or of an ADDED or MODIFIED event, is
// to what the store holds. It allocates nothing, but for the old identity's
// place in the result of Replaced.
func (x storeIndex[T]) Observe(m *decode.Meta) (resume.Change, decode.Identity) {
	n, i := x.live.items.locate(m)
	if n == nil && x.tracker.listing && x.tracker.deletions.Covers(m) {
		return resume.Stale, decode.Identity{}
	}
	if n == nil {
		return resume.Added, decode.Identity{}
	}
	item := n.items[i]
	stale := x.stale(n.saw(i, x.tracker.relist), item, m)
	n.mark(i, x.tracker.relist)
	switch {
	case stale:
		return resume.Stale, decode.Identity{}
	case item.UID != string(m.UID):
		return resume.Replaced, item.Identity
	case len(m.ResourceVersion) > 0 && item.ResourceVersion == string(m.ResourceVersion):
		return resume.Unchanged, decode.Identity{}
	}
	return resume.Modified, decode.Identity{}
}

// Remove says what a DELETED event removes: the identity of the item that the
// store holds, or false when there is none or it is newer than the event.
func (x storeIndex[T]) Remove(m *decode.Meta) (decode.Identity, bool) {
	n, i := x.live.items.locate(m)
	if n != nil && x.stale(n.saw(i, x.tracker.relist), n.items[i], m) {
		return decode.Identity{}, false
	}
	if x.tracker.listing {
		x.tracker.deletions.Note(m)
	}
	if n == nil {
		return decode.Identity{}, false
	}
	return n.items[i].Identity, true
}

// BeginRelist begins to note which objects are seen, and forgets which a relist
// under way has seen.
func (x storeIndex[T]) BeginRelist() {
	x.tracker.relist++
	x.tracker.listing = true
	x.audit = nil
	x.tracker.deletions.Clear()
}

// Overfull says that a relist cannot be concluded; see [resume.Index.Overfull].
func (x storeIndex[T]) Overfull() bool { return x.tracker.deletions.Overfull() }

// AbortRelist ends the relist without a conclusion.
func (x storeIndex[T]) AbortRelist() {
	x.tracker.listing = false
	x.tracker.deletions.Clear()
}

// ForgetOrder says that known versions and those to come have no order; see
// [resume.Index.ForgetOrder].
func (x storeIndex[T]) ForgetOrder() { x.tracker.unordered = true }

// EndRelist concludes a complete relist: it yields what was not seen in it, for
// the loop's body to apply as Deleted. Breaking out leaves the relist under way.
func (x storeIndex[T]) EndRelist() iter.Seq[decode.Identity] {
	return func(yield func(decode.Identity) bool) {
		if !x.tracker.listing {
			return
		}
		relist := x.tracker.relist
		x.mu.Lock()
		x.live.items.freeze() // the body changes copies of what is looked at here
		x.mu.Unlock()
		for _, n := range x.live.items.root.leaves(nil) {
			for i, item := range n.items {
				if !n.saw(i, relist) && !yield(item.Identity) {
					return
				}
			}
		}
		x.tracker.listing, x.tracker.unordered = false, false
		x.tracker.deletions.Clear()
	}
}

// Len is the number of items, those included that are not shown yet.
func (x storeIndex[T]) Len() int { return x.live.items.size }

// stale reports that m is certainly older than what is known. In a relist that
// was begun without order this can be said of what the relist itself saw only.
func (x storeIndex[T]) stale(seen bool, item *Item[T], m *decode.Meta) bool {
	if x.tracker.unordered && !(x.tracker.listing && seen) {
		return false
	}
	order, comparable := resume.CompareVersions(item.ResourceVersion, string(m.ResourceVersion))
	return comparable && order > 0
}

// saw reports that item i was seen in a relist.
func (n *node[T]) saw(i int, relist uint32) bool {
	return n.relist == relist && n.seen>>i&1 == 1
}

// mark notes that item i was seen in a relist.
func (n *node[T]) mark(i int, relist uint32) {
	if n.relist != relist {
		n.relist, n.seen = relist, 0
	}
	n.seen |= 1 << i
}

// locate is get with borrowed bytes; it returns the leaf and the place in it,
// or nil.
func (t *tree[T]) locate(m *decode.Meta) (*node[T], int) {
	n := t.root
	if n == nil {
		return nil, 0
	}
	for n.branch != nil {
		b := n.branch
		lo, hi := 0, len(b.kids)-1
		for lo < hi { // the last child whose low is not above
			mid := (lo + hi + 1) / 2
			if compareMeta(m, b.lows[mid].Key) < 0 {
				hi = mid - 1
			} else {
				lo = mid
			}
		}
		n = b.kids[lo]
	}
	tag := byte(maphash.Bytes(tagSeed, m.Name))
	for from := 0; ; from++ {
		i := bytes.IndexByte(n.tags[from:], tag)
		if i < 0 {
			return nil, 0
		}
		from += i
		if item := n.items[from]; string(m.Name) == item.Name && string(m.Namespace) == item.Namespace {
			return n, from
		}
	}
}

func compareMeta(m *decode.Meta, k decode.Key) int {
	if c := compareText(m.Namespace, k.Namespace); c != 0 {
		return c
	}
	return compareText(m.Name, k.Name)
}

// compareText compares without a copy of b.
func compareText(b []byte, s string) int {
	n := min(len(b), len(s))
	if string(b[:n]) == s[:n] {
		return len(b) - len(s)
	}
	if string(b) < s {
		return -1
	}
	return 1
}

// renewed is an identity for a later state of a known object. It shares what
// has not changed, and does not hold on to the rest of what new was cut from.
func renewed(old, new decode.Identity) decode.Identity {
	old.ResourceVersion = strings.Clone(new.ResourceVersion)
	return old
}
