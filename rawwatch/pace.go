package rawwatch

import (
	"sync"
	"time"
)

// untilTick is how long it is to the next multiple of period. What is read in
// batches is read at the same ticks everywhere, so that the process wakes up
// once for all of it.
func untilTick(period time.Duration) time.Duration {
	period = max(1, period)
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
	since    time.Duration // when the first of the arrivals counted now came, or of the batches
	storm    time.Duration // when it became busy; 0 while it is calm
	lasted   time.Duration // how long it was busy the time before
	ended    time.Duration // when that had ceased
	bytes    int           // that have come after since
	each     int           // bytes of one arrival, the least of what was counted: some were several
	arrivals int32
	close    int32 // of them those that came soon after another
	batches  int32 // since arrivals were last counted
	trusted  int32 // batches for which that count holds
	busy     bool
}

// waited says that a wait has just ended.
func (p *pace) waited() { p.last = time.Since(begun) }

// calm says that there is nothing to wait for.
func (p *pace) calm() { p.calmSince(p.last) }

// calmSince is calm, when that is known late.
func (p *pace) calmSince(ended time.Duration) {
	if p.storm != 0 {
		p.lasted, p.ended = ended-p.storm, ended
	}
	*p = pace{last: p.last, lasted: p.lasted, ended: p.ended}
}

// delay is how long to wait, of at most longest: a fifth of it at first, so that a
// burst is not held up, and longer the longer the storm goes on. A server that
// stands still for a moment does not end a storm.
func (p *pace) delay(longest time.Duration) time.Duration {
	steps := min(1+(p.last-p.storm)/stormStep, stormSteps)
	return longest / stormSteps * steps
}

// arrived notes that a read has returned n bytes, which were left to gather before
// if waited says so.
func (p *pace) arrived(n int, waited bool) {
	now := time.Since(begun)
	gap := now - p.last
	p.last = now
	p.bytes += n
	switch {
	case p.storm != 0 && gap > calmGap && (waited || !p.busy):
		p.calmSince(now - gap)
	case waited:
		p.gathered(now)
	case gap >= sameArrival && !p.busy:
		// No time at all passes on the virtual time of testing/synctest, where
		// a delay would make the test wait for its clock.
		p.counted(now, gap)
	}
}

// paused reports whether what comes now belongs to a storm that has ended.
func (p *pace) paused(now time.Duration) bool { return p.lasted > 0 && now-p.ended < stormPause }

// gathered notes a batch. Data that was there already, or soon, shows that the delay
// is still worth it. The arrivals in it cannot be counted, but guessed from its bytes;
// when they have become too few, and now and then, they are counted anew, one by one:
// less and less often, since that costs as much as some seconds of batches.
func (p *pace) gathered(now time.Duration) {
	p.batches++
	if p.batches%guessBatches != 0 {
		return
	}
	few := time.Duration(p.bytes)*leftGap < time.Duration(p.each)*(now-p.since)
	p.since, p.bytes = now, 0
	if few || p.batches >= p.trusted {
		p.busy, p.arrivals = false, 0
	}
}

// counted notes an arrival that nothing has waited for.
func (p *pace) counted(now, gap time.Duration) {
	if p.arrivals == 0 {
		p.since, p.close, p.bytes = now, 0, 0
	} else if gap < closeGap {
		p.close++
	}
	if p.arrivals++; p.arrivals <= busyArrivals {
		return
	}
	mean := (now - p.since) / busyArrivals
	most := time.Duration(busyGap)
	if p.storm != 0 || p.paused(now) {
		most = leftGap
	}
	p.busy = mean < crowdGap || mean < most && p.close >= someClose
	if each := p.bytes / busyArrivals; p.storm == 0 || each < p.each {
		p.each = each
	}
	p.since, p.bytes, p.arrivals, p.batches = now, 0, 0, 0
	switch {
	case !p.busy:
		p.calm()
	case p.storm == 0:
		p.storm, p.trusted = now, busyBatches
		if p.paused(now) {
			p.storm = now - p.lasted
		}
	default:
		p.trusted = min(2*p.trusted, mostBatches)
	}
}
