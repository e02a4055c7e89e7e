package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/bench/usage"
)

const informerHeader = `| pods | agent | to sync: CPU s, median (min–max) | peak RSS MB, median (min–max) | received MB | updates: CPU s | RSS after MB |
|---|---|---|---|---|---|---|
`

// floorName is the program that keeps nothing: it has no state to sync.
const floorName = "the floor: golang.org/x/net/http2, read and dropped"

// buildInformers builds the agents that keep pods.
func buildInformers(ctx context.Context, folder string) ([]job, error) {
	jobs := []job{
		{name: "rawwatch, five fields, protobuf", binary: "agent", args: []string{"-as", "five", "-encoding", "protobuf"}},
		{name: "rawwatch, five fields, JSON", binary: "agent", args: []string{"-as", "five", "-encoding", "json"}},
		{name: "rawwatch, metadata only", binary: "agent", args: []string{"-as", "metadata"}},
		{name: "rawwatch, five fields, protobuf, LinkMetered", binary: "agent", args: []string{"-as", "five", "-link", "metered"}},
		{name: "rawwatch, five fields, protobuf, one page", binary: "agent", args: []string{"-as", "five", "-page", "-1"}},
		{name: "rawwatch, five fields, protobuf, LinkLAN", binary: "agent", args: []string{"-as", "five", "-link", "lan"}},
		{name: "rawwatch, five fields, protobuf, initial stream", binary: "agent", args: []string{"-as", "five", "-stream"}},
		{name: floorName, binary: "watch"},
		{name: "client-go typed", binary: "peer", args: []string{"-as", "typed"}},
		{name: "client-go dynamic", binary: "peer", args: []string{"-as", "dynamic"}},
		{name: "client-go metadata", binary: "peer", args: []string{"-as", "metadata"}},
	}
	_, err := buildPrograms(ctx, folder, jobs, map[string][2]string{"agent": {".", "./cmd/agent"}, "peer": {".", "./cmd/peer"}, "watch": {".", "./floor/watch"}})
	return jobs, err
}

// compare runs the agents in turn to their sync, then each of them through a round
// of updates, and prints a row for each.
func (m *measurement) compare(ctx context.Context, jobs []job, cluster *realapi.Cluster, kubeconfig string, pods int) error {
	if err := listSizes(ctx, cluster); err != nil {
		return err
	}
	synced := make([][]usage.Report, len(jobs))
	for round := range m.runs + 1 {
		for i, j := range jobs {
			reports, err := startAgent(ctx, j, kubeconfig)
			if err != nil {
				return err
			}
			r, err := reports.next()
			if err == nil {
				err = reports.end()
			}
			if err == nil && r.Objects != pods && j.name != floorName {
				err = fmt.Errorf("%s holds %d pods, want %d", j.name, r.Objects, pods)
			}
			if err != nil {
				return err
			}
			if round > 0 { // the first round warms up
				synced[i] = append(synced[i], r)
			}
		}
	}
	updated, err := m.update(ctx, jobs, cluster, kubeconfig, pods)
	if err != nil {
		return err
	}
	for i, j := range jobs {
		cpu := spread(synced[i], func(r usage.Report) float64 { return r.CPU.Seconds() })
		peak := spread(synced[i], func(r usage.Report) float64 { return float64(r.Peak) / 1024 })
		received := spread(synced[i], func(r usage.Report) float64 { return float64(r.Received) / 1e6 })
		fmt.Printf("| %d | %s | %.2f (%.2f–%.2f) | %.1f (%.1f–%.1f) | %.2f |", pods, j.name, cpu[1], cpu[0], cpu[2], peak[1], peak[0], peak[2], received[1])
		if updated == nil {
			fmt.Println(" – | – |")
			continue
		}
		fmt.Printf(" %.2f | %.1f |\n", updated[i].CPU.Seconds(), float64(updated[i].Resident)/1024)
	}
	return nil
}

// listSizes prints what the server sends for the whole list, by itself.
func listSizes(ctx context.Context, cluster *realapi.Cluster) error {
	for _, form := range []struct{ name, accept, encoding string }{
		{"JSON", "application/json", "identity"},
		{"JSON, gzip", "application/json", "gzip"},
		{"protobuf", "application/vnd.kubernetes.protobuf", "identity"},
		{"protobuf, gzip", "application/vnd.kubernetes.protobuf", "gzip"},
	} {
		resp, err := cluster.Direct().Open(ctx, http.MethodGet, "/api/v1/pods", http.Header{"Accept": {form.accept}, "Accept-Encoding": {form.encoding}}, nil)
		if err != nil {
			return err
		}
		size, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return err
		}
		progress(fmt.Sprintf("the list as one body, %s: %.2f MB", form.name, float64(size)/1e6))
	}
	return nil
}

// update gives what the updates cost each agent; nil when there are none. They
// follow them alone, one after another, as fast as the server takes them: with
// other programs beside it each would see fewer in a second, and pay more for each.
func (m *measurement) update(ctx context.Context, jobs []job, cluster *realapi.Cluster, kubeconfig string, pods int) ([]usage.Report, error) {
	if m.updates == 0 {
		return nil, nil
	}
	costs := make([]usage.Report, len(jobs))
	for i, j := range jobs {
		j.args = append(append([]string(nil), j.args...), "-updates")
		var err error
		if costs[i], err = m.follow(ctx, j, cluster, kubeconfig, pods); err != nil {
			return nil, err
		}
	}
	return costs, nil
}

// follow lets one agent follow the updates.
func (m *measurement) follow(ctx context.Context, j job, cluster *realapi.Cluster, kubeconfig string, pods int) (cost usage.Report, err error) {
	a, err := startAgent(ctx, j, kubeconfig)
	if err != nil {
		return cost, err
	}
	before, err := a.next()
	if err != nil {
		return cost, err
	}
	begin := time.Now()
	if err := load.Steady(ctx, cluster.Direct(), pods, m.written, m.updates, m.perSecond); err != nil {
		return cost, err
	}
	m.written += m.updates
	took := time.Since(begin)
	if err := load.Marker(ctx, cluster.Direct(), usage.Marker); err != nil {
		return cost, err
	}
	after, err := a.next()
	if err == nil {
		err = a.end()
	}
	if err != nil {
		return cost, err
	}
	cost = usage.Report{CPU: after.CPU - before.CPU, Resident: after.Resident, Events: after.Events}
	progress(fmt.Sprintf("%s: %d updates in %.1f s, %.0f in a second, for %.2f s of CPU", j.name, m.updates, took.Seconds(), float64(m.updates)/took.Seconds(), cost.CPU.Seconds()))
	return cost, load.RemoveMarker(ctx, cluster.Direct(), usage.Marker)
}

// agent is a program that reports what it has used.
type agent struct {
	name  string
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startAgent(ctx context.Context, j job, kubeconfig string) (*agent, error) {
	cmd := exec.CommandContext(ctx, j.binary, j.args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &agent{name: j.name, cmd: cmd, lines: bufio.NewScanner(out)}, cmd.Start()
}

// next waits for the next report.
func (a *agent) next() (usage.Report, error) {
	if !a.lines.Scan() {
		return usage.Report{}, fmt.Errorf("%s ended without a report: %w", a.name, a.cmd.Wait())
	}
	return usage.Parse(a.lines.Bytes())
}

func (a *agent) end() error {
	if err := a.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	return nil
}
