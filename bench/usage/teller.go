package usage

import (
	"context"
	"flag"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Teller is the voice of a measured program: it prints a report when the
// program is in sync, and one for each marker that comes. Make it with [Flags].
// It is safe for concurrent use.
type Teller struct {
	// Received counts what came through the program's connections.
	Received atomic.Int64
	// Arrived, when not nil, says at each report what came beside Received. Set it
	// before the first one.
	Arrived func() int64
	// Decoded counts the bytes of answers after unpacking, where CountDecoded is
	// set and [CountBodies] is asked to.
	Decoded      atomic.Int64
	CountDecoded bool

	updates, follow, arrivals bool

	mu      sync.Mutex // guards all below
	synced  bool
	count   func() int // of the objects held; set with synced
	events  int        // since the sync
	arrived []Arrival
	err     error
	ended   chan struct{}
}

// Flags registers the flags that all measured programs have, and returns the
// teller that they adjust. Call it before flag.Parse.
func Flags() *Teller {
	t := &Teller{ended: make(chan struct{})}
	flag.BoolVar(&t.updates, "updates", false, "go on after the sync, until the marker comes")
	flag.BoolVar(&t.follow, "follow", false, "go on after the sync, for ever, with a report for each marker")
	flag.BoolVar(&t.arrivals, "arrivals", false, "with -follow: reports say when each event since the one before has come")
	flag.BoolVar(&t.CountDecoded, "decoded", false, "count the bytes of answers after unpacking, where the program can")
	return t
}

// Follows reports whether the program is to go on after its sync.
func (t *Teller) Follows() bool { return t.updates || t.follow }

// Event is told of each object that is added or modified.
func (t *Teller) Event(name, version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events++
	if t.arrivals && t.synced {
		t.arrived = append(t.arrived, Arrival{version, Now()})
	}
	if !t.synced || !strings.HasPrefix(name, Marker) {
		return
	}
	phase := name
	if t.updates {
		phase = "updates"
	}
	t.print(phase)
	if t.updates {
		t.end()
	}
}

// Synced is told once that the first state is complete. count gives the objects
// that are held, now and at each report to come; it is called with the teller
// locked. All of the first state's objects have been given to Event by then, if
// any are. It prints a report.
func (t *Teller) Synced(count func() int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.synced, t.count = true, count
	t.events = 0
	t.print("sync")
	return t.err
}

// print is called with mu held.
func (t *Teller) print(phase string) {
	r := Report{Phase: phase, Objects: t.count(), Events: t.events, Received: t.Received.Load(), Decoded: t.Decoded.Load(), Arrivals: t.arrived}
	if t.Arrived != nil {
		r.Received += t.Arrived()
	}
	if err := print(r); err != nil && t.err == nil {
		t.err = err
		t.end()
	}
	t.arrived = t.arrived[:0]
}

func (t *Teller) end() {
	select {
	case <-t.ended:
	default:
		close(t.ended)
	}
}

// Told reports whether the program has told all that it was asked for.
func (t *Teller) Told() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// Wait returns when the program has told all that it was asked for: at once
// after the sync, with the marker, or never before the context ends.
func (t *Teller) Wait(ctx context.Context) error {
	if !t.Follows() {
		return nil
	}
	select {
	case <-t.ended:
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Now is the machine's monotonic clock, the same for all processes.
func Now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return time.Now().UnixNano()
	}
	return t.Nano()
}
