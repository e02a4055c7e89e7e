package killtest

import (
	"maps"
	"slices"

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
	history     *History
	eager, kept map[string]State // what the two know, by key

	objects map[string]*grasp // by uid
	synced  bool              // in this process
	// unheard is how many objects its earlier processes may have been about to be
	// told, and were not, when they were killed; see memory.unsynced.
	unheard int

	call   []Event // what it is told now
	failed []Event // what it was told in the call before, if that failed
	ending string  // of the call; "" is not yet
}

// grasp is how "some" stands to an object.
type grasp struct {
	key string
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
	return &newest{
		history: h, eager: map[string]State{}, kept: map[string]State{},
		objects: map[string]*grasp{}, unheard: -someBatch,
	}
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
		for _, e := range n.call {
			g := n.objects[e.UID]
			if s := n.stance(&e); sure {
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
	case "FAILING":
		j.Failed++
		n.ending = f[0]
		j.toldAgain()
	case "ACKING":
		n.ending = f[0]
		j.toldAgain()
		n.kept = n.willKeep()
	case string(rawwatch.Synced):
		j.someSynced(number(f[2]))
	default:
		j.someTold(Event{f[0], f[2], stateIn(f[3 : len(f)-1])})
	}
}

// inCall is what was last told of an object in the call at hand; nil is nothing.
func (n *newest) inCall(uid string) *Event {
	for i := range slices.Backward(n.call) {
		if n.call[i].UID == uid {
			return &n.call[i]
		}
	}
	return nil
}

// fold takes the event into a state by key.
func (e *Event) fold(state map[string]State) {
	if e.Type != "DELETED" {
		state[e.Key] = e.State
	} else if state[e.Key].UID == e.UID {
		delete(state, e.Key)
	}
}

// willKeep is what who takes in what it acknowledges will know if it does so with
// the call at hand.
func (n *newest) willKeep() map[string]State {
	state := maps.Clone(n.kept)
	for _, e := range n.call {
		e.fold(state)
	}
	return state
}
