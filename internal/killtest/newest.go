package killtest

import (
	"fmt"
	"maps"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// some is the subscriber that is told the newest states that pass its filter, in
// batches, and that fails now and then.
const some = "some"

// newest is what "some" has learned in all of its processes. Nobody can say event
// for event what it is to be told; but whatever it makes of a call that it has not
// acknowledged, it must end with what the server has. So two are kept in mind: one
// that takes in whatever it is told, and one that takes in nothing of a call unless
// it acknowledges. Types are right for the second, but that what the first knows may
// be DELETED.
type newest struct {
	history *History
	objects map[string]*grasp // by uid
	synced  bool              // in this process
	// unheard is how many objects its earlier processes may have been about to be
	// told, and were not, when they were killed; see memory.unsynced.
	unheard int

	call   map[string]told // what it is told now, by uid: the last of each
	failed map[string]told // what it was told in the call before, if that failed
	ending string          // of the call; "" is not yet
}

// grasp is how "some" stands to an object.
type grasp struct {
	key   string
	eager State // of who takes in everything; zero is not there
	kept  State // of who takes in what it acknowledges
	// acked is what it has acknowledged: one of these, which are several when it was
	// killed while it did so.
	acked []stance
	told  int64 // up to which version, in this process
	tried bool  // it was told of it since it has last acknowledged for sure
	here  bool  // it has acknowledged it for sure in this process
}

// stance is a version, and whether the object is known to be there.
type stance struct {
	version int64
	there   bool
}

func (h *History) newest() *newest {
	return &newest{history: h, objects: map[string]*grasp{}, unheard: -someBatch}
}

// begins is called for each process.
func (n *newest) begins() {
	n.ended(false)
	n.failed, n.synced = nil, false
	n.unheard += someBatch
	for _, g := range n.objects {
		g.told, g.here = 0, false
	}
}

// ended says that the call is over; sure is set when how it ended has counted.
func (n *newest) ended(sure bool) {
	n.failed = nil
	switch n.ending {
	case "FAILING":
		n.failed = n.call
	case "ACKING":
		for uid, t := range n.call {
			g := n.objects[uid]
			if s := n.stance(&t.event); sure {
				g.acked, g.tried, g.here = []stance{s}, false, true
			} else {
				g.acked = append(g.acked, s)
			}
		}
	}
	n.call, n.ending = nil, ""
}

// stance is that of who has acknowledged an event. After a deletion it is the
// version at which the object was gone, or did not pass any more.
func (n *newest) stance(e *Event) stance {
	if e.Type == "DELETED" {
		return stance{version: n.history.leaves(e.Key, e.State)}
	}
	return stance{e.Version, true}
}

// some takes in a line of that subscriber.
func (j *Judge) some(f []string) {
	n := j.newest
	switch f[0] {
	case "CALL":
		j.Calls++
		n.ended(true)
		n.call = map[string]told{}
	case "FAILING":
		j.Failed++
		n.ending = f[0]
		j.toldAgain()
	case "ACKING":
		n.ending = f[0]
		j.toldAgain()
		for uid, t := range n.call {
			n.objects[uid].kept = t.event.after()
		}
	case string(rawwatch.Synced):
		j.someSynced(number(f[2]))
	default:
		j.someTold(Event{f[0], f[2], stateIn(f[3 : len(f)-1])})
	}
}

// toldAgain checks that a call has all that the one before it failed to take.
func (j *Judge) toldAgain() {
	for uid, t := range j.newest.failed {
		again, there := j.newest.call[uid]
		switch {
		case !there:
			j.accuse("some failed at %v and was not told again", t.event)
		case again.event.Version > t.event.Version:
			j.Overtaken++
		}
	}
}

func (j *Judge) someTold(e Event) {
	n := j.newest
	g := n.objects[e.UID]
	if g == nil {
		g = &grasp{key: e.Key, acked: []stance{{}}}
		n.objects[e.UID] = g
	}
	if e.Type == "DELETED" {
		j.someGone(g, e)
	} else {
		j.someThere(g, e)
	}
	g.eager, g.tried = e.after(), true
	n.call[e.UID] = told{event: e, key: e.Key}
}

// someThere checks an object that is ADDED or MODIFIED.
func (j *Judge) someThere(g *grasp, e Event) {
	// What only this subscriber knows comes as ADDED again.
	fits, newer := e.Type == "ADDED" && !g.here && j.has[e.Key].UID != e.UID, false
	for _, s := range g.acked {
		fits = fits || s.there == (e.Type == "MODIFIED")
		newer = newer || e.Version > s.version
	}
	switch {
	case !newer:
		j.accuse("some was told %v, and has acknowledged %+v", e, g.acked)
	case e.Version < g.told:
		j.accuse("some was told %v after version %d", e, g.told)
	case !fits:
		j.accuse("some was told %v, which does not follow from %+v", e, g.acked)
	case !j.history.real(e.Key, e.State) || !passes(e.Content):
		j.accuse("some was told %v, which never was, or does not pass", e)
	}
	g.told = e.Version
	for uid, other := range j.newest.objects {
		if other != g && other.key == e.Key && j.newest.holds(uid) != (State{}) {
			j.accuse("some was told %v, and not before that %s of that name is gone", e, uid)
		}
	}
}

// someGone checks an object that is DELETED: in whatever state was seen last.
func (j *Judge) someGone(g *grasp, e Event) {
	known := g.tried
	for _, s := range g.acked {
		known = known || s.there
	}
	if !known && g.acked[0] == (stance{}) && j.history.passed(e.Key, e.UID) {
		known = j.newest.unheard > 0
		j.newest.unheard--
	}
	switch {
	case !known:
		j.accuse("some was told %v, of which it knew nothing: %+v", e, g.acked)
	case e.Version >= 0 && !j.history.real(e.Key, e.State):
		j.accuse("some was told %v, which never was", e)
	}
}

// holds is what who takes in what it acknowledges will have of an object if it
// does so with the call at hand; zero is nothing.
func (n *newest) holds(uid string) State {
	if t, there := n.call[uid]; there {
		return t.event.after()
	}
	return n.objects[uid].kept
}

// someSynced checks both views as of a version.
func (j *Judge) someSynced(version int64) {
	n := j.newest
	n.synced, n.unheard = true, 0
	if d := j.astray(version, func(uid string) State { return n.objects[uid].eager }); d != "" {
		j.accuse("some is in sync as of %d, and if it takes in all that it is told: %s", version, d)
	}
	if d := j.astray(version, n.holds); d != "" {
		j.accuse("some is in sync as of %d, and if it takes in what it acknowledges: %s", version, d)
	}
}

// someSaved checks that what is about to be saved was acknowledged, or something
// newer of the same object.
func (j *Judge) someSaved(version int64) {
	if d := j.astray(version, func(uid string) State { return j.newest.objects[uid].kept }); d != "" {
		j.accuse("version %d is saved, and of what some has acknowledged %s", version, d)
	}
}

// astray is where a view is none that follows from what happened up to a version,
// "" is nowhere: each object must be as it was then, or later, until the process was
// killed. Only what passes the filter is there.
func (j *Judge) astray(version int64, view func(uid string) State) string {
	state := map[string]State{}
	for uid, g := range j.newest.objects {
		s := view(uid)
		if s == (State{}) {
			continue
		}
		if other, twice := state[g.key]; twice {
			return fmt.Sprintf("%s is there as %s and %s", g.key, uid, other.UID)
		}
		state[g.key] = s
	}
	keys := j.history.keys()
	for key := range state {
		keys[key] = true
	}
next:
	for key := range keys {
		states := j.history.during(key, version, j.until())
		for _, s := range states {
			if state[key] == filtered(s) {
				continue next
			}
		}
		return fmt.Sprintf("%s is %v, which is none of %v", key, state[key], states)
	}
	return ""
}

func filtered(s State) State {
	if !passes(s.Content) {
		return State{}
	}
	return s
}

// until is the version that the process under way cannot have gone beyond.
func (j *Judge) until() int64 {
	if end := j.ends[j.Lives]; end != 0 {
		return end
	}
	return j.history.Last()
}

// someLevel reports whether "some" is in sync and has exactly what passes of this.
func (j *Judge) someLevel(state map[string]State) error {
	n := j.newest
	if !n.synced {
		return fmt.Errorf("%s is not in sync", some)
	}
	want := maps.Clone(state)
	maps.DeleteFunc(want, func(_ string, s State) bool { return !passes(s.Content) })
	eager, kept := map[string]State{}, map[string]State{}
	for _, g := range n.objects {
		if g.eager != (State{}) {
			eager[g.key] = g.eager
		}
		if g.kept != (State{}) {
			kept[g.key] = g.kept
		}
	}
	if d := difference(eager, want); d != "" {
		return fmt.Errorf("%s was told otherwise: %s", some, d)
	}
	if d := difference(kept, want); d != "" {
		return fmt.Errorf("%s has acknowledged otherwise: %s", some, d)
	}
	return nil
}
