package conformance

import (
	"fmt"
	"maps"
	"sync"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// Fold holds the state that a consumer of ListWatch's events has, and what
// the events did that they should not. It is safe for concurrent use.
type Fold struct {
	// Beat, when not nil, rings after every event.
	Beat *Beat

	mu       sync.Mutex // guards all below
	objects  map[decode.Key]held
	newest   map[string]string // uid → resourceVersion of its last event
	seen     map[version]bool  // states that were delivered
	streamed string            // resourceVersion of the last stream event since the last sync
	syncs    int
	counts   map[string]int // "TYPE/cause" → events
	problems []string
}

type held struct {
	identity  decode.Identity
	canonical string
}

// version is one state of one object.
type version struct{ uid, resourceVersion string }

// NewFold returns an empty fold.
func NewFold(beat *Beat) *Fold {
	return &Fold{
		Beat: beat, objects: map[decode.Key]held{}, newest: map[string]string{},
		seen: map[version]bool{}, counts: map[string]int{},
	}
}

// Apply takes one event in.
func (f *Fold) Apply(e rawwatch.Event) {
	f.mu.Lock()
	f.counts[string(e.Type)+"/"+string(e.Cause)]++
	if e.Err != nil {
		f.problem("%s %s: an object of a real server is not understood: %v", e.Type, e.Object.Key(), e.Err)
	}
	switch e.Type {
	case rawwatch.Added, rawwatch.Modified:
		f.state(e)
	case rawwatch.Deleted:
		f.deleted(e)
	case rawwatch.Synced:
		f.syncs++
		f.streamed = ""
	case rawwatch.Bookmark:
	default:
		f.problem("event of unknown type %q", e.Type)
	}
	f.mu.Unlock()
	if f.Beat != nil {
		f.Beat.Ring()
	}
}

// Rewritten tells that the server's history was replaced by an older one, so
// that versions may be given out again and go backwards.
func (f *Fold) Rewritten() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.newest)
	clear(f.seen)
	f.streamed = ""
}

// state checks and keeps a new state of an object.
func (f *Fold) state(e rawwatch.Event) {
	id := e.Object.Identity
	old, known := f.objects[id.Key()]
	switch {
	case e.Type == rawwatch.Added && known:
		f.problem("ADDED %s (uid %s), which is there with uid %s", id.Key(), id.UID, old.identity.UID)
	case e.Type == rawwatch.Modified && !known:
		f.problem("MODIFIED %s, which is not there", id.Key())
	case e.Type == rawwatch.Modified && old.identity.UID != id.UID:
		f.problem("MODIFIED %s changes its uid from %s to %s", id.Key(), old.identity.UID, id.UID)
	}
	v := version{id.UID, id.ResourceVersion}
	if f.seen[v] {
		f.problem("%s %s: uid %s at %s was delivered before", e.Type, id.Key(), v.uid, v.resourceVersion)
	}
	f.seen[v] = true
	f.ordered(e)
	text, err := e.Object.JSON()
	if err != nil {
		f.problem("%s %s: %v", e.Type, id.Key(), err)
	}
	canonical, err := Canonical(text)
	if err != nil {
		f.problem("%s %s: %v", e.Type, id.Key(), err)
	}
	f.objects[id.Key()] = held{id, canonical}
}

// deleted checks a deletion. One learned from a relist repeats the last known
// version; one from the stream has a version of its own.
func (f *Fold) deleted(e rawwatch.Event) {
	id := e.Object.Identity
	old, known := f.objects[id.Key()]
	switch {
	case !known:
		f.problem("DELETED %s, which is not there", id.Key())
	case old.identity.UID != id.UID:
		f.problem("DELETED %s with uid %s, which is there with uid %s", id.Key(), id.UID, old.identity.UID)
	case e.Object.IsStub() && old.identity.ResourceVersion != id.ResourceVersion:
		f.problem("DELETED %s as a stub at %s, which was last seen at %s", id.Key(), id.ResourceVersion, old.identity.ResourceVersion)
	case e.Object.IsStub() && e.Object.Kind == "":
		f.problem("DELETED %s as a stub without a kind", id.Key())
	case e.Cause == rawwatch.CauseList && e.Object.IsStub(): // a watch beside the list tells whole objects
		f.problem("DELETED %s from the first list", id.Key())
	}
	if !e.Object.IsStub() {
		f.ordered(e)
	}
	delete(f.objects, id.Key())
}

// ordered checks that versions only grow: those of one object always, those
// of different objects within what one stream (resumed or not) tells.
func (f *Fold) ordered(e rawwatch.Event) {
	id := e.Object.Identity
	if last := f.newest[id.UID]; last != "" && !newer(id.ResourceVersion, last) {
		f.problem("%s %s at %s comes after %s", e.Type, id.Key(), id.ResourceVersion, last)
	}
	f.newest[id.UID] = id.ResourceVersion
	if e.Cause != rawwatch.CauseStream {
		return
	}
	if f.streamed != "" && !newer(id.ResourceVersion, f.streamed) {
		f.problem("%s %s at %s comes in the stream after %s", e.Type, id.Key(), id.ResourceVersion, f.streamed)
	}
	f.streamed = id.ResourceVersion
}

// newer compares two versions as whole numbers of any length. It is not the
// library's rule, so that a mistake there shows.
func newer(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

// maxProblems bounds what is kept; the first ones tell most.
const maxProblems = 20

func (f *Fold) problem(format string, args ...any) {
	if len(f.problems) < maxProblems {
		f.problems = append(f.problems, fmt.Sprintf(format, args...))
	}
}

// Problems are the broken promises so far.
func (f *Fold) Problems() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.problems[:len(f.problems):len(f.problems)]
}

// State is a copy of what is there now.
func (f *Fold) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := make(State, len(f.objects))
	for key, object := range f.objects {
		s[key.String()] = object.canonical
	}
	return s
}

// Syncs counts the [rawwatch.Synced] events: complete lists.
func (f *Fold) Syncs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.syncs
}

// Counts is the number of events by "TYPE/cause".
func (f *Fold) Counts() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.counts)
}
