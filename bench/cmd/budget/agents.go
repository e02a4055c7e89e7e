package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/bench/fleet"
	"github.com/rawwatch/rawwatch/bench/usage"
)

// Numbers of pods, of runs for each median, and of changes.
const (
	pods      = 10_000
	manyPods  = 50_000
	runs      = 3
	updates   = 5_000
	agentTime = 2 * time.Minute // for one run of an agent
)

// program is an agent and how it is called.
type program struct {
	name   string
	binary string
	args   []string
}

var (
	protobufAgent = program{"protobuf", "agent", []string{"-encoding", "protobuf"}}
	jsonAgent     = program{"json", "agent", []string{"-encoding", "json"}}
	metadataAgent = program{"metadata", "agent", []string{"-as", "metadata"}}
	typedPeer     = program{"client-go", "typed", nil}
)

// agents measures whole processes against a server in this one.
func agents(ctx context.Context, full bool) (measurements, error) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		return nil, fmt.Errorf("memory is measured with Linux's /proc: %w", err)
	}
	folder, err := os.MkdirTemp("", "budget-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for _, name := range []string{"agent", "peer/typed"} {
		if err := build(ctx, ".", "./cmd/"+name, filepath.Join(folder, filepath.Base(name))); err != nil {
			return nil, err
		}
	}
	server, err := fleet.Start(pods)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	l := lab{folder: folder, server: server, m: measurements{}}
	if err := l.syncs(ctx); err != nil {
		return nil, err
	}
	if err := l.follow(ctx); err != nil {
		return nil, err
	}
	if full {
		err = l.many(ctx)
	}
	return l.m, err
}

// lab is where agents run.
type lab struct {
	folder string
	server *fleet.Fleet
	m      measurements
}

// syncs measures what the first state costs, the programs in turn.
func (l lab) syncs(ctx context.Context) error {
	all := []program{protobufAgent, jsonAgent, metadataAgent, typedPeer}
	reports := make([][]usage.Report, len(all))
	for range runs {
		for i, p := range all {
			r, err := l.sync(ctx, p)
			if err != nil {
				return err
			}
			reports[i] = append(reports[i], r)
		}
	}
	cpu := func(r usage.Report) float64 { return r.CPU.Seconds() }
	for i, p := range all[:3] {
		l.m["sync-"+p.name+"-rss"] = median(reports[i], func(r usage.Report) float64 { return float64(r.Peak) * 1024 })
		l.m["sync-"+p.name+"-wire"] = median(reports[i], func(r usage.Report) float64 { return float64(r.Received) / pods })
		l.m["sync-"+p.name+"-allocs"] = median(reports[i], func(r usage.Report) float64 { return float64(r.Mallocs) / pods })
		l.m["sync-"+p.name+"-cpu"] = median(reports[i], cpu) / median(reports[3], cpu)
	}
	return nil
}

// sync runs a program until it is in sync.
func (l lab) sync(ctx context.Context, p program) (usage.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, agentTime)
	defer cancel()
	a, err := l.start(ctx, p)
	if err != nil {
		return usage.Report{}, err
	}
	r, err := a.next()
	if err != nil {
		return r, err
	}
	if r.Objects != l.server.Pods {
		return r, fmt.Errorf("%s holds %d pods, want %d", p.name, r.Objects, l.server.Pods)
	}
	return r, a.cmd.Wait()
}

// follow measures what changes cost: two programs see the same ones.
func (l lab) follow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, agentTime)
	defer cancel()
	var before, after [2]usage.Report
	var running [2]*agent
	for i, p := range []program{protobufAgent, typedPeer} {
		p.args = append(slices.Clone(p.args), "-updates")
		var err error
		if running[i], err = l.start(ctx, p); err != nil {
			return err
		}
		if before[i], err = running[i].next(); err != nil {
			return err
		}
	}
	if err := l.server.Churn(updates, 1); err != nil {
		return err
	}
	if err := l.server.Mark(); err != nil {
		return err
	}
	for i, a := range running {
		var err error
		if after[i], err = a.next(); err != nil {
			return err
		}
		if err := a.cmd.Wait(); err != nil {
			return err
		}
		if after[i].Events < updates {
			return fmt.Errorf("%s saw %d changes of %d", a.name, after[i].Events, updates)
		}
	}
	l.m["updates-protobuf-rss"] = float64(after[0].Peak) * 1024
	l.m["updates-protobuf-wire"] = float64(after[0].Received-before[0].Received) / updates
	l.m["updates-protobuf-allocs"] = float64(after[0].Mallocs-before[0].Mallocs) / updates
	l.m["updates-protobuf-cpu"] = (after[0].CPU - before[0].CPU).Seconds() / (after[1].CPU - before[1].CPU).Seconds()
	return nil
}

// many measures the memory for many pods.
func (l lab) many(ctx context.Context) error {
	if err := l.server.Grow(manyPods); err != nil {
		return err
	}
	for _, p := range []program{protobufAgent, jsonAgent, metadataAgent} {
		r, err := l.sync(ctx, p)
		if err != nil {
			return err
		}
		l.m["many-"+p.name+"-rss"] = float64(r.Peak) * 1024
	}
	return nil
}

// agent is a program that runs.
type agent struct {
	name  string
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func (l lab) start(ctx context.Context, p program) (*agent, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(l.folder, p.binary), p.args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+l.server.Kubeconfig)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &agent{name: p.name, cmd: cmd, lines: bufio.NewScanner(out)}, cmd.Start()
}

// next waits for the program's next report.
func (a *agent) next() (usage.Report, error) {
	if !a.lines.Scan() {
		return usage.Report{}, fmt.Errorf("%s ended without a report: %w", a.name, a.cmd.Wait())
	}
	return usage.Parse(a.lines.Bytes())
}

func median(all []usage.Report, of func(usage.Report) float64) float64 {
	values := make([]float64, len(all))
	for i, r := range all {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
