// Command report measures rawwatch and its peers in one run against a real API
// server, and writes what came of it as results.json, README.md and plots.
//
//	go run ./cmd/report [-pods 10000] [-sizes 1000,3000,30000] [-runs 3]
//	go run ./cmd/report -quick
//	go run ./cmd/report -only life,latency -peers "protobuf struct,typed"
//	go run ./cmd/report -from report/results.json
//
// Each peer is a process of its own, and they take turns, A B C, A B C. What
// cannot be done here is said at once and stands in the report as skipped.
// Ctrl-C leaves a report of what is done. Linux only: memory is read from /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/rawwatch/rawwatch/bench/trial"
	"github.com/rawwatch/rawwatch/bench/trial/page"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := flags()
	flag.Parse()
	err := o.check()
	if err == nil {
		err = o.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// run makes a report, or a page of one that is there.
func (o *options) run(ctx context.Context) error {
	if o.from != "" {
		r, err := trial.Open(o.from)
		if err != nil {
			return err
		}
		return page.Write(o.out, r)
	}
	return o.measure(ctx)
}
