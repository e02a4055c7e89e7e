package killtest

import (
	"maps"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// told takes in what a subscriber was told: a change, or the end of a list or of
// what happened meanwhile.
func (j *Judge) told(who string, f []string) {
	a, m, typ, cause := j.run.subs[who], j.memory[who], f[0], rawwatch.Cause(f[1])
	if typ == string(rawwatch.Synced) {
		j.synced(who, a, cause, number(f[2]))
		return
	}
	key, s := f[2], stateIn(f[3:len(f)-1])
	got := Event{typ, key, s}
	j.Changes++
	if known, there := m.state[key]; there && s.Version <= known.Version && typ != "DELETED" {
		j.Repeated++
	}
	if m.acked[s.UID].covers(got) {
		j.accuse("%s was told %v (%s), which it had acknowledged: %+v", who, got, cause, m.acked[s.UID])
	}
	t := told{event: got, key: key, sequence: uint64(number(f[len(f)-1])), acked: who == "now"}
	switch {
	case typ == "DELETED" && s.Version < 0:
		j.Orphans++
		if !m.heard[s.UID] {
			m.unsynced--
		}
		if m.unsynced < 0 {
			j.accuse("%s was told %v, of which it knew nothing", who, got)
		}
	case cause == rawwatch.CauseStream || cause == rawwatch.CauseCheckpoint:
		t.point = s.Version
		j.spare(who, a, s.Version-1)
		want, more := j.history.next(a.cursor)
		if !more || got != want || a.cursor == 0 {
			j.accuse("%s was told %v (%s) where %v happened next, after version %d", who, got, cause, want, a.cursor)
		}
		a.cursor = max(a.cursor, s.Version)
	default:
		j.listed(who, a, got)
	}
	if who == "now" {
		j.returned(t)
	}
	a.told = append(a.told, t)
	j.run.history[who] = append(j.run.history[who], t)
	m.heard[s.UID] = true
	for _, state := range []map[string]State{a.state, m.state} {
		if typ != "DELETED" {
			state[key] = s
		} else if state[key].UID == s.UID {
			delete(state, key)
		}
	}
}

// listed checks that what was learned from a list is a difference: from what was
// restored and told since, or from what the subscriber has acknowledged before. What
// only the subscriber knows is Added again when it is in another state.
func (j *Judge) listed(who string, a *audience, got Event) {
	ok := false
	for _, state := range []map[string]State{a.state, j.memory[who].state} {
		known, there := state[got.Key]
		switch got.Type {
		case "ADDED":
			ok = ok || !there || known.UID == got.UID && a.state[got.Key].UID != got.UID
		case "MODIFIED":
			ok = ok || there && known.UID == got.UID && known.Version < got.Version
		case "DELETED":
			ok = ok || there && known.UID == got.UID
		}
	}
	if !ok {
		j.accuse("%s was told %v, which it knew as %v and %v", who, got, a.state[got.Key], j.memory[who].state[got.Key])
	}
}

func (j *Judge) synced(who string, a *audience, cause rawwatch.Cause, version int64) {
	a.synced = true
	if who == "now" && cause == rawwatch.CauseCheckpoint {
		j.Resumed++
	} else if who == "now" {
		j.Listed++
	}
	m := j.memory[who].state
	j.memory[who].unsynced = 0
	j.spare(who, a, version)
	if cause == rawwatch.CauseCheckpoint {
		if e, more := j.history.next(a.cursor); more && e.Version <= version {
			j.accuse("%s is in sync as of %d and was not told of %v", who, version, e)
		}
	} else {
		a.state = maps.Clone(m)
	}
	a.cursor, a.earlier = max(a.cursor, version), nil
	if d := difference(m, j.history.At(version)); d != "" && a.cursor == version {
		j.accuse("%s is in sync (%s) as of %d: %s", who, cause, version, d)
	}
	for i := range a.told {
		if a.told[i].point == 0 {
			a.told[i].point = version
		}
	}
	if d := difference(m, a.state); d != "" {
		j.accuse("%s remembers otherwise than it was told: %s", who, d)
	}
}
