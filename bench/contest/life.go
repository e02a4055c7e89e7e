package contest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/trial"
	"github.com/rawwatch/rawwatch/bench/usage"
)

// rest is how long a program is left alone before its steady memory is read.
const rest = 500 * time.Millisecond

// missed is how many changes are made while a program is cut off.
const missed = 50

// Sync is the first sync of so many pods.
func (a *Arena) Sync(pods, runs int) trial.Job {
	return trial.Job{
		Name: fmt.Sprintf("sync-%d", pods), Group: "sync", Size: pods, Runs: runs,
		What:    fmt.Sprintf("A first sync of %d pods, in a process of its own, up to the moment when its handler has seen them all.", pods),
		Prepare: func(ctx context.Context) error { return a.Load(ctx, pods) },
		Contestants: a.each(func(p Peer) trial.Contestant {
			return trial.Contestant{Run: func(ctx context.Context, _ int) (trial.Outcome, error) {
				l, err := a.live(ctx, p)
				if err != nil {
					return trial.Outcome{}, err
				}
				defer l.end()
				return l.outcome, nil
			}}
		}),
	}
}

// Life is a first sync of so many pods, a time of steady changes, and a relist
// after the history has expired, in one process.
func (a *Arena) Life(pods, runs int) trial.Job {
	return trial.Job{
		Name: "life", Group: "sync", Size: pods, Runs: runs,
		What: fmt.Sprintf("One process with %d pods: the first sync; then %d changes of single pods, at most %d a second; then, while the program is cut off, "+
			"%d changes, a restart of the server and a compaction of its store, so that what it watched from has expired and it gets everything anew. "+
			"Its memory is read from outside every %v.", pods, a.Updates, a.PerSecond, missed, every),
		Prepare: func(ctx context.Context) error { return a.Load(ctx, pods) },
		Contestants: a.each(func(p Peer) trial.Contestant {
			return trial.Contestant{Note: a.limits(p), Run: func(ctx context.Context, run int) (trial.Outcome, error) { return a.life(ctx, p, run) }}
		}),
	}
}

// each makes a contestant of each peer.
func (a *Arena) each(of func(Peer) trial.Contestant) []trial.Contestant {
	var all []trial.Contestant
	for _, p := range a.peers {
		c := of(p)
		c.Name, c.Skip = p.Name, p.Skip
		all = append(all, c)
	}
	return all
}

// life does the whole of it. Of a run's series only the first run's is kept.
func (a *Arena) life(ctx context.Context, p Peer, run int) (trial.Outcome, error) {
	if p.NoResume != "" {
		if err := a.changes(ctx, gentleBefore, a.PerSecond); err != nil {
			return trial.Outcome{}, err
		}
	}
	l, err := a.live(ctx, p)
	if err != nil {
		return trial.Outcome{}, err
	}
	defer l.end()
	err = l.churn(ctx)
	gone := p.NoResume != "" && errors.Is(err, errEnded)
	if err != nil && !gone {
		return trial.Outcome{}, err
	}
	if gone {
		l.outcome.Note = "its changes were not measured, since it ended meanwhile, with exit status 0 and no message: " + p.NoResume
	}
	if p.NoRelist == "" && !gone {
		if err := l.relist(ctx); err != nil {
			return trial.Outcome{}, fmt.Errorf("relist: %w", err)
		}
	}
	l.outcome.Marks["end"] = round(time.Since(l.child.began).Seconds(), 100)
	if series := l.end(); run == 0 {
		l.outcome.Series = map[string][]trial.Point{"rss_mb": series}
	}
	return l.outcome, nil
}

// living is a program that is in sync, with what it has cost so far.
type living struct {
	arena   *Arena
	door    door
	child   *child
	sampler *sampler
	last    usage.Report
	wire    int64
	outcome trial.Outcome
}

// live starts a peer and waits for its sync. The caller ends it.
func (a *Arena) live(ctx context.Context, p Peer) (*living, error) {
	d, err := a.open("")
	if err != nil {
		return nil, err
	}
	return a.liveBehind(ctx, d, p)
}

// liveBehind is live behind a door that is there already, and closes it.
func (a *Arena) liveBehind(ctx context.Context, d door, p Peer, more ...string) (*living, error) {
	c, err := a.start(ctx, p, d.kubeconfig, a.pods, append(append([]string(nil), p.Follow...), more...)...)
	if err != nil {
		d.counter.Close()
		return nil, err
	}
	l := &living{arena: a, door: d, child: c, sampler: sample(c.pid())}
	if err := l.sync(ctx); err != nil {
		l.end()
		return nil, err
	}
	return l, nil
}

// end stops the program, once, and gives its memory over time.
func (l *living) end() []trial.Point {
	if l.child == nil {
		return nil
	}
	l.child.stop()
	l.child = nil
	l.door.counter.Close()
	return l.sampler.stop()
}

func (l *living) sync(ctx context.Context) error {
	r, err := l.child.await(ctx, "sync")
	if err != nil {
		return err
	}
	took := time.Since(l.child.began).Seconds()
	if r.Objects != l.arena.pods {
		return fmt.Errorf("in sync with %d pods, there are %d", r.Objects, l.arena.pods)
	}
	l.last, l.wire = r, l.door.counter.Received()
	l.outcome = trial.Outcome{
		Figures: trial.Figures{
			"sync_s": took, "sync_cpu_s": r.CPU.Seconds(), "sync_peak_mb": float64(r.Peak) / 1024,
			"sync_wire_mb": float64(l.wire) / 1e6,
		},
		Marks: trial.Figures{"synced": round(took, 100)},
	}
	return nil
}

// marker makes a pod by which the program is known to have seen everything
// before it, and takes it away.
func (l *living) marker(ctx context.Context, name string) (usage.Report, error) {
	direct := l.arena.cluster.Direct()
	if err := load.Marker(ctx, direct, name); err != nil {
		return usage.Report{}, err
	}
	r, err := l.child.await(ctx, name)
	return r, errors.Join(err, load.RemoveMarker(ctx, direct, name))
}

// changes writes the next n changes.
func (a *Arena) changes(ctx context.Context, n, perSecond int) error {
	first := a.changed
	a.changed += n
	return load.Steady(ctx, a.cluster.Direct(), a.pods, first, n, perSecond)
}

func (l *living) churn(ctx context.Context) error {
	if err := pause(ctx, rest); err != nil {
		return err
	}
	resident, _, err := l.child.memory()
	if err != nil {
		return err
	}
	n, pace := l.arena.churnOf(l.child.peer)
	if err := l.arena.changes(ctx, n, pace); err != nil {
		return err
	}
	r, err := l.marker(ctx, l.arena.name(usage.Marker))
	if err != nil {
		return err
	}
	wire := l.door.counter.Received()
	f, changes := l.outcome.Figures, float64(n)
	f["synced_rss_mb"] = resident
	f["churn_cpu_s_per_1000"] = (r.CPU - l.last.CPU).Seconds() / changes * 1000
	f["churn_rss_mb"] = float64(r.Resident) / 1024
	f["churn_wire_bytes_per_event"] = float64(wire-l.wire) / changes
	f["churn_events_seen"] = float64(r.Events)
	if r.Mallocs > 0 {
		f["churn_allocs_per_event"] = float64(r.Mallocs-l.last.Mallocs) / changes
		f["churn_alloc_bytes_per_event"] = float64(r.Allocated-l.last.Allocated) / changes
	}
	l.outcome.Marks["churned"] = round(time.Since(l.child.began).Seconds(), 100)
	l.last, l.wire = r, wire
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
