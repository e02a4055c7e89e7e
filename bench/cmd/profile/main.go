// Command profile profiles rawwatch alone, in a process of its own, at one job,
// and prints the heads of the profiles.
//
//	go run ./cmd/profile -job sync|churn|idle|relist [-pods 10000] [-out FOLDER]
//
//	sync    the first state, again and again
//	churn   changes of pods, told to a subscriber
//	relist  the server has forgotten its history: all is listed again, again and again
//	idle    watches on which nothing happens
//
// The folder then has cpu.pprof, heap.pprof (what is live, after a collection),
// allocs.pprof, and the program that they are of. The server is watchtest's, in
// this process.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/rawwatch/rawwatch/bench/fleet"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// Sizes of the jobs.
const (
	syncs   = 20
	changes = 50_000
	relists = 8
	watches = 1000
	patches = 500 // before each relist
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	job := flag.String("job", "", "sync, churn, idle or relist")
	pods := flag.Int("pods", 10_000, "pods on the server")
	out := flag.String("out", "", "folder for the profiles; a new temporary one when empty")
	nodes := flag.Int("lines", 25, "lines of each profile that are printed")
	role := flag.Bool("role", false, "used by the command itself: be the process that is profiled")
	flag.Parse()
	var err error
	if *role {
		err = work(ctx, *job, *out)
	} else {
		err = watch(ctx, *job, *pods, *out, *nodes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(1)
	}
}

// watch runs the job in a process of its own, and prints what it has written.
func watch(ctx context.Context, job string, pods int, folder string, lines int) error {
	drive, ok := drives[job]
	if !ok {
		return fmt.Errorf("-job %q: sync, churn, idle or relist (make profile JOB=…)", job)
	}
	var err error
	if folder == "" {
		folder, err = os.MkdirTemp("", "profile-"+job+"-")
	} else {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return err
	}
	binary := filepath.Join(folder, "program")
	// Not the running program: go run removes that one.
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/profile").CombinedOutput(); err != nil {
		return fmt.Errorf("building (run this in the folder bench): %w\n%s", err, out)
	}
	server, err := fleet.Start(pods)
	if err != nil {
		return err
	}
	defer server.Close()
	if err := child(ctx, server, binary, job, folder, drive); err != nil {
		return err
	}
	for _, p := range []struct{ name, sample string }{{"cpu", "cpu"}, {"heap", "inuse_space"}, {"allocs", "alloc_space"}} {
		file := filepath.Join(folder, p.name+".pprof")
		fmt.Printf("\n=== %s: go tool pprof %s %s\n", p.name, binary, file)
		cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-sample_index="+p.sample, fmt.Sprintf("-nodecount=%d", lines), binary, file)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

// child starts the process, has the server do what the job needs once it is
// ready, and ends it.
func child(ctx context.Context, server *fleet.Fleet, binary, job, folder string, drive func(context.Context, *fleet.Fleet) error) error {
	cmd := exec.CommandContext(ctx, binary, "-role", "-job", job, "-out", folder)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+server.Kubeconfig)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // until it is ready
		return errors.Join(err, cmd.Wait())
	}
	err = drive(ctx, server)
	_ = in.Close() // the sign to end
	_, _ = io.Copy(io.Discard, out)
	return errors.Join(err, cmd.Wait())
}

// drives are what happens on the server while a job runs.
var drives = map[string]func(context.Context, *fleet.Fleet) error{
	"sync": func(context.Context, *fleet.Fleet) error { return nil },
	"idle": func(context.Context, *fleet.Fleet) error { return nil },
	"churn": func(_ context.Context, f *fleet.Fleet) error {
		if err := f.Churn(changes, 1); err != nil {
			return err
		}
		return f.Mark()
	},
	"relist": func(ctx context.Context, f *fleet.Fleet) error {
		all := watchtest.Selector{}
		for round := range relists {
			// Changes that no watch is told of, and a history without them.
			f.Freeze(all)
			if err := f.Churn(patches, 1+round); err != nil {
				return err
			}
			f.Compact(f.Advance(1))
			f.CutWatches(all, watchtest.Truncate)
			if err := f.AwaitWatches(ctx, all, 1); err != nil {
				return err
			}
		}
		return f.Mark()
	},
}
