//go:build linux

// Package cage runs a program in bounded memory: in a memory cgroup of its own,
// or, where none can be made, under a watchdog that reads its resident memory.
// It never uses a limit of the address space: Go reserves much more of that than
// it uses.
package cage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Kind is how memory is bounded.
type Kind string

// The kinds of cages.
const (
	V2       Kind = "cgroup v2"
	V1       Kind = "cgroup v1"
	Watchdog Kind = "watchdog on RSS"
)

// enter is the environment variable that makes a program go into a cgroup, whose
// folder it holds, before it becomes the one that was asked for.
const enter = "CAGE_ENTER"

// Cage bounds the memory of one program at a time.
type Cage struct {
	kind  Kind
	group string // its folder; "" with Watchdog
	limit int64
}

// New makes a cage of so many bytes. Close it.
func New(limit int64) (*Cage, error) {
	for _, k := range []Kind{V2, V1} {
		group, err := makeGroup(k, limit)
		if err == nil {
			return &Cage{kind: k, group: group, limit: limit}, nil
		}
	}
	return &Cage{kind: Watchdog, limit: limit}, nil
}

// Kind says how it bounds memory.
func (c *Cage) Kind() Kind { return c.kind }

// Outcome is what became of a program.
type Outcome struct {
	// Killed: it wanted more memory than there was.
	Killed bool
	// Peak is the most that was charged to it, in bytes: all of its cgroup, or
	// its resident memory as the watchdog has seen it.
	Peak int64
	// Err is how it ended otherwise; nil when it ended well.
	Err error
}

// Run runs the command to its end. The context's end kills it too, which is an
// Err and not Killed.
func (c *Cage) Run(ctx context.Context, name string, args, env []string, wire func(*exec.Cmd)) (Outcome, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if c.group != "" {
		self, err := os.Executable()
		if err != nil {
			return Outcome{}, err
		}
		cmd = exec.CommandContext(ctx, self, append([]string{name}, args...)...)
		cmd.Env = append(append(os.Environ(), env...), enter+"="+c.group)
	}
	wire(cmd)
	if err := cmd.Start(); err != nil {
		return Outcome{}, err
	}
	watched := make(chan Outcome, 1)
	done := make(chan struct{})
	go func() { watched <- c.watch(cmd.Process, done) }()
	err := cmd.Wait()
	close(done)
	seen := <-watched
	if ctx.Err() != nil {
		return Outcome{Peak: c.peak(seen.Peak), Err: context.Cause(ctx)}, nil
	}
	o := Outcome{Killed: seen.Killed, Peak: c.peak(seen.Peak), Err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL && c.group != "" {
		o.Killed = true
	}
	if o.Killed {
		o.Err = nil
	}
	return o, nil
}

// watch follows the resident memory until done; a watchdog kills.
func (c *Cage) watch(p *os.Process, done <-chan struct{}) (o Outcome) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return o
		case <-tick.C:
		}
		if c.group != "" {
			continue // the kernel watches
		}
		o.Peak = max(o.Peak, resident(p.Pid))
		if o.Peak > c.limit && !o.Killed {
			o.Killed = true
			_ = p.Kill()
		}
	}
}

// resident reads the second number of statm, in pages.
func resident(pid int) int64 {
	var size, pages int64
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// Enter is for the begin of main of a program that uses this package: in the
// process that [Cage.Run] starts it goes into the cgroup and becomes the program
// that was asked for. It does nothing elsewhere.
func Enter() {
	group := os.Getenv(enter)
	if group == "" {
		return
	}
	err := write(group, "cgroup.procs", strconv.Itoa(os.Getpid()))
	if err == nil {
		_ = os.Unsetenv(enter)
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "cage:", err)
	os.Exit(1)
}
