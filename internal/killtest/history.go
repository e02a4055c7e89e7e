package killtest

import (
	"fmt"
	"sort"
	"sync"
)

// State is an object at one moment: its uid, its version, and what it holds.
type State struct {
	UID     string
	Version int64
	Content string
}

// Event is one change of one object, as a watch tells it.
type Event struct {
	Type string // ADDED, MODIFIED, DELETED
	Key  string // namespace/name
	State
}

// History is all that happened to a resource, in order. It is safe for
// concurrent use.
type History struct {
	mu     sync.Mutex // guards all below
	events []Event    // by version
	byKey  map[string][]int
	base   map[string]State // before the first event
}

// Begin sets the state that everything begins with. It is called once, first.
func (h *History) Begin(base map[string]State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.base, h.byKey = base, map[string][]int{}
}

// Add appends an event. The error says that it is older than the one before.
func (h *History) Add(e Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.events); n > 0 && h.events[n-1].Version >= e.Version {
		return fmt.Errorf("killtest: the server told %s %s at version %d after version %d", e.Type, e.Key, e.Version, h.events[n-1].Version)
	}
	h.byKey[e.Key] = append(h.byKey[e.Key], len(h.events))
	h.events = append(h.events, e)
	return nil
}

// Len is the number of events.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events)
}

// Last is the version of the last event; 0 before the first.
func (h *History) Last() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) == 0 {
		return 0
	}
	return h.events[len(h.events)-1].Version
}

// next is the first event after a version.
func (h *History) next(version int64) (Event, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := sort.Search(len(h.events), func(i int) bool { return h.events[i].Version > version })
	if n == len(h.events) {
		return Event{}, false
	}
	return h.events[n], true
}

// At is the state as of a version, by key.
func (h *History) At(version int64) map[string]State {
	h.mu.Lock()
	defer h.mu.Unlock()
	state := map[string]State{}
	for key, s := range h.base {
		state[key] = s
	}
	for key, all := range h.byKey {
		n := sort.Search(len(all), func(i int) bool { return h.events[all[i]].Version > version })
		if n == 0 {
			continue
		}
		if e := h.events[all[n-1]]; e.Type == "DELETED" {
			delete(state, key)
		} else {
			state[key] = e.State
		}
	}
	return state
}

// during are the states that a key goes through from one version, as of which the
// first is, up to another. Where it is not there the state is zero.
func (h *History) during(key string, from, to int64) []State {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.byKey[key]
	n := sort.Search(len(all), func(i int) bool { return h.events[all[i]].Version > from })
	states := []State{h.base[key]}
	if n > 0 {
		states[0] = h.events[all[n-1]].after()
	}
	for ; n < len(all) && h.events[all[n]].Version <= to; n++ {
		states = append(states, h.events[all[n]].after())
	}
	return states
}

// after is the state that the event leaves; zero for none.
func (e *Event) after() State {
	if e.Type == "DELETED" {
		return State{}
	}
	return e.State
}

// real reports whether a key was ever in this state, or deleted with it.
func (h *History) real(key string, s State) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.byKey[key]
	n := sort.Search(len(all), func(i int) bool { return h.events[all[i]].Version >= s.Version })
	return h.base[key] == s || n < len(all) && h.events[all[n]].State == s
}

// leaves is from which version on an object that was last seen in a state does not
// pass the filter; where that has no version, it is the object's deletion.
func (h *History) leaves(key string, s State) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.byKey[key] {
		e := &h.events[n]
		if e.UID == s.UID && (e.Type == "DELETED" || s.Version >= 0 && e.Version >= s.Version && !passes(e.Content)) {
			return e.Version
		}
	}
	return s.Version
}

// passed reports whether the object was ever in a state after a version that passes
// the filter.
func (h *History) passed(key, uid string, since int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	fits := func(s State) bool { return s.UID == uid && s.Version > since && passes(s.Content) }
	if fits(h.base[key]) {
		return true
	}
	for _, n := range h.byKey[key] {
		if fits(h.events[n].after()) {
			return true
		}
	}
	return false
}

// keys are all that were ever there.
func (h *History) keys() map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	keys := map[string]bool{}
	for key := range h.base {
		keys[key] = true
	}
	for key := range h.byKey {
		keys[key] = true
	}
	return keys
}

// difference is one way in which two states differ; "" when they do not.
func difference(got, want map[string]State) string {
	for key, w := range want {
		if g, there := got[key]; !there {
			return fmt.Sprintf("%s is missing", key)
		} else if g != w {
			return fmt.Sprintf("%s is %v, not %v", key, g, w)
		}
	}
	for key := range got {
		if _, there := want[key]; !there {
			return fmt.Sprintf("%s is there and should be gone", key)
		}
	}
	return ""
}
