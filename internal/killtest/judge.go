package killtest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// Judge reads what agents have written down beside what happened.
type Judge struct {
	history *History
	path    string
	read    int64 // bytes of the file

	saved  int64   // the version last saved; 0 is none
	saving []int64 // what may be saved as well
	has    map[string]State
	run    *life
	memory map[string]*memory // what each subscriber knows, over all lives
	newest *newest            // what "some" does
	ends   map[int]int64      // by life: the version of the server when it was over

	wrong []string
	Counts
}

// Counts is how much there was to judge.
type Counts struct {
	Lives    int // of the agent
	Restored int // of them that began with a state
	Resumed  int // of them that then went on without a list
	Listed   int // of them that listed
	Saves    int
	Cut      int // saves that a kill cut short, and that are there all the same
	Changes  int // told to subscribers
	Repeated int // of them those that an earlier process was told, and had not saved
	Spared   int // what would have been, had it not been acknowledged
	Orphans  int // deletions of objects that only the subscriber knew

	Calls     int // of the subscriber "some"
	Failed    int // of them
	Overtaken int // objects that it failed at and was then told in a newer state
}

// Judge returns a judge of the agents in the folder.
func (h *History) Judge(folder string) *Judge {
	return &Judge{history: h, path: filepath.Join(folder, booksName), memory: map[string]*memory{}, newest: h.newest(), ends: map[int]int64{}}
}

// memory is what a subscriber has learned in all of its processes.
type memory struct {
	state map[string]State
	// acked is how far it has acknowledged each object, by uid, and acking how far
	// perhaps: whether the process came to note it is not known.
	acked, acking map[string]progress
	heard         map[string]bool // the uids that it was told of
	// unsynced is how many of its processes were killed since it was in sync. Each
	// may have been about to call it with an object, and that is all it was.
	unsynced int
}

// progress is up to which version, and whether the object is gone.
type progress struct {
	version int64
	gone    bool
}

// covers reports whether something that happened to an object is acknowledged with
// the progress.
func (p progress) covers(e Event) bool {
	return p.gone || e.Type != "DELETED" && e.Version <= p.version
}

func (p progress) with(t told) progress {
	return progress{max(p.version, t.event.Version), p.gone || t.event.Type == "DELETED"}
}

// life is one process of the agent.
type life struct {
	restored int64
	subs     map[string]*audience
	history  map[string][]told // all that each was told
}

// audience is one subscriber of one process.
type audience struct {
	state  map[string]State
	cursor int64 // all that happened up to here was told; 0 before the first sync
	told   []told
	synced bool

	earlier map[string]progress // what may have been acknowledged before
}

// told is a change that a subscriber was told.
type told struct {
	event    Event
	key      string
	sequence uint64
	point    int64 // the version that includes it; 0 until the list is complete
	acked    bool
}

// Wrong is what should not be, in order.
func (j *Judge) Wrong() []string { return j.wrong }

func (j *Judge) accuse(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf("life %d: ", j.Lives)+fmt.Sprintf(format, args...))
}

// Level reports whether all subscribers are in sync and know exactly this.
func (j *Judge) Level(state map[string]State) error {
	for _, who := range []string{"now", "later"} {
		if j.run == nil || j.run.subs[who] == nil || !j.run.subs[who].synced {
			return fmt.Errorf("%s is not in sync", who)
		}
		if d := difference(j.memory[who].state, state); d != "" {
			return fmt.Errorf("%s knows otherwise: %s", who, d)
		}
	}
	return j.someLevel(state)
}

// restored checks a state against the server's as of its version, and that
// version against what was saved.
func (j *Judge) restored(version int64) {
	j.Restored++
	if version != j.saved {
		if !slices.Contains(j.saving, version) {
			j.accuse("version %d is restored, saved were %d and perhaps %v", version, j.saved, j.saving)
		}
		j.Cut++
	}
	j.saved, j.saving = version, nil
	if d := difference(j.has, j.history.At(version)); d != "" {
		j.accuse("restored as of version %d: %s", version, d)
	}
	j.begin(version)
}

func (j *Judge) begin(version int64) {
	j.run = &life{version, map[string]*audience{}, map[string][]told{}}
	j.newest.begins()
	for _, who := range []string{"now", "later"} {
		state := map[string]State{}
		for key, s := range j.has {
			state[key] = s
		}
		if j.memory[who] == nil {
			j.memory[who] = &memory{map[string]State{}, map[string]progress{}, map[string]progress{}, map[string]bool{}, -1}
		}
		j.memory[who].unsynced++
		j.run.subs[who] = &audience{state: state, cursor: version, earlier: maps.Clone(j.memory[who].acking)}
	}
}

// beforeSave checks that all that is about to be saved was acknowledged.
func (j *Judge) beforeSave(version int64) {
	if version < j.saved {
		j.accuse("version %d is saved after %d", version, j.saved)
	}
	j.saving = append(j.saving, version)
	j.someSaved(version)
	for who, a := range j.run.subs {
		j.spare(who, a, version)
		if e, more := j.history.next(a.cursor); more && e.Version <= version {
			j.accuse("version %d is saved before %s was told of %v", version, who, e)
		}
		for _, t := range a.told {
			if t.point != 0 && t.point <= version && !t.acked {
				j.accuse("version %d is saved before %s has acknowledged %s as of %d", version, who, t.key, t.point)
			}
		}
		a.told = slices.DeleteFunc(a.told, func(t told) bool { return t.point != 0 && t.point <= version })
	}
}

// acking notes that the subscriber "later" is about to acknowledge the key up to
// the sequence; from now on it may be saved.
func (j *Judge) acking(key string, sequence uint64) {
	all, m := j.run.subs["later"].told, j.memory["later"]
	for i := range all {
		if t := &all[i]; t.key == key && t.sequence <= sequence {
			t.acked = true
			m.acking[t.event.UID] = m.acking[t.event.UID].with(*t)
		}
	}
}

// acked notes that it has.
func (j *Judge) acked(key string, sequence uint64) {
	m := j.memory["later"]
	for _, t := range j.run.history["later"] {
		if t.key == key && t.sequence <= sequence {
			m.acked[t.event.UID] = m.acked[t.event.UID].with(t)
		}
	}
}

// returned notes that the subscriber "now" has returned from what it was told
// last, since it is called again.
func (j *Judge) returned(next told) {
	all, m := j.run.history["now"], j.memory["now"]
	if n := len(all); n > 0 {
		m.acked[all[n-1].event.UID] = m.acked[all[n-1].event.UID].with(all[n-1])
	}
	m.acking[next.event.UID] = m.acking[next.event.UID].with(next)
}

// spare goes over what the subscriber need not be told, up to a version, since it
// has, or may have, acknowledged it in an earlier life.
func (j *Judge) spare(who string, a *audience, version int64) {
	for a.cursor != 0 {
		e, more := j.history.next(a.cursor)
		if !more || e.Version > version || !a.earlier[e.UID].covers(e) {
			return
		}
		j.Spared++
		a.cursor = e.Version
		if e.Type == "DELETED" {
			delete(a.state, e.Key)
		} else {
			a.state[e.Key] = e.State
		}
	}
}
