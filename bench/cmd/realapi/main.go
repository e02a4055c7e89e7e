// Command realapi builds the real servers that tests run against, or runs
// them for a look.
//
//	realapi build [-old]               build and cache etcd, kine and kube-apiserver,
//	                                   with -old also kube-apiserver 1.34
//	realapi run [-kine] [-old] [FLAG…] run kube-apiserver until interrupted; further
//	                                   arguments are added to its command line
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
		return build(ctx, args[1:])
	case "run":
		return run(ctx, args[1:])
	}
	return fmt.Errorf("unknown command %q: say build or run", args[0])
}

func progress(line string) { fmt.Fprintln(os.Stderr, line) }

func build(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("realapi build", flag.ContinueOnError)
	old := flags.Bool("old", false, "build the old release of kube-apiserver too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	programs := realapi.Programs()
	if *old {
		programs = append(programs, realapi.OldKubeAPIServer)
	}
	for _, program := range programs {
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
	old := flags.Bool("old", false, "run the old release")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o := realapi.Options{Flags: flags.Args(), Progress: progress}
	if *onKine {
		o.Store = realapi.OnKine
	}
	if *old {
		o.Server = realapi.OldKubeAPIServer
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
