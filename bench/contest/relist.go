package contest

import (
	"context"
	"fmt"
	"time"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/usage"
)

// relist makes the history that the program watches from expire, and measures
// what it does then. Its peak is of that alone: the kernel counts anew.
func (l *living) relist(ctx context.Context) error {
	if err := pause(ctx, rest); err != nil {
		return err
	}
	steady, _, err := l.child.memory()
	if err != nil {
		return err
	}
	if err := forgetPeak(l.child.pid()); err != nil {
		return err
	}
	begun, err := l.arena.expire(ctx, l.door)
	if err != nil {
		return err
	}
	before := l.last.CPU // all since: it does nothing else meanwhile
	l.door.counter.Release()
	// The first marker is in what is listed. The second comes when the program
	// watches again, and so after all that it has listed.
	for range 2 {
		if l.last, err = l.marker(ctx, l.arena.name(usage.Marker)); err != nil {
			return err
		}
	}
	took := time.Since(begun)
	if err := pause(ctx, rest/2); err != nil { // a peak that comes with tidying up counts too
		return err
	}
	_, peak, err := l.child.memory()
	if err != nil {
		return err
	}
	wire := float64(l.door.counter.Received()-l.wire) / 1e6
	f := l.outcome.Figures
	if wire < f["sync_wire_mb"]/4 {
		return fmt.Errorf("only %.2f MB came after the expiry, after %.2f MB for the first sync: it has not listed again", wire, f["sync_wire_mb"])
	}
	f["relist_steady_mb"], f["relist_peak_mb"], f["relist_peak_ratio"] = steady, peak, peak/steady
	f["relist_cpu_s"], f["relist_s"], f["relist_wire_mb"] = (l.last.CPU - before).Seconds(), took.Seconds(), wire
	return nil
}

// expire cuts the door off, changes things, and makes the server forget. It
// returns when the server is back; the door is still held.
func (a *Arena) expire(ctx context.Context, d door) (back time.Time, err error) {
	d.counter.Hold()
	if err := load.Steady(ctx, a.cluster.Direct(), a.pods, a.changed, missed, a.PerSecond); err != nil {
		return back, err
	}
	a.changed += missed
	if _, err := a.cluster.Compact(ctx); err != nil {
		return back, err
	}
	err = a.cluster.Restart(ctx)
	return time.Now(), err
}
