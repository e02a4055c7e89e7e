// Command soak lets rawwatch follow a busy API server for a long time and
// watches the process itself: heap after a collection, resident memory,
// goroutines and file descriptors. Pods change, go and come at a steady rate,
// every connection is cut every few seconds, etcd is compacted, and the API
// server is killed now and then.
//
//	go run ./cmd/soak [-minutes 60] [-pods 500] [-rate 100]
//
// It prints a line a minute, and fails when a figure rises over the run. Linux
// only.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := options{}
	flag.IntVar(&o.minutes, "minutes", 60, "how long")
	flag.IntVar(&o.pods, "pods", 500, "pods that are there")
	flag.IntVar(&o.rate, "rate", 100, "changes a second")
	flag.DurationVar(&o.cut, "cut", 10*time.Second, "time between two cuts of all connections")
	flag.DurationVar(&o.kill, "kill", 3*time.Minute, "time between two kills of the API server")
	flag.Parse()
	if err := soak(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

type options struct {
	minutes, pods, rate int
	cut, kill           time.Duration
}

// minMinutes is how few lines a slope may be judged by.
const minMinutes = 5

func soak(ctx context.Context, o options) error {
	if o.minutes < minMinutes || o.pods < 1 || o.rate < 1 || o.cut <= 0 || o.kill <= 0 {
		return fmt.Errorf("-minutes %d: %d at the least; -pods, -rate, -cut and -kill: above zero", o.minutes, minMinutes)
	}
	cluster, err := realapi.Launch(ctx, realapi.Options{Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := load.Pods(ctx, cluster.Direct(), 0, o.pods); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	network := new(faultnet.Network)
	f, err := follow(ctx, cluster.Config(), network)
	if err != nil {
		cancel()
		return err
	}
	var working sync.WaitGroup
	working.Go(func() { churn(ctx, cluster.Direct(), o) })
	working.Go(func() { trouble(ctx, cluster, network, o) })
	lines, err := record(ctx, o.minutes, f)
	cancel()
	working.Wait()
	f.close()
	if err != nil {
		return err
	}
	return judge(lines)
}

// record prints a line for each minute.
func record(ctx context.Context, minutes int, f *followers) ([]line, error) {
	fmt.Println(header)
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	var lines []line
	for len(lines) < minutes {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		l := read(len(lines)+1, f)
		fmt.Println(l)
		lines = append(lines, l)
	}
	return lines, nil
}
