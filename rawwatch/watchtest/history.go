package watchtest

import (
	"sync"
	"time"
)

// change is one entry of a resource's history: one commit, encoded once and
// shared by all watches.
type change struct {
	revision   uint64
	at         time.Time
	prev, next *object // nil before creation, after deletion

	once sync.Once
	last *object
}

// gone is the previous content at the revision of the change: the object of
// a DELETED frame, which carries a newer version than the object ever had.
func (c *change) gone() *object {
	c.once.Do(func() { c.last = c.prev.at(c.revision) })
	return c.last
}

// window is the history of one resource over all namespaces, as a watch cache
// keeps it: a watch can only resume within it.
type window struct {
	changes []*change
	base    uint64 // sequence number of changes[0]
	floor   uint64 // the oldest revision that a watch may start from
}

// end is the sequence number of the change that comes next.
func (w *window) end() uint64 { return w.base + uint64(len(w.changes)) }

func (w *window) add(c *change, l limits) {
	w.changes = append(w.changes, c)
	w.trim(c.at, l)
}

// trim forgets changes beyond the count, and those that are too old.
func (w *window) trim(now time.Time, l limits) {
	n := 0
	for len(w.changes)-n > l.history {
		n++
	}
	if l.historyAge > 0 {
		for n < len(w.changes) && now.Sub(w.changes[n].at) > l.historyAge {
			n++
		}
	}
	w.forget(n)
}

// forget drops the n oldest changes. As in the watch cache, the revision just
// before the oldest change that is left is where a watch may start.
func (w *window) forget(n int) {
	if n == 0 {
		return
	}
	w.floor = w.changes[n-1].revision
	if n < len(w.changes) {
		w.floor = w.changes[n].revision - 1
	}
	clear(w.changes[:n])
	w.changes = w.changes[n:]
	w.base += uint64(n)
}

// forgetBefore makes every start before the revision too old.
func (w *window) forgetBefore(revision uint64) {
	n := 0
	for n < len(w.changes) && w.changes[n].revision <= revision {
		n++
	}
	w.forget(n)
	w.floor = max(w.floor, revision)
}

// after returns the sequence number of the first change later than the
// revision.
func (w *window) after(revision uint64) uint64 {
	n := len(w.changes)
	for n > 0 && w.changes[n-1].revision > revision {
		n--
	}
	return w.base + uint64(n)
}

// read returns up to limit changes from a sequence number on; false when they
// have been forgotten already.
func (w *window) read(next uint64, limit int) ([]*change, bool) {
	if next < w.base {
		return nil, false
	}
	rest := w.changes[min(next-w.base, uint64(len(w.changes))):]
	return rest[:min(len(rest), limit)], true
}
