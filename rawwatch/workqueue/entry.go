package workqueue

// place says where an entry waits for its next run. It waits in one place at
// most; whether it is in work as well is another matter.
type place uint8

const (
	nowhere place = iota // nothing is owed
	inLine               // ready, in the line of those that came in order
	inHeap               // ready, in the heap of those that jumped the line
	delayed              // in the heap of due times
	behind               // added while in work: ready as soon as that run is over
)

// entry is all that the queue knows about one key. It is in the map of entries
// as long as it waits, is in work, or has failures to remember.
type entry[K comparable] struct {
	key   K
	place place
	work  bool // a worker has it
	byRun bool // the worker is one of Run, which releases it itself

	index        int // in the heap that it waits in
	priority     int // of what waits
	workPriority int // of the run that goes on, or was the last
	failures     int // in a row

	rank  int64  // what a heap sorts by first: minus the priority, or the due time
	seq   uint64 // what it sorts by next: the order of arrival
	since int64  // when it became ready; in work, when the run began

	links [2]links[K]
}

// before is the order of both heaps and of the line.
func (e *entry[K]) before(other *entry[K]) bool {
	return e.rank < other.rank || e.rank == other.rank && e.seq < other.seq
}

// ready tells whether a worker may have it now.
func (e *entry[K]) ready() bool { return e.place == inLine || e.place == inHeap }

// links are an entry's neighbours in one list.
type links[K comparable] struct{ prev, next *entry[K] }

// Each entry can be in two lists at once.
const (
	byOrder = iota // the line
	byAge          // those ready, or those in work, the longest first
)

// list is a doubly linked list of entries through their own links, so that
// joining and leaving it costs no memory.
type list[K comparable] struct {
	which      int // of the entries' links
	head, tail *entry[K]
}

func (l *list[K]) append(e *entry[K]) {
	e.links[l.which] = links[K]{prev: l.tail}
	if l.tail == nil {
		l.head = e
	} else {
		l.tail.links[l.which].next = e
	}
	l.tail = e
}

func (l *list[K]) remove(e *entry[K]) {
	at := e.links[l.which]
	if at.prev == nil {
		l.head = at.next
	} else {
		at.prev.links[l.which].next = at.next
	}
	if at.next == nil {
		l.tail = at.prev
	} else {
		at.next.links[l.which].prev = at.prev
	}
	e.links[l.which] = links[K]{}
}
