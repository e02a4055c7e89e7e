package watchtest

import (
	"slices"
	"time"
)

// commit notes that a key got a new version at a revision: once that revision
// is compacted, the older versions go.
type commit struct {
	revision uint64
	at       time.Time
	in       *collection
	entry    *entry
}

// expire compacts up to the commits that are too old or too many ago, as the
// API server has etcd do every five minutes.
func (st *store) expire(now time.Time) {
	l := st.limits
	n := max(0, len(st.commits)-l.revisions)
	for n < len(st.commits) && now.Sub(st.commits[n].at) > l.revisionsAge {
		n++
	}
	if n > 0 {
		st.compact(st.commits[n-1].revision)
	}
}

// compact drops what is only needed to read revisions before the given one.
func (st *store) compact(revision uint64) {
	revision = min(revision, st.revision)
	if revision <= st.compacted {
		return
	}
	st.compacted = revision
	n := 0
	for ; n < len(st.commits) && st.commits[n].revision <= revision; n++ {
		s := &st.commits[n]
		s.entry.compact(revision)
		if len(s.entry.versions) == 1 && s.entry.latest() == nil {
			s.in.remove(s.entry)
		}
	}
	clear(st.commits[:n])
	st.commits = st.commits[n:]
}

// compact drops the versions that no read at or after the revision can see.
func (e *entry) compact(revision uint64) {
	n := 0
	for n+1 < len(e.versions) && e.versions[n+1].revision <= revision {
		n++
	}
	if n > 0 {
		e.versions = slices.Delete(e.versions, 0, n)
	}
}

// remove drops a deleted key.
func (c *collection) remove(e *entry) {
	if i, ok := c.search(e.key); ok && c.entries[i] == e {
		c.entries = slices.Delete(c.entries, i, i+1)
	}
}

// Compact forgets everything before the revision, as etcd's compaction and a
// watch cache that has moved on do: watches, continue tokens and exact lists
// of older revisions are answered with 410 from now on. A revision beyond the
// current one means the current one. Live watches go on.
//
// A token of the very revision stays good; [Server.Advance] first makes sure
// that none is.
func (s *Server) Compact(revision uint64) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	revision = min(revision, s.store.revision)
	s.store.compact(revision)
	for _, c := range s.store.collections {
		c.window.forgetBefore(revision)
		for w := range c.watches {
			w.poke()
		}
	}
}

// Advance moves the revision on by n without a change to any object, as
// writes to resources that nobody watches do, and returns it.
func (s *Server) Advance(n uint64) uint64 {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.revision += n
	return s.store.revision
}

// Revision is the revision of the last change.
func (s *Server) Revision() uint64 {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	return s.store.revision
}
