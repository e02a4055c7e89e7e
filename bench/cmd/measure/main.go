// Command measure runs rawwatch and client-go as whole processes against the
// same real API server with the same pods, several times in turn, and prints
// their binary size, CPU time and peak resident memory as a table.
//
//	go run ./cmd/measure [-pods 1000,10000] [-runs 5]
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
	flag.Parse()
	if err := measure(ctx, *counts, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, counts string, runs int) error {
	numbers, err := parseCounts(counts)
	if err != nil {
		return err
	}
	if runs < 1 {
		return fmt.Errorf("-runs %d: at least one", runs)
	}
	folder, err := os.MkdirTemp("", "measure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	jobs, err := buildJobs(ctx, folder)
	if err != nil {
		return err
	}
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
		if err := table(ctx, jobs, kubeconfig, n, runs); err != nil {
			return err
		}
	}
	return nil
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
