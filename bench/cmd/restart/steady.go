package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"github.com/rawwatch/rawwatch/bench/load"
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
	_, median, _ := spread(times)
	fmt.Printf("\nwithout a network, %d pods of five fields can be read %s ms after the start, for %s ms of CPU\n", m.pods, show(times, "%.0f"), show(cpu, "%.0f"))
	m.limits.add("time until the state can be read without a network", median, 150, "ms")
	return nil
}

// cost is what an agent has used for the updates.
type cost struct{ cpu, steady, freed, written, payload []float64 }

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
	var with, without cost
	for run := range m.runs {
		progress(fmt.Sprintf("%d updates, run %d of %d", m.updates, run+1, m.runs))
		file := filepath.Join(m.folder, fmt.Sprintf("steady%d.ckpt", run))
		if err := m.follow(ctx, kubeconfig, file, &with, &without); err != nil {
			return err
		}
	}
	fmt.Printf("\nthrough %d updates at %s; median (min–max) of %d runs\n\n", m.updates, "the default interval", m.runs)
	fmt.Println("| agent | RssAnon after, KiB | the same, free pages given back | CPU, ms | payload, B/event | written, B/event |")
	fmt.Println("|---|--:|--:|--:|--:|--:|")
	fmt.Printf("| with a checkpoint | %s | %s | %s | %s | %s |\n", show(with.steady, "%.0f"), show(with.freed, "%.0f"), show(with.cpu, "%.0f"), show(with.payload, "%.0f"), show(with.written, "%.0f"))
	fmt.Printf("| without | %s | %s | %s | – | – |\n", show(without.steady, "%.0f"), show(without.freed, "%.0f"), show(without.cpu, "%.0f"))
	ratio := func(a, b []float64) float64 {
		_, x, _ := spread(a)
		_, y, _ := spread(b)
		return x / y
	}
	m.limits.add("bytes written, part of the payload", ratio(with.written, with.payload)*100, 150, "%")
	m.limits.add("RssAnon more than without a checkpoint", (ratio(with.steady, without.steady)-1)*100, 10, "%")
	m.limits.add("the same, free pages given back", (ratio(with.freed, without.freed)-1)*100, 10, "%")
	return nil
}

func (m *measurement) follow(ctx context.Context, kubeconfig, file string, with, without *cost) error {
	a, err := start(ctx, kubeconfig, m.agent, "-until", "updates", "-checkpoint", file)
	if err != nil {
		return err
	}
	b, err := start(ctx, kubeconfig, m.agent, "-until", "updates")
	if err != nil {
		return err
	}
	if _, err := a.next("readable"); err != nil {
		return err
	}
	before := map[*process]report{}
	for _, p := range []*process{a, b} {
		if _, err = p.next("sync"); err != nil {
			return err
		}
		if before[p], err = p.next("saved"); err != nil {
			return err
		}
	}
	if err := load.Churn(ctx, m.cluster.Direct(), m.pods, m.updates); err != nil {
		return err
	}
	if err := load.Marker(ctx, m.cluster.Direct(), usage.Marker); err != nil {
		return err
	}
	for p, c := range map[*process]*cost{a: with, b: without} {
		after, err := p.next("updates")
		if err != nil {
			return err
		}
		freed, err := p.next("freed")
		if err != nil {
			return err
		}
		c.add(before[p], after, freed)
		if err := p.end(); err != nil {
			return err
		}
	}
	return load.RemoveMarker(ctx, m.cluster.Direct(), usage.Marker)
}

func (c *cost) add(before, after, freed report) {
	events := float64(after.Events)
	c.cpu = append(c.cpu, (after.CPU-before.CPU).Seconds()*1000)
	c.steady = append(c.steady, float64(after.Anonymous))
	c.freed = append(c.freed, float64(freed.Anonymous))
	c.written = append(c.written, float64(after.Written-before.Written)/events)
	c.payload = append(c.payload, float64(after.Payload-before.Payload)/events)
}
