//go:build linux

// Command constrained runs agents in little memory: each in a cgroup of 32, 48,
// 64 and 128 MB with a GOMEMLIMIT of 85 % of that, against a server with 10,000
// and 50,000 pods. It prints who comes into sync and who is killed.
//
//	go run ./cmd/constrained [-limits 32,48,64,128] [-pods 10000,50000] [-real] [-only five] [-json]
//
// Where no cgroup can be made, a watchdog kills what is resident above the limit;
// the output says which it was. The server is watchtest's, in this process;
// -real takes a real kube-apiserver, which needs some gigabytes for 50,000 pods.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/bench/cage"
	"github.com/rawwatch/rawwatch/bench/fleet"
	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/bench/usage"
)

// patience is how long an agent may take: one that has too little memory may
// collect garbage for ever.
const patience = 2 * time.Minute

// share of the limit that is GOMEMLIMIT, in percent. The rest is for what Go
// does not count: the program's own pages and the kernel's buffers.
const share = 85

func main() {
	cage.Enter()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	limits := flag.String("limits", "32,48,64,128", "MB (of 1024 KB) of memory, with commas between")
	pods := flag.String("pods", "10000,50000", "numbers of pods, rising")
	only := flag.String("only", "", "only agents whose name holds this")
	real := flag.Bool("real", false, "against a real API server")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if err := run(ctx, *limits, *pods, *only, *real, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "constrained:", err)
		os.Exit(1)
	}
}

// program is an agent.
type program struct {
	name, source string
	args         []string
}

var programs = []program{
	{"rawwatch, five fields, protobuf", "agent", []string{"-encoding", "protobuf"}},
	{"rawwatch, five fields, JSON", "agent", []string{"-encoding", "json"}},
	{"rawwatch, metadata only", "agent", []string{"-as", "metadata"}},
	{"client-go typed", "peer/typed", nil},
	{"client-go metadata", "peer/metadata", nil},
}

// row is one run.
type row struct {
	Agent    string        `json:"agent"`
	Pods     int           `json:"pods"`
	Limit    int64         `json:"limit"` // bytes
	By       cage.Kind     `json:"by"`
	Outcome  string        `json:"outcome"` // "in sync", "killed", or what else went wrong
	Charged  int64         `json:"charged"` // bytes, the most
	Resident int64         `json:"resident,omitempty"`
	CPU      time.Duration `json:"cpu,omitempty"`
	Wall     time.Duration `json:"wall"`
}

func run(ctx context.Context, limits, pods, only string, real, asJSON bool) (err error) {
	sizes, err := numbers(limits)
	if err != nil {
		return fmt.Errorf("-limits: %w", err)
	}
	counts, err := numbers(pods)
	if err != nil {
		return fmt.Errorf("-pods: %w", err)
	}
	folder, err := os.MkdirTemp("", "constrained-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, p := range programs {
		if err := build(ctx, p.source, folder); err != nil {
			return err
		}
	}
	s, err := serve(ctx, real)
	if err != nil {
		return err
	}
	defer s.close()
	var rows []row
	if asJSON { // what is done by then, if it ends early
		defer func() { err = errors.Join(err, encode(rows)) }()
	} else {
		fmt.Print("| pods | agent | limit MB | outcome | most charged MB | peak RSS MB | CPU s | s |\n|---|---|---|---|---|---|---|---|\n")
	}
	for _, n := range counts {
		fmt.Fprintf(os.Stderr, "loading %d pods\n", n)
		if err := s.grow(ctx, n); err != nil {
			return err
		}
		for _, p := range programs {
			if !strings.Contains(p.name, only) {
				continue
			}
			for _, mb := range sizes {
				r, err := try(ctx, p, folder, s.kubeconfig, n, int64(mb)<<20)
				if err != nil {
					return err
				}
				rows = append(rows, r)
				if !asJSON {
					fmt.Println(r)
				}
			}
		}
	}
	if asJSON || len(rows) == 0 {
		return nil
	}
	fmt.Printf("\nBounded by %s; GOMEMLIMIT is %d %% of the limit.\n", rows[0].By, share)
	return nil
}

func encode(rows []row) error {
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(rows)
}

func numbers(s string) (all []int, err error) {
	for _, part := range strings.Split(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || len(all) > 0 && n <= all[len(all)-1] {
			return nil, fmt.Errorf("%q: rising numbers with commas between", s)
		}
		all = append(all, n)
	}
	return all, nil
}

func build(ctx context.Context, source, folder string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary(folder, source), "./cmd/"+source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s (run this in the folder bench): %w\n%s", source, err, out)
	}
	return nil
}

func binary(folder, source string) string {
	return filepath.Join(folder, strings.ReplaceAll(source, "/", "-"))
}

// try runs one agent once.
func try(ctx context.Context, p program, folder, kubeconfig string, pods int, limit int64) (row, error) {
	c, err := cage.New(limit)
	if err != nil {
		return row{}, err
	}
	r := row{Agent: p.name, Pods: pods, Limit: limit, By: c.Kind()}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out, complaints strings.Builder
	env := []string{"KUBECONFIG=" + kubeconfig, fmt.Sprintf("GOMEMLIMIT=%d", limit*share/100)}
	begun := time.Now()
	o, err := c.Run(within, binary(folder, p.source), p.args, env, func(cmd *exec.Cmd) { cmd.Stdout, cmd.Stderr = &out, &complaints })
	r.Wall = time.Since(begun)
	if e := c.Close(); err == nil {
		err = e
	}
	if err != nil || ctx.Err() != nil {
		return r, cmp.Or(err, context.Cause(ctx))
	}
	r.Charged = o.Peak
	switch {
	case o.Killed:
		r.Outcome = "killed"
	case within.Err() != nil:
		r.Outcome = fmt.Sprintf("not in sync after %v", patience)
	case o.Err != nil:
		return r, fmt.Errorf("%s: %w\n%s", p.name, o.Err, complaints.String())
	default:
		report, err := usage.Parse([]byte(out.String()))
		if err != nil {
			return r, err
		}
		if report.Objects != pods {
			return r, fmt.Errorf("%s holds %d pods, want %d", p.name, report.Objects, pods)
		}
		r.Outcome, r.Resident, r.CPU = "in sync", report.Peak*1024, report.CPU
	}
	return r, nil
}

// String is a line of the table.
func (r row) String() string {
	resident, cpu := "–", "–"
	if r.Resident > 0 {
		resident, cpu = fmt.Sprintf("%.1f", float64(r.Resident)/(1<<20)), fmt.Sprintf("%.2f", r.CPU.Seconds())
	}
	return fmt.Sprintf("| %d | %s | %d | %s | %.1f | %s | %s | %.1f |",
		r.Pods, r.Agent, r.Limit>>20, r.Outcome, float64(r.Charged)/(1<<20), resident, cpu, r.Wall.Seconds())
}

// server is what the agents talk to.
type server struct {
	kubeconfig string
	grow       func(ctx context.Context, pods int) error
	close      func()
}

func serve(ctx context.Context, real bool) (*server, error) {
	if !real {
		f, err := fleet.Start(0)
		if err != nil {
			return nil, err
		}
		return &server{f.Kubeconfig, func(_ context.Context, pods int) error { return f.Grow(pods) }, f.Close}, nil
	}
	cluster, err := realapi.Launch(ctx, realapi.Options{Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return nil, err
	}
	s := &server{close: func() { _ = cluster.Close() }}
	if s.kubeconfig, err = cluster.WriteKubeconfig("kubeconfig", cluster.Config()); err != nil {
		s.close()
		return nil, err
	}
	loaded := 0
	s.grow = func(ctx context.Context, pods int) error {
		from := loaded
		loaded = pods
		return load.Pods(ctx, cluster.Direct(), from, pods)
	}
	return s, nil
}
