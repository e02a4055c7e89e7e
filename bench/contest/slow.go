package contest

import (
	"context"
	"fmt"
	"net/url"
	"sync"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/trial"
)

// The slow link: toxiproxy counts bandwidth in thousands of bytes a second.
const (
	slowKilobytes    = 125 // 1 Mbit/s
	slowMilliseconds = 100
)

// Slow is a first sync through a slow link, with the compression that each peer
// asks for by itself or, plain, with none. Every program has a link of its own,
// and all begin at once: the link is what they wait for, not the processor.
func (a *Arena) Slow(pods int, plain bool) trial.Job {
	name, how := "slow", "with the compression that each asks for by itself"
	if plain {
		name, how = "slow-plain", "with none of it compressed"
	}
	j := trial.Job{
		Name: name, Size: pods, Runs: 1,
		What: fmt.Sprintf("A first sync of %d pods through a link of 1 Mbit/s with %d ms of delay on what the server sends, %s: "+
			"seconds, and bytes on the wire. All begin at once, each on a link of its own.", pods, slowMilliseconds, how),
	}
	var all []*slowly
	for _, p := range a.peers {
		s := &slowly{peer: p, done: make(chan struct{})}
		if plain {
			s.more = p.Plain
		}
		all = append(all, s)
		j.Contestants = append(j.Contestants, trial.Contestant{Name: p.Name, Skip: p.Skip, Run: s.wait})
	}
	var running sync.WaitGroup
	j.Prepare = func(ctx context.Context) error {
		if err := a.Load(ctx, pods); err != nil {
			return err
		}
		for _, s := range all {
			if s.peer.Skip != "" {
				continue
			}
			l, proxy, err := a.slowLink(ctx)
			if s.err = err; err != nil {
				close(s.done)
				continue
			}
			running.Go(func() {
				defer close(s.done)
				defer proxy.Close()
				s.outcome, s.err = l.sync(ctx, s.peer, s.more)
			})
		}
		return nil
	}
	j.Finish = running.Wait
	return j
}

// slowly is one program at the end of a slow link.
type slowly struct {
	peer    Peer
	more    []string
	done    chan struct{} // closed when the rest is there
	outcome trial.Outcome
	err     error
}

func (s *slowly) wait(ctx context.Context, _ int) (trial.Outcome, error) {
	select {
	case <-s.done:
		return s.outcome, s.err
	case <-ctx.Done():
		return trial.Outcome{}, context.Cause(ctx)
	}
}

// slowDoor is a way to the server that is slow.
type slowDoor struct {
	arena *Arena
	door  door
}

// slowLink makes a slow way to the server. It is not for concurrent use, but
// what it returns is.
func (a *Arena) slowLink(ctx context.Context) (s slowDoor, proxy *faultnet.Proxy, err error) {
	server, err := url.Parse(a.cluster.Config().Server)
	if err != nil {
		return s, nil, err
	}
	if proxy, err = faultnet.NewProxy(server.Host); err != nil {
		return s, nil, err
	}
	for _, t := range []faultnet.Toxic{
		{Type: "bandwidth", Attributes: map[string]int{"rate": slowKilobytes}},
		{Type: "latency", Attributes: map[string]int{"latency": slowMilliseconds}},
	} {
		if err := proxy.Ail(ctx, t); err != nil {
			proxy.Close()
			return s, nil, err
		}
	}
	d, err := a.open(proxy.Address())
	if err != nil {
		proxy.Close()
		return s, nil, err
	}
	return slowDoor{a, d}, proxy, nil
}

// sync waits for the sync of a peer behind the door, and closes it.
func (s slowDoor) sync(ctx context.Context, p Peer, more []string) (trial.Outcome, error) {
	l, err := s.arena.liveBehind(ctx, s.door, p, more...)
	if err != nil {
		return trial.Outcome{}, err
	}
	defer l.end()
	f := l.outcome.Figures
	return trial.Outcome{Figures: trial.Figures{"slow_s": f["sync_s"], "slow_wire_mb": f["sync_wire_mb"]}}, nil
}
