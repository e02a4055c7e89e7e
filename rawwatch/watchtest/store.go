package watchtest

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// firstRevision is where a new server's revisions begin: high enough that no
// test comes to rely on small numbers, as on a cluster that has lived.
const firstRevision = 80400

// store is what etcd and the watch caches in front of it know: all objects,
// their superseded versions until compaction, and a window of changes for
// each resource. One revision counts the changes of all resources.
type store struct {
	limits limits

	mu          sync.RWMutex
	revision    uint64 // of the last change
	compacted   uint64 // reads of older revisions are refused
	collections map[address]*collection
	commits     []commit // that are not compacted yet, oldest first

	watchesChanged chan struct{} // closed and replaced when a watch comes or goes
}

// limits bound what a store remembers.
type limits struct {
	history      int
	historyAge   time.Duration
	revisions    int
	revisionsAge time.Duration
}

// collection holds the objects of one resource.
type collection struct {
	resource *Resource
	entries  []*entry // sorted by key
	live     int      // entries that are not deleted
	window   window
	watches  map[*watch]struct{}
}

// entry is the versions of one key, oldest first.
type entry struct {
	key      string
	versions []version
}

// version is what a key was from a revision on; a nil object means deleted.
type version struct {
	revision uint64
	object   *object
}

func (e *entry) latest() *object { return e.versions[len(e.versions)-1].object }

// at is what the key was at a revision.
func (e *entry) at(revision uint64) *object {
	for i := len(e.versions) - 1; i >= 0; i-- {
		if e.versions[i].revision <= revision {
			return e.versions[i].object
		}
	}
	return nil
}

func newStore(l limits, first uint64) *store {
	return &store{limits: l, revision: first, compacted: first, collections: make(map[address]*collection), watchesChanged: make(chan struct{})}
}

func newCollection(r Resource, revision uint64) *collection {
	return &collection{resource: &r, window: window{floor: revision}, watches: make(map[*watch]struct{})}
}

func (c *collection) search(key string) (int, bool) {
	return slices.BinarySearchFunc(c.entries, key, func(e *entry, key string) int { return cmp.Compare(e.key, key) })
}

// get returns the current object, nil when there is none.
func (c *collection) get(key string) *object {
	if i, ok := c.search(key); ok {
		return c.entries[i].latest()
	}
	return nil
}

// scan calls visit for the objects as of a revision in the order of their
// keys, from the key start on, until it returns false. Namespace "" means
// all.
func (c *collection) scan(namespace, start string, revision uint64, visit func(*object) bool) {
	prefix := ""
	if namespace != "" {
		prefix = namespace + "/"
	}
	i, _ := c.search(max(prefix, start))
	for ; i < len(c.entries) && strings.HasPrefix(c.entries[i].key, prefix); i++ {
		if o := c.entries[i].at(revision); o != nil && !visit(o) {
			return
		}
	}
}

// commit makes next (nil: deleted) the state of a key at a new revision,
// which the caller has already given to next. It tells all watches.
func (st *store) commit(c *collection, key string, prev, next *object, now time.Time) {
	st.revision++
	i, ok := c.search(key)
	if !ok {
		c.entries = slices.Insert(c.entries, i, &entry{key: key})
	}
	e := c.entries[i]
	e.versions = append(e.versions, version{st.revision, next})
	if prev == nil {
		c.live++
	} else if next == nil {
		c.live--
	}
	st.commits = append(st.commits, commit{st.revision, now, c, e})
	c.window.add(&change{revision: st.revision, at: now, prev: prev, next: next}, st.limits)
	st.expire(now)
	for w := range c.watches {
		w.poke()
	}
}

// register makes a resource known; again is no change.
func (st *store) register(r Resource) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, ok := st.collections[r.address()]; !ok {
		st.collections[r.address()] = newCollection(r, st.revision)
	}
}

// forgetHistory is what a restart of the API server does.
func (st *store) forgetHistory() {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, c := range st.collections {
		c.window.forgetBefore(st.revision)
	}
}

// knows tells whether the group and version are built in.
func (st *store) knows(group, version string) bool {
	st.mu.RLock()
	defer st.mu.RUnlock()
	for a, c := range st.collections {
		if a.group == group && a.version == version && c.resource.builtin {
			return true
		}
	}
	return false
}
