// Command measure runs rawwatch and client-go as whole processes against the
// same real API server with the same pods, several times in turn, and prints
// their binary size, CPU time and peak resident memory as a table.
//
//	go run ./cmd/measure [-pods 1000,10000] [-runs 5]
//	go run ./cmd/measure -informers [-pods 10000] [-runs 5] [-updates 20000]
//
// Peak memory is VmHWM of /proc, read every two milliseconds while the process
// runs, so this needs Linux.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	counts := flag.String("pods", "1000,10000", "numbers of pods, rising, with commas between")
	runs := flag.Int("runs", 5, "counted runs of each program for each number")
	informers := flag.Bool("informers", false, "compare agents that keep objects, in each encoding, in place of the command line")
	updates := flag.Int("updates", 20000, "with -informers: updates after the sync; 0 for none")
	perSecond := flag.Int("rate", 1_000_000, "with -informers: updates in a second, at most; as a rule the server takes fewer")
	only := flag.String("only", "", "with -informers: only agents whose name ends in one of these, with slashes between")
	flag.Parse()
	m := measurement{only: *only, informers: *informers, updates: *updates, perSecond: *perSecond, runs: *runs}
	if err := m.measure(ctx, *counts); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// measurement is what the flags ask for.
type measurement struct {
	only          string
	informers     bool
	updates, runs int
	perSecond     int
	written       int // updates so far
}

func (m *measurement) measure(ctx context.Context, counts string) error {
	numbers, err := parseCounts(counts)
	if err != nil {
		return err
	}
	if m.runs < 1 {
		return fmt.Errorf("-runs %d: at least one", m.runs)
	}
	folder, err := os.MkdirTemp("", "measure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	build, header := buildJobs, header
	if m.informers {
		build, header = buildInformers, informerHeader
	}
	jobs, err := build(ctx, folder)
	if err != nil {
		return err
	}
	jobs = slices.DeleteFunc(jobs, func(j job) bool { return m.informers && !m.wanted(j.name) })
	cluster, err := realapi.Launch(ctx, realapi.Options{Progress: progress})
	if err != nil {
		return err
	}
	defer cluster.Close()
	kubeconfig, err := cluster.WriteKubeconfig("kubeconfig", cluster.Config())
	if err != nil {
		return err
	}
	fmt.Print(header)
	loaded := 0
	for _, n := range numbers {
		progress(fmt.Sprintf("loading %d pods", n-loaded))
		if err := load.Pods(ctx, cluster.Direct(), loaded, n); err != nil {
			return err
		}
		loaded = n
		if m.informers {
			err = m.compare(ctx, jobs, cluster, kubeconfig, n)
		} else {
			err = table(ctx, jobs, kubeconfig, n, m.runs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wanted says whether an agent is among those asked for.
func (m *measurement) wanted(name string) bool {
	for _, end := range strings.Split(m.only, "/") {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

func parseCounts(s string) ([]int, error) {
	var all []int
	for _, part := range strings.Split(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || len(all) > 0 && n <= all[len(all)-1] {
			return nil, fmt.Errorf("-pods %q: rising numbers with commas between, such as 1000,10000", s)
		}
		all = append(all, n)
	}
	return all, nil
}

func progress(line string) { fmt.Fprintln(os.Stderr, line) }
