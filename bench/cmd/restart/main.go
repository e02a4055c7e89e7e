// Command restart measures what a checkpoint is for, beside client-go, which has
// to list again: an agent is started anew after one in a hundred of the pods has
// changed. It prints the bytes that go through a proxy to each program, those
// bytes after unpacking, the CPU time, and the time from its start to its sync;
// the time until an agent without a network can be read; and what a checkpoint
// costs while 20,000 updates come: bytes written, and memory.
//
//	go run ./cmd/restart [-pods 10000] [-changed 100] [-updates 20000] [-runs 5] [-json]
//
// With -json it is a job of the command report: the updates are left out.
//
// Times are those of whole processes, from fork to the line that says so. They
// depend on what else the machine does; bytes do not, CPU time hardly.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/bench/trial"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var m measurement
	flag.IntVar(&m.pods, "pods", 10_000, "number of pods")
	flag.IntVar(&m.changed, "changed", 100, "how many of them change while nobody watches")
	flag.IntVar(&m.updates, "updates", 20_000, "updates by which the cost of a checkpoint is measured")
	flag.IntVar(&m.runs, "runs", 5, "runs of each program")
	flag.StringVar(&m.profile, "cpuprofile", "", "folder for CPU profiles of the resumed agents; \"\" for none")
	asJSON := flag.Bool("json", false, "print what is measured of the restarts as JSON, and nothing else")
	flag.Parse()
	m.text = os.Stdout
	if *asJSON {
		m.text, m.updates = io.Discard, 0
	}
	if err := m.measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "restart:", err)
		os.Exit(1)
	}
	if *asJSON {
		if err := json.NewEncoder(os.Stdout).Encode(m.job); err != nil {
			fmt.Fprintln(os.Stderr, "restart:", err)
			os.Exit(1)
		}
	}
}

// measurement is what the flags ask for, and what it needs.
type measurement struct {
	pods, changed, updates, runs int
	profile                      string

	folder      string
	agent, peer string // programs
	cluster     *realapi.Cluster
	saved       string // the checkpoint of before the changes
	limits      limits
	text        io.Writer // where the tables go
	job         trial.JobResult
}

func (m *measurement) measure(ctx context.Context) (err error) {
	if m.folder, err = os.MkdirTemp("", "restart-"); err != nil {
		return err
	}
	defer os.RemoveAll(m.folder)
	if m.agent, err = m.build(ctx, "./cmd/restart/agent"); err != nil {
		return err
	}
	if m.peer, err = m.build(ctx, "./cmd/peer/typed"); err != nil {
		return err
	}
	if m.cluster, err = realapi.Launch(ctx, realapi.Options{Progress: progress}); err != nil {
		return err
	}
	defer m.cluster.Close()
	progress(fmt.Sprintf("loading %d pods", m.pods))
	if err := load.Pods(ctx, m.cluster.Direct(), 0, m.pods); err != nil {
		return err
	}
	if err := m.prepare(ctx); err != nil {
		return err
	}
	m.job = trial.JobResult{Name: "restart", Size: m.pods, What: fmt.Sprintf(
		"A process starts again after %d of %d pods have changed: from a checkpoint, or by listing, as client-go has to; also when the server's history is gone, and when there is no network.", m.changed, m.pods)}
	for _, step := range []func(context.Context) error{m.restarts, m.offline, m.steady} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := m.limits.print(m.text); err != nil && m.text != io.Discard {
		return err
	}
	return nil
}

// build builds a program, stripped.
func (m *measurement) build(ctx context.Context, source string) (string, error) {
	path := filepath.Join(m.folder, filepath.Base(source))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s (run restart in the folder bench): %w\n%s", source, err, out)
	}
	return path, nil
}

// prepare leaves a checkpoint of all pods, then changes some of them.
func (m *measurement) prepare(ctx context.Context) error {
	m.saved = filepath.Join(m.folder, "saved.ckpt")
	kubeconfig, err := m.cluster.WriteKubeconfig("kubeconfig", m.cluster.Config())
	if err != nil {
		return err
	}
	p, err := start(ctx, kubeconfig, m.agent, "-checkpoint", m.saved)
	if err != nil {
		return err
	}
	for _, phase := range []string{"readable", "sync"} {
		if _, err := p.next(phase); err != nil {
			return err
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	if m.changed == 0 {
		return nil
	}
	return load.Churn(ctx, m.cluster.Direct(), m.changed, m.changed)
}

func progress(line string) { fmt.Fprintln(os.Stderr, line) }
