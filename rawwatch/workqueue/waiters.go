package workqueue

// spareWaiters is how many waiters are kept for the next callers.
const spareWaiters = 64

// waiter is one caller of Get that found nothing.
type waiter struct {
	woken chan struct{} // holds one token
	index int           // in waiters.idle; -1 when not there
}

// waiters are the callers of Get that sleep. To be woken is a hint: the caller
// looks again, and sleeps again if another was faster. The one that fell asleep
// last is woken first, its stack is still warm.
type waiters struct {
	idle  []*waiter
	spare []*waiter
}

func (w *waiters) enlist() *waiter {
	var one *waiter
	if last := len(w.spare) - 1; last >= 0 {
		one = w.spare[last]
		w.spare = w.spare[:last]
	} else {
		one = &waiter{woken: make(chan struct{}, 1)}
	}
	one.index = len(w.idle)
	w.idle = append(w.idle, one)
	return one
}

// wake wakes one, if there is one.
func (w *waiters) wake() {
	if last := len(w.idle) - 1; last >= 0 {
		one := w.idle[last]
		w.leave(one)
		one.woken <- struct{}{}
	}
}

func (w *waiters) wakeAll() {
	for len(w.idle) > 0 {
		w.wake()
	}
}

// leave takes one out; false when it was woken meanwhile.
func (w *waiters) leave(one *waiter) bool {
	if one.index < 0 {
		return false
	}
	last := len(w.idle) - 1
	w.idle[one.index] = w.idle[last]
	w.idle[one.index].index = one.index
	w.idle[last] = nil
	w.idle = w.idle[:last]
	one.index = -1
	return true
}

// recycle keeps a waiter that is in no list and whose token is taken.
func (w *waiters) recycle(one *waiter) {
	if len(w.spare) < spareWaiters {
		w.spare = append(w.spare, one)
	}
}
