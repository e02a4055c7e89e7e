// Command baselines runs the root module's micro-benchmarks and holds them
// against what they took before, as multiples of a reference loop in the same
// run: SHA-256 over one recorded pod, in this process, before and after each
// package. Such a ratio means the same on a busy machine and on another one.
//
//	go run ./cmd/baselines [-only decode] [-bench PATTERN] [-time 50ms] [-count 3]
//	go run ./cmd/baselines -write    # store what was measured in baselines.json
//
// It fails when something takes more than -margin times what is stored.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rawwatch/rawwatch/bench/fleet"
)

// file is where the ratios are stored, in the folder bench.
const file = "baselines.json"

// packages have micro-benchmarks of what is hot: framing, metadata and plans;
// the machine and the index; checkpoints; store and subscribers; selectors; the
// queue.
var packages = []string{"decode", "resume", "resume/checkpoint", "rawwatch", "rawwatch/selector", "rawwatch/workqueue"}

type flags struct {
	only, pattern, time string
	count               int
	margin              float64
	write               bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	testing.Init()
	var f flags
	flag.StringVar(&f.only, "only", "", "only this package, such as decode")
	flag.StringVar(&f.pattern, "bench", ".", "benchmarks, as go test -bench has it; those of memory are left out, they report no time")
	flag.StringVar(&f.time, "time", "50ms", "time for each, as -benchtime has it")
	flag.IntVar(&f.count, "count", 3, "runs of each, of which the fastest counts")
	flag.Float64Var(&f.margin, "margin", 3, "how many times the stored ratio is too much")
	flag.BoolVar(&f.write, "write", false, "store what is measured; what is not measured stays")
	flag.Parse()
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "baselines:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) error {
	pod, err := os.ReadFile(fleet.Template)
	if err != nil {
		return fmt.Errorf("run this in the folder bench: %w", err)
	}
	stored, err := read()
	if err != nil {
		return err
	}
	measured := map[string]float64{}
	for _, p := range packages {
		if f.only != "" && p != f.only {
			continue
		}
		if err := measure(ctx, f, p, pod, measured); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if len(measured) == 0 {
		return fmt.Errorf("no benchmark is asked for: -only %q -bench %q", f.only, f.pattern)
	}
	slow := tell(stored, measured, f.margin)
	if f.write {
		maps.Copy(stored, measured)
		text, err := json.MarshalIndent(stored, "", "  ")
		if err != nil {
			return err
		}
		return os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if len(slow) > 0 {
		return fmt.Errorf("more than %g times the stored ratio: %s", f.margin, strings.Join(slow, ", "))
	}
	return nil
}

func read() (map[string]float64, error) {
	stored := map[string]float64{}
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return stored, nil
	}
	if err != nil {
		return nil, err
	}
	return stored, json.Unmarshal(text, &stored)
}

// tell prints what was measured and returns the names of what is too slow.
func tell(stored, measured map[string]float64, margin float64) (slow []string) {
	for _, name := range slices.Sorted(maps.Keys(measured)) {
		now, before := measured[name], stored[name]
		switch {
		case before == 0:
			fmt.Printf("%-60s %10.4g  new\n", name, now)
		default:
			fmt.Printf("%-60s %10.4g  %.2f times the stored\n", name, now, now/before)
			if now > margin*before {
				slow = append(slow, name)
			}
		}
	}
	return slow
}

// measure runs a package's benchmarks between two runs of the reference.
func measure(ctx context.Context, f flags, name string, pod []byte, into map[string]float64) error {
	folder, err := os.MkdirTemp("", "baselines-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, "./"+name)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	one := reference(pod)
	cmd = exec.CommandContext(ctx, program, "-test.run", "^$", "-test.bench", f.pattern, "-test.skip", "Memory", "-test.benchtime", f.time, "-test.count", fmt.Sprint(f.count))
	cmd.Dir = filepath.Join("..", name)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	one = math.Min(one, reference(pod))
	for bench, ns := range fastest(out.String()) {
		into[name+"/"+bench] = ns / one
	}
	return nil
}

// reference is the nanoseconds of one SHA-256 over the pod; the fastest of some.
func reference(pod []byte) float64 {
	best := math.Inf(1)
	for range 3 {
		r := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				sha256.Sum256(pod)
			}
		})
		best = math.Min(best, float64(r.T.Nanoseconds())/float64(r.N))
	}
	return best
}
