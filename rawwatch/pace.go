package rawwatch

import (
	"sync"
	"time"
)

// untilTick is how long it is to the next multiple of period. What is read in
// batches is read at the same ticks everywhere, so that the process wakes up
// once for all of it.
func untilTick(period time.Duration) time.Duration {
	return period - time.Duration(time.Now().UnixNano()%int64(period))
}

// nap is a wait that can be cut short, with a timer that is kept. Its zero value
// is ready.
type nap struct{ timer *time.Timer }

func (n *nap) wait(d time.Duration, over, early <-chan struct{}) {
	if n.timer == nil {
		n.timer = time.NewTimer(d)
	} else {
		n.timer.Reset(d)
	}
	select {
	case <-n.timer.C:
		return
	case <-over:
	case <-early:
	}
	n.timer.Stop()
}

// beat wakes all who wait for something, each time that it happens. Its zero
// value is ready.
type beat struct {
	mu   sync.Mutex
	next chan struct{} // nil while nobody waits
}

func (b *beat) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *beat) strike() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// begun is what moments are counted from.
var begun = time.Now()

// pace tells whether data arrives so often that waiting for more is worth it, and
// for how long.
type pace struct {
	last     time.Duration // when the last read returned, or the wait before it ended, since begun
	since    time.Duration // when the first of the arrivals counted now came
	storm    time.Duration // when it became busy; 0 while it is calm
	arrivals int32
	close    int32 // of them those that came soon after another
	batches  int32 // since it was last asked whether it is busy
	busy     bool
}

// waited says that a wait has just ended.
func (p *pace) waited() { p.last = time.Since(begun) }

// calm says that there is nothing to wait for.
func (p *pace) calm() { *p = pace{last: p.last} }

// delay is how long to wait, of at most longest: a fifth of it at first, so that a
// burst is not held up, and longer the longer the storm goes on.
func (p *pace) delay(longest time.Duration) time.Duration {
	steps := min(1+(p.last-p.storm)/stormStep, stormSteps)
	return longest / stormSteps * steps
}

// arrived notes that a read has returned data, which was left to gather before
// if waited says so.
func (p *pace) arrived(waited bool) {
	now := time.Since(begun)
	gap := now - p.last
	p.last = now
	if waited {
		// Data that was there already, or soon, shows that the delay is still
		// worth it. What comes in a batch cannot be counted, so now and then it is
		// counted anew, one by one.
		if gap > calmGap {
			p.calm()
		} else if p.batches++; p.batches >= busyBatches {
			p.busy, p.batches, p.arrivals = false, 0, 0
		}
		return
	}
	if gap < sameArrival {
		// No time at all passes on the virtual time of testing/synctest, where
		// a delay would make the test wait for its clock.
		return
	}
	if p.arrivals == 0 {
		p.since, p.close = now, 0
	} else if gap < closeGap {
		p.close++
	}
	if p.arrivals++; p.arrivals <= busyArrivals {
		return
	}
	mean := (now - p.since) / busyArrivals
	p.arrivals = 0
	switch p.busy = mean < crowdGap || mean < busyGap && p.close >= someClose; {
	case !p.busy:
		p.storm = 0
	case p.storm == 0:
		p.storm = now
	}
}
