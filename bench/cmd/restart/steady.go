package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/trial"
	"github.com/rawwatch/rawwatch/bench/usage"
)

// offline measures the time until an agent can be read whose server cannot be
// reached.
func (m *measurement) offline(ctx context.Context) error {
	config := m.cluster.Config()
	nobody, err := net.Listen("tcp", "127.0.0.1:0") // a port on which nobody listens any more
	if err != nil {
		return err
	}
	config.Server = "https://" + nobody.Addr().String()
	if err := nobody.Close(); err != nil {
		return err
	}
	kubeconfig, err := m.cluster.WriteKubeconfig("nowhere", config)
	if err != nil {
		return err
	}
	var times, cpu []float64
	for run := range m.runs + 1 {
		file := filepath.Join(m.folder, "run.ckpt")
		if err := copyFile(file, m.saved); err != nil {
			return err
		}
		p, err := start(ctx, kubeconfig, m.agent, "-checkpoint", file, "-until", "readable")
		if err != nil {
			return err
		}
		r, err := p.next("readable")
		if err == nil && r.Objects != m.pods {
			err = fmt.Errorf("without a network %d pods can be read, want %d", r.Objects, m.pods)
		}
		if err == nil {
			err = p.end()
		}
		if err != nil {
			return err
		}
		if run > 0 {
			times, cpu = append(times, r.after.Seconds()*1000), append(cpu, r.CPU.Seconds()*1000)
		}
	}
	offline := trial.ContestantResult{Name: "rawwatch, from its checkpoint, without a network"}
	for i := range times {
		offline.Runs = append(offline.Runs, trial.Outcome{Figures: trial.Figures{"restart_readable_s": times[i] / 1000, "restart_cpu_s": cpu[i] / 1000}})
	}
	m.job.Contestants = append(m.job.Contestants, offline)
	_, median, _ := spread(times)
	fmt.Fprintf(m.text, "\nwithout a network, %d pods of five fields can be read %s ms after the start, for %s ms of CPU\n", m.pods, show(times, "%.0f"), show(cpu, "%.0f"))
	m.limits.add("time until the state can be read without a network", median, 150, "ms")
	return nil
}

// follower is an agent that follows the updates, and what that has cost.
type follower struct {
	name  string
	args  []string
	saves bool

	process          *process
	before           report
	cpu              []float64
	steady, freed    []float64
	written, payload []float64
}

// steady lets agents with and without a checkpoint follow the same updates, side
// by side.
func (m *measurement) steady(ctx context.Context) error {
	if m.updates == 0 {
		return nil
	}
	kubeconfig, err := m.cluster.WriteKubeconfig("kubeconfig", m.cluster.Config())
	if err != nil {
		return err
	}
	with := &follower{name: "with a checkpoint", saves: true}
	noting := &follower{name: "with a checkpoint, for a subscriber with a state of its own", args: []string{"-changes-only"}, saves: true}
	without := &follower{name: "without"}
	all := []*follower{with, noting, without}
	for run := range m.runs {
		progress(fmt.Sprintf("%d updates, run %d of %d", m.updates, run+1, m.runs))
		if err := m.follow(ctx, kubeconfig, run, all); err != nil {
			return err
		}
	}
	fmt.Fprintf(m.text, "\nthrough %d updates at %s; median (min–max) of %d runs\n\n", m.updates, "the default interval", m.runs)
	fmt.Fprintln(m.text, "| agent | RssAnon after, KiB | the same, free pages given back | CPU, ms | payload, B/event | written, B/event |")
	fmt.Fprintln(m.text, "|---|--:|--:|--:|--:|--:|")
	for _, f := range all {
		payload, written := "–", "–"
		if f.saves {
			payload, written = show(f.payload, "%.0f"), show(f.written, "%.0f")
		}
		fmt.Fprintf(m.text, "| %s | %s | %s | %s | %s | %s |\n", f.name, show(f.steady, "%.0f"), show(f.freed, "%.0f"), show(f.cpu, "%.0f"), payload, written)
	}
	ratio := func(a, b []float64) float64 {
		_, x, _ := spread(a)
		_, y, _ := spread(b)
		return x / y
	}
	for _, f := range all[:2] {
		m.limits.add(f.name+": bytes written, part of the payload", ratio(f.written, f.payload)*100, 150, "%")
		m.limits.add(f.name+": RssAnon more than without", (ratio(f.steady, without.steady)-1)*100, 10, "%")
		m.limits.add(f.name+": the same, free pages given back", (ratio(f.freed, without.freed)-1)*100, 10, "%")
	}
	return nil
}

// follow is one run of all of them.
func (m *measurement) follow(ctx context.Context, kubeconfig string, run int, all []*follower) (err error) {
	for i, f := range all {
		args := append([]string{"-until", "updates"}, f.args...)
		if f.saves {
			args = append(args, "-checkpoint", filepath.Join(m.folder, fmt.Sprintf("steady%d-%d.ckpt", run, i)))
		}
		if f.process, err = start(ctx, kubeconfig, m.agent, args...); err != nil {
			return err
		}
	}
	for _, f := range all {
		if f.saves {
			if _, err := f.process.next("readable"); err != nil {
				return err
			}
		}
		if _, err := f.process.next("sync"); err != nil {
			return err
		}
		if f.before, err = f.process.next("saved"); err != nil {
			return err
		}
	}
	const unpaced = 1_000_000
	first := (1 + run) * (m.pods + m.updates) // each run writes what was never written
	if err := load.Steady(ctx, m.cluster.Direct(), m.pods, first, m.updates, unpaced); err != nil {
		return err
	}
	if err := load.Marker(ctx, m.cluster.Direct(), usage.Marker); err != nil {
		return err
	}
	for _, f := range all {
		after, err := f.process.next("updates")
		if err != nil {
			return err
		}
		freed, err := f.process.next("freed")
		if err != nil {
			return err
		}
		f.add(after, freed)
		if err := f.process.end(); err != nil {
			return err
		}
	}
	return load.RemoveMarker(ctx, m.cluster.Direct(), usage.Marker)
}

func (f *follower) add(after, freed report) {
	events := float64(after.Events)
	f.cpu = append(f.cpu, (after.CPU-f.before.CPU).Seconds()*1000)
	f.steady = append(f.steady, float64(after.Anonymous))
	f.freed = append(f.freed, float64(freed.Anonymous))
	f.written = append(f.written, float64(after.Written-f.before.Written)/events)
	f.payload = append(f.payload, float64(after.Payload-f.before.Payload)/events)
}
