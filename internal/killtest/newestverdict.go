package killtest

import (
	"fmt"
	"maps"
	"slices"
)

// someTold takes in that "some" is told of an object, and checks it.
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
	g.tried = true
	n.call = append(n.call, e)
	e.fold(n.eager)
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
		if other != g && other.key == e.Key && other.surelyThere() && j.newest.inCall(uid) == nil {
			j.accuse("some was told %v, and not before that %s of that name is gone", e, uid)
		}
	}
}

func (g *grasp) surelyThere() bool {
	for _, s := range g.acked {
		if !s.there {
			return false
		}
	}
	return true
}

// someGone checks an object that is DELETED: in whatever state was seen last.
func (j *Judge) someGone(g *grasp, e Event) {
	known, since := g.tried, g.acked[0].version
	for _, s := range g.acked {
		known, since = known || s.there, min(since, s.version)
	}
	if !known && j.newest.unheard > 0 && j.history.passed(e.Key, e.UID, since) {
		known = true
		j.newest.unheard--
	}
	switch {
	case !known:
		j.accuse("some was told %v, of which it knew nothing: %+v", e, g.acked)
	case e.Version >= 0 && !j.history.real(e.Key, e.State):
		j.accuse("some was told %v, which never was", e)
	}
}

// toldAgain checks that a call has all that the one before it failed to take.
func (j *Judge) toldAgain() {
	for _, e := range j.newest.failed {
		switch again := j.newest.inCall(e.UID); {
		case again == nil:
			j.accuse("some failed at %v and was not told again", e)
		case again.Version > e.Version:
			j.Overtaken++
		}
	}
}

// someSynced checks both views as of a version.
func (j *Judge) someSynced(version int64) {
	n := j.newest
	n.synced, n.unheard = true, 0
	if d := j.astray(version, n.eager); d != "" {
		j.accuse("some is in sync as of %d, and if it takes in all that it is told: %s", version, d)
	}
	if d := j.astray(version, n.willKeep()); d != "" {
		j.accuse("some is in sync as of %d, and if it takes in what it acknowledges: %s", version, d)
	}
}

// someSaved checks that what is about to be saved was acknowledged, or something
// newer of the same object.
func (j *Judge) someSaved(version int64) {
	if d := j.astray(version, j.newest.kept); d != "" {
		j.accuse("version %d is saved, and of what some has acknowledged %s", version, d)
	}
}

// astray is where a state is none that follows from what happened up to a version,
// "" is nowhere: each object must be as it was then, or later, until the process was
// killed. Only what passes the filter is there.
func (j *Judge) astray(version int64, state map[string]State) string {
	keys := j.history.keys()
	for key := range state {
		keys[key] = true
	}
next:
	for _, key := range slices.Sorted(maps.Keys(keys)) {
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
	if d := difference(n.eager, want); d != "" {
		return fmt.Errorf("%s was told otherwise: %s", some, d)
	}
	if d := difference(n.kept, want); d != "" {
		return fmt.Errorf("%s has acknowledged otherwise: %s", some, d)
	}
	return nil
}
