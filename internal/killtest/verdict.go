package killtest

import "github.com/rawwatch/rawwatch/rawwatch"

// told takes in what a subscriber was told: a change, or the end of a list or of
// what happened meanwhile.
func (j *Judge) told(who string, f []string) {
	a, typ, cause := j.run.subs[who], f[0], rawwatch.Cause(f[1])
	if typ == string(rawwatch.Synced) {
		j.synced(who, a, cause, number(f[2]))
		return
	}
	key, s := f[2], stateIn(f[3:len(f)-1])
	j.Changes++
	if known, there := j.memory[who][key]; there && s.Version <= known.Version && typ != "DELETED" {
		j.Repeated++
	}
	t := told{key: key, sequence: uint64(number(f[len(f)-1])), acked: who == "now"}
	switch cause {
	case rawwatch.CauseStream, rawwatch.CauseCheckpoint:
		t.point = s.Version
		want, more := j.history.next(a.cursor)
		if got := (Event{typ, key, s}); !more || got != want || a.cursor == 0 {
			j.accuse("%s was told %v (%s) where %v happened next, after version %d", who, got, cause, want, a.cursor)
		}
		a.cursor = max(a.cursor, s.Version)
	default:
		j.listed(who, a, typ, key, s)
	}
	a.told = append(a.told, t)
	if typ == "DELETED" {
		delete(a.state, key)
		delete(j.memory[who], key)
	} else {
		a.state[key], j.memory[who][key] = s, s
	}
}

// listed checks that what was learned from a list is a difference.
func (j *Judge) listed(who string, a *audience, typ, key string, s State) {
	known, there := a.state[key]
	ok := false
	switch typ {
	case "ADDED":
		ok = !there
	case "MODIFIED":
		ok = there && known.UID == s.UID && known.Version < s.Version
	case "DELETED":
		ok = there && known.UID == s.UID
	}
	if !ok {
		j.accuse("%s was told %s %s %v, which it knew as %v", who, typ, key, s, known)
	}
}

func (j *Judge) synced(who string, a *audience, cause rawwatch.Cause, version int64) {
	a.synced = true
	if who == "now" && cause == rawwatch.CauseCheckpoint {
		j.Resumed++
	} else if who == "now" {
		j.Listed++
	}
	if cause == rawwatch.CauseCheckpoint {
		if e, more := j.history.next(a.cursor); more && e.Version <= version {
			j.accuse("%s is in sync as of %d and was not told of %v", who, version, e)
		}
	} else {
		j.forget(who, a)
	}
	a.cursor = max(a.cursor, version)
	if d := difference(a.state, j.history.At(version)); d != "" && a.cursor == version {
		j.accuse("%s is in sync (%s) as of %d: %s", who, cause, version, d)
	}
	for i := range a.told {
		if a.told[i].point == 0 {
			a.told[i].point = version
		}
	}
	if d := difference(j.memory[who], a.state); d != "" {
		j.accuse("%s remembers otherwise than it was told: %s", who, d)
	}
}

// forget lets a subscriber forget objects that it was told of, but that were not
// saved when the process was killed, and that are gone with the history by now:
// nobody can tell that anymore. No other object may be forgotten.
func (j *Judge) forget(who string, a *audience) {
	for key, s := range j.memory[who] {
		if _, there := a.state[key]; there {
			continue
		}
		if s.Version <= j.run.restored {
			j.accuse("%s was not told that %s is gone: %v, restored as of %d", who, key, s, j.run.restored)
		}
		j.Forgotten++
		delete(j.memory[who], key)
	}
}
