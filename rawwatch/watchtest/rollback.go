package watchtest

import (
	"fmt"
	"time"
)

// Rollback restores the state of an earlier revision, as restoring a snapshot
// of etcd does: objects and revision are as they were then, later revisions
// will be given out a second time, and the API server restarts (see
// [Server.Restart]). The revision must not be compacted.
func (s *Server) Rollback(revision uint64) error {
	if err := s.store.rollback(revision); err != nil {
		return err
	}
	s.Restart()
	return nil
}

func (st *store) rollback(revision uint64) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if revision < st.compacted || revision > st.revision {
		return fmt.Errorf("watchtest: cannot roll back to revision %d: only %d to %d are known", revision, st.compacted, st.revision)
	}
	for _, c := range st.collections {
		c.rollback(revision)
	}
	for len(st.commits) > 0 && st.commits[len(st.commits)-1].revision > revision {
		st.commits = st.commits[:len(st.commits)-1]
	}
	st.revision = revision
	st.expire(time.Now())
	return nil
}

// rollback drops the versions after the revision, and ends the history there:
// the watches of before see nothing of it.
func (c *collection) rollback(revision uint64) {
	kept := c.entries[:0]
	c.live = 0
	for _, e := range c.entries {
		n := len(e.versions)
		for n > 0 && e.versions[n-1].revision > revision {
			n--
		}
		if n == 0 {
			continue
		}
		clear(e.versions[n:])
		e.versions = e.versions[:n]
		kept = append(kept, e)
		if e.latest() != nil {
			c.live++
		}
	}
	clear(c.entries[len(kept):])
	c.entries = kept
	c.window = window{base: c.window.end() + 1, floor: revision}
}
