package rawwatch

import (
	"sync"

	"github.com/rawwatch/rawwatch/resume"
)

// savedWatch is what is saved of one part of an informer.
type savedWatch[T any] struct {
	part *part[T]
	id   resume.WatchIdentity // but for the cluster

	// Of who may publish.
	resuming bool // what comes is told by going on from the checkpoint
	// unconfirmed is set while the store shows what the server has not
	// confirmed.
	unconfirmed bool
	version     string // where the part's stream stands; "" before the first sync
	head        string // the server's version when it began to go on; may be ""
	// lagging says that the stream was silent before it had come to head: more of
	// what happened meanwhile may follow.
	lagging bool
	// rewritten says that the list under way, or the next, is of another history, and
	// that what is noted was doubted if need be.
	rewritten bool
	// former are those of a state that cannot be used, until the first sync has
	// said which of them are gone.
	former missing

	journal journal[T]

	// Of the goroutine that saves: what was taken and is not saved yet.
	taken []entry[T]

	mu    sync.Mutex // guards the fields below
	fresh bool       // nothing that is saved can be gone on from
	aside string     // why what is saved is to be set aside; "" is not at all
}

// entry is one line of a journal: an object's change, a whole state, or only
// the version up to which nothing else has changed.
type entry[T any] struct {
	sequence uint64
	first    uint64 // of the change; 0 for no change
	// version is where a watch would go on after this; "" where that is no
	// such point.
	version string
	item    *Item[T]     // nil for no change of what is saved
	deleted bool         // the item is gone
	whole   *Snapshot[T] // everything, in place of what came before; may be nil
}

// journal is what was published and not yet taken to be saved. It is safe for
// concurrent use.
type journal[T any] struct {
	mu      sync.Mutex
	entries []entry[T]
}

// change adds a change that is no point yet.
func (j *journal[T]) change(c *Change[T]) {
	j.add(entry[T]{sequence: c.Sequence, first: c.Sequence, item: c.Item, deleted: c.Type == Deleted})
}

// pass adds a change of nothing that is saved. What is noted of it is needed until
// a state is saved from which the watch does not come to tell it again.
func (j *journal[T]) pass(c *Change[T]) {
	j.add(entry[T]{sequence: c.Sequence, first: c.Sequence})
}

func (j *journal[T]) add(e entry[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
}

// point says that the stream stands at version after what was added.
func (j *journal[T]) point(sequence uint64, version string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.entries); n > 0 {
		last := &j.entries[n-1]
		if last.version == "" || last.sequence == sequence && last.item == nil {
			last.version, last.sequence = version, sequence
			return
		}
	}
	j.entries = append(j.entries, entry[T]{sequence: sequence, version: version})
}

// restart forgets everything for a whole state.
func (j *journal[T]) restart(e entry[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.entries)
	j.entries = append(j.entries[:0], e)
}

// size is the number of lines; unacknowledged how many of them are beyond acked.
func (j *journal[T]) size() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.entries)
}

func (j *journal[T]) beyond(acked uint64) (unacknowledged int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := len(j.entries) - 1; i >= 0 && j.entries[i].sequence > acked; i-- {
		unacknowledged++
	}
	return unacknowledged
}

// take moves to dst what is acknowledged, up to the last point in it.
func (j *journal[T]) take(dst []entry[T], acked uint64) []entry[T] {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for i := range j.entries {
		if j.entries[i].sequence > acked {
			break
		}
		if j.entries[i].version != "" {
			n = i + 1
		}
	}
	if n == 0 {
		return dst
	}
	dst = append(dst, j.entries[:n]...)
	rest := copy(j.entries, j.entries[n:])
	clear(j.entries[rest:])
	j.entries = j.entries[:rest]
	if rest == 0 && cap(j.entries) > keptEntries {
		j.entries = nil
	}
	return dst
}

// keptEntries bounds the room that an empty journal keeps.
const keptEntries = 1024
