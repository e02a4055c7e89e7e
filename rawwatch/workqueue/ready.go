package workqueue

// readySet holds the keys that a worker may have now and decides who is next.
//
// Most queues hold one priority, so what comes in order joins a plain line; only
// what has to stand before the line's end goes into a heap. The next in order is
// the first of one of the two.
//
// All of them are in a list by age too. The first of it may be passed over
// patience times in a row, then it is its turn.
type readySet[K comparable] struct {
	patience int // negative: without end
	passed   int // how often in a row the oldest was passed over
	n        int
	line     list[K]
	jumped   heap[K]
	age      list[K]
}

// add takes in an entry whose rank and seq are set.
func (r *readySet[K]) add(e *entry[K]) {
	r.n++
	r.age.append(e)
	r.sort(e)
}

func (r *readySet[K]) sort(e *entry[K]) {
	if r.line.tail == nil || r.line.tail.before(e) {
		e.place = inLine
		r.line.append(e)
		return
	}
	e.place = inHeap
	r.jumped.push(e)
}

// raise moves an entry forward.
func (r *readySet[K]) raise(e *entry[K], rank int64) {
	e.rank = rank
	if e.place == inHeap {
		r.jumped.fix(e)
		return
	}
	r.line.remove(e)
	r.sort(e)
}

// next is whose turn it is, without taking it out; nil when nothing is ready.
func (r *readySet[K]) next() *entry[K] {
	oldest := r.age.head
	if r.patience >= 0 && r.passed >= r.patience {
		return oldest
	}
	first := r.line.head
	if jumper := r.jumped.top(); jumper != nil && (first == nil || jumper.before(first)) {
		first = jumper
	}
	return first
}

// take removes what next returned.
func (r *readySet[K]) take(e *entry[K]) {
	if e == r.age.head {
		r.passed = 0
	} else {
		r.passed++
	}
	r.n--
	r.age.remove(e)
	if e.place == inLine {
		r.line.remove(e)
	} else {
		r.jumped.remove(e)
	}
	e.place = nowhere
}
