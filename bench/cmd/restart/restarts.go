package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/trial"
)

// contestant is one way to be in sync again.
type contestant struct {
	name    string
	program string
	args    []string
	resumes bool // from a copy of the checkpoint
	results []result
	decoded int64 // bytes
}

// result is one run, to its sync.
type result struct {
	wire             int64 // bytes
	readable, synced float64
	cpu              float64 // seconds
}

// restarts measures each contestant: once to count the bytes after unpacking,
// which also warms up, then for the rest.
func (m *measurement) restarts(ctx context.Context) error {
	all := []*contestant{
		{name: "rawwatch, from its checkpoint", program: m.agent, resumes: true},
		{name: "rawwatch, without", program: m.agent},
		{name: "client-go, typed informer", program: m.peer},
	}
	for run := range m.runs + 1 {
		for _, c := range all {
			progress(fmt.Sprintf("restart %d of %d: %s", run, m.runs, c.name))
			if err := m.restart(ctx, c, run); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	if err := m.beyond(ctx, &all); err != nil {
		return err
	}
	fmt.Fprintf(m.text, "started again after %d of %d pods have changed; median (min–max) of %d runs\n\n", m.changed, m.pods, m.runs)
	fmt.Fprintln(m.text, "| agent | through the wire, KB | after unpacking, KB | CPU, ms | readable after, ms | in sync after, ms |")
	fmt.Fprintln(m.text, "|---|--:|--:|--:|--:|--:|")
	for _, c := range all {
		readable := "–"
		if c.resumes {
			readable = c.show(func(r result) float64 { return r.readable * 1000 }, "%.0f")
		}
		fmt.Fprintf(m.text, "| %s | %s | %.0f | %s | %s | %s |\n", c.name, c.show(func(r result) float64 { return float64(r.wire) / 1e3 }, "%.0f"), float64(c.decoded)/1e3,
			c.show(func(r result) float64 { return r.cpu * 1000 }, "%.0f"), readable, c.show(func(r result) float64 { return r.synced * 1000 }, "%.0f"))
	}
	for _, c := range all {
		m.job.Contestants = append(m.job.Contestants, c.forReport())
	}
	ours, theirs := all[0], all[2]
	wire := func(r result) float64 { return float64(r.wire) }
	m.limits.add("bytes after unpacking, part of client-go's", float64(ours.decoded)/float64(theirs.decoded)*100, 2, "%")
	m.limits.add("bytes through the wire, part of client-go's", ours.median(wire)/theirs.median(wire)*100, 30, "%")
	cpu := func(r result) float64 { return r.cpu }
	m.limits.add("CPU to the sync, part of client-go's", ours.median(cpu)/theirs.median(cpu)*100, 10, "%")
	return nil
}

// forReport is the contestant's part of a report.
func (c *contestant) forReport() trial.ContestantResult {
	r := trial.ContestantResult{Name: c.name}
	for _, one := range c.results {
		f := trial.Figures{
			"restart_wire_mb": float64(one.wire) / 1e6, "restart_decoded_mb": float64(c.decoded) / 1e6,
			"restart_cpu_s": one.cpu, "restart_s": one.synced,
		}
		if c.resumes {
			f["restart_readable_s"] = one.readable
		}
		r.Runs = append(r.Runs, trial.Outcome{Figures: f})
	}
	return r
}

// beyond adds the agent whose server no longer has the history.
func (m *measurement) beyond(ctx context.Context, all *[]*contestant) error {
	if _, err := m.cluster.Compact(ctx); err != nil {
		return err
	}
	if err := m.cluster.Restart(ctx); err != nil {
		return err
	}
	c := &contestant{name: "rawwatch, from its checkpoint, beyond the server's history", program: m.agent, resumes: true}
	for run := range m.runs + 1 {
		if err := m.restart(ctx, c, run); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	*all = append(*all, c)
	return nil
}

func (m *measurement) restart(ctx context.Context, c *contestant, run int) error {
	config := m.cluster.Config()
	counter, err := faultnet.NewCounter(strings.TrimPrefix(config.Server, "https://"))
	if err != nil {
		return err
	}
	defer counter.Close()
	config.Server = "https://" + counter.Address()
	kubeconfig, err := m.cluster.WriteKubeconfig("counted", config)
	if err != nil {
		return err
	}
	args := c.args
	if run == 0 {
		args = append(args, "-decoded")
	}
	if c.resumes {
		file := filepath.Join(m.folder, "run.ckpt")
		if err := copyFile(file, m.saved); err != nil {
			return err
		}
		args = append(args, "-checkpoint", file)
		if m.profile != "" && run > 0 {
			args = append(args, "-cpuprofile", filepath.Join(m.profile, fmt.Sprintf("resumed-%d-%d.pprof", len(c.name), run)))
		}
	}
	p, err := start(ctx, kubeconfig, c.program, args...)
	if err != nil {
		return err
	}
	var r result
	if c.resumes {
		first, err := p.next("readable")
		if err != nil {
			return err
		}
		if first.Objects != m.pods {
			return fmt.Errorf("%d pods can be read at first, want %d", first.Objects, m.pods)
		}
		r.readable = first.after.Seconds()
	}
	last, err := p.next("sync")
	if err != nil {
		return err
	}
	r.wire, r.synced, r.cpu = counter.Received(), last.after.Seconds(), last.CPU.Seconds()
	if last.Objects != m.pods {
		return fmt.Errorf("%d pods, want %d", last.Objects, m.pods)
	}
	if run == 0 {
		c.decoded = last.Decoded
	} else {
		c.results = append(c.results, r)
	}
	return p.end()
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
