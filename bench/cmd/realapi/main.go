// Command realapi builds the real servers that tests run against, or runs
// them for a look.
//
//	realapi build               build and cache etcd, kine and kube-apiserver
//	realapi run [-kine] [FLAG…] run kube-apiserver until interrupted; further
//	                            arguments are added to its command line
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "realapi:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("say build or run")
	}
	switch args[0] {
	case "build":
		return build(ctx)
	case "run":
		return run(ctx, args[1:])
	}
	return fmt.Errorf("unknown command %q: say build or run", args[0])
}

func progress(line string) { fmt.Fprintln(os.Stderr, line) }

func build(ctx context.Context) error {
	for _, program := range realapi.Programs() {
		path, err := realapi.Build(ctx, program, progress)
		if err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("realapi run", flag.ContinueOnError)
	onKine := flags.Bool("kine", false, "keep the objects in SQLite through kine")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o := realapi.Options{Flags: flags.Args(), Progress: progress}
	if *onKine {
		o.Store = realapi.OnKine
	}
	c, err := realapi.Launch(ctx, o)
	if err != nil {
		return err
	}
	defer c.Close()
	path, err := c.WriteKubeconfig("kubeconfig", c.Config())
	if err != nil {
		return err
	}
	fmt.Printf("export KUBECONFIG=%s\n", path)
	progress("ready; interrupt to end it")
	<-ctx.Done()
	return nil
}
