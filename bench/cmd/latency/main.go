// Command latency measures how long a change takes from the API server's
// acknowledgement of the write to the consumer of a watch. rawwatch, in both
// encodings, and client-go's informers take turns on the same server with the
// same pods and the same writes.
//
//	go run ./cmd/latency [-writes 2000] [-rounds 5] [-pods 200]
//
// A figure can be negative: the watch cache may tell its watchers before the
// writer has read its answer.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	writes := flag.Int("writes", 2000, "writes that each consumer sees in each round")
	rounds := flag.Int("rounds", 5, "rounds over the consumers")
	pods := flag.Int("pods", 200, "pods of 7.7 KB that are there, and written in turn")
	pause := flag.Duration("pause", 5*time.Millisecond, "rest of the writer between two writes; the watch counts as busy, and is read in batches, from 500 writes in a second on")
	flag.Parse()
	if err := measure(ctx, *writes, *rounds, *pods, *pause); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, writes, rounds, pods int, pause time.Duration) error {
	if writes < 1 || rounds < 1 || pods < 1 {
		return fmt.Errorf("-writes %d, -rounds %d, -pods %d: at least one of each", writes, rounds, pods)
	}
	cluster, err := realapi.Launch(ctx, realapi.Options{Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := load.Pods(ctx, cluster.Direct(), 0, pods); err != nil {
		return err
	}
	consumers := []consumer{
		{name: "rawwatch ListWatch, JSON", follow: ownJSON},
		{name: "rawwatch ListWatch, protobuf", follow: ownProtobuf},
		{name: "client-go dynamic informer, JSON", follow: dynamicInformer},
		{name: "client-go typed informer, protobuf", follow: typedInformer},
	}
	w := &writer{direct: cluster.Direct(), pods: pods, pause: pause}
	for round := range rounds + 1 {
		for i := range consumers {
			latencies, err := consumers[i].run(ctx, cluster.Config(), w, writes)
			if err != nil {
				return fmt.Errorf("%s: %w", consumers[i].name, err)
			}
			if round > 0 { // the first round warms up
				consumers[i].latencies = append(consumers[i].latencies, latencies...)
			}
		}
	}
	fmt.Println("| consumer | events | p50 | p99 | p99.9 | max |\n|---|---|---|---|---|---|")
	for _, c := range consumers {
		slices.Sort(c.latencies)
		fmt.Printf("| %s | %d | %s | %s | %s | %s |\n", c.name, len(c.latencies),
			c.quantile(0.5), c.quantile(0.99), c.quantile(0.999), c.quantile(1))
	}
	return nil
}

// quantile of the sorted latencies, in milliseconds.
func (c consumer) quantile(q float64) string {
	i := min(int(q*float64(len(c.latencies))), len(c.latencies)-1)
	return fmt.Sprintf("%.3f ms", c.latencies[i].Seconds()*1000)
}
