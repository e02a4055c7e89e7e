package workqueue

// smallSlice is a capacity that is never worth shrinking.
const smallSlice = 1024

// heap is a binary heap of entries that know their index, the first in order
// at the top. The sort key lies beside the pointer: comparing touches no entry.
type heap[K comparable] struct{ slots []slot[K] }

type slot[K comparable] struct {
	rank  int64
	seq   uint64
	entry *entry[K]
}

func (a *slot[K]) before(b *slot[K]) bool {
	return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq
}

// top is the first in order; nil when the heap is empty.
func (h *heap[K]) top() *entry[K] {
	if len(h.slots) == 0 {
		return nil
	}
	return h.slots[0].entry
}

func (h *heap[K]) push(e *entry[K]) {
	e.index = len(h.slots)
	h.slots = append(h.slots, slot[K]{e.rank, e.seq, e})
	h.up(e.index)
}

func (h *heap[K]) remove(e *entry[K]) {
	i, last := e.index, len(h.slots)-1
	if i != last {
		h.swap(i, last)
	}
	h.slots[last] = slot[K]{}
	h.slots = h.slots[:last]
	if i != last && !h.up(i) {
		h.down(i)
	}
	h.shrink()
}

// fix puts an entry in order whose rank changed.
func (h *heap[K]) fix(e *entry[K]) {
	h.slots[e.index] = slot[K]{e.rank, e.seq, e}
	if !h.up(e.index) {
		h.down(e.index)
	}
}

func (h *heap[K]) swap(i, j int) {
	h.slots[i], h.slots[j] = h.slots[j], h.slots[i]
	h.slots[i].entry.index = i
	h.slots[j].entry.index = j
}

func (h *heap[K]) up(i int) (moved bool) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.slots[i].before(&h.slots[parent]) {
			break
		}
		h.swap(i, parent)
		i, moved = parent, true
	}
	return moved
}

func (h *heap[K]) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.slots); child++ {
			if h.slots[child].before(&h.slots[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		h.swap(i, least)
		i = least
	}
}

// shrink gives memory back after a burst. A half of what is left stays free,
// so that the next push does not grow it again.
func (h *heap[K]) shrink() {
	if cap(h.slots) <= smallSlice || len(h.slots) > cap(h.slots)/8 {
		return
	}
	h.slots = append(make([]slot[K], 0, max(2*len(h.slots), smallSlice)), h.slots...)
}
