// Command rawwatch lists and watches Kubernetes resources: through server
// restarts, cut connections and expired histories, in little memory, with
// kubectl's flags.
//
//	rawwatch demo                          a watch coming through trouble, no cluster needed
//	rawwatch list pods -A -o json          one object per line, as it arrives
//	rawwatch watch deployments.apps        the state, then every change, for ever
//
// See docs/cli.md for what it prints and how it exits.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(runProcess()) }

// runProcess is run with this process's streams and signals.
func runProcess() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once, should the clean end hang.
	context.AfterFunc(ctx, stop)
	// A reader that has left is seen as EPIPE by the write, which ends the
	// command in order. Catching the signal, unlike ignoring it, is not
	// inherited by credential plugins.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
}
