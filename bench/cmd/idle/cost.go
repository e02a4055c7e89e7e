package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// cost is what a process has more with many watches than with one.
type cost struct {
	Watches     int   // beside the first
	Heap        int64 // bytes of the spans in use after a collection
	Alive       int64 // bytes of the objects in them
	Stacks      int64 // bytes of the goroutines' stacks
	Resident    int64 // bytes
	Goroutines  int64
	Opened      int // connections that were ever opened, in all
	Connections int // connections that are open, in all
}

// Memory is what is held against the limit.
func (c cost) Memory() int64 { return c.Heap + c.Stacks }

// PerWatch divides a figure by the watches.
func (c cost) PerWatch(figure int64) float64 { return float64(figure) / float64(c.Watches) }

// program opens watches.
type program interface {
	// open begins n more watches.
	open(ctx context.Context, n int) error
	// ready reports whether all that were opened are in sync and watch.
	ready() bool
	// connections are those that were ever opened, and those that are open.
	connections() (opened, open int)
}

// play is one measured process: it prints its cost as JSON. It rests before it
// is measured: the first connections' timers and buffers of the start are gone
// then.
func play(ctx context.Context, role string, watches int, settle time.Duration, profile string) error {
	if profile != "" {
		runtime.MemProfileRate = 64 // nearly every allocation
	}
	p, err := newProgram(role)
	if err != nil {
		return err
	}
	if err := begin(ctx, p, 1, settle); err != nil {
		return err
	}
	before := read()
	if err := begin(ctx, p, watches, settle); err != nil {
		return err
	}
	after := read()
	if profile != "" {
		if err := writeProfiles(profile); err != nil {
			return err
		}
	}
	opened, open := p.connections()
	return json.NewEncoder(os.Stdout).Encode(cost{
		Watches: watches, Heap: after.heap - before.heap, Alive: after.alive - before.alive, Stacks: after.stacks - before.stacks,
		Resident: after.resident - before.resident, Goroutines: after.goroutines - before.goroutines,
		Opened: opened, Connections: open,
	})
}

func begin(ctx context.Context, p program, n int, settle time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := p.open(ctx, n); err != nil {
		return err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !p.ready() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("not all watches are open: %w", context.Cause(ctx))
		}
	}
	time.Sleep(settle)
	return nil
}

// reading is how a process is at one moment.
type reading struct{ heap, alive, stacks, resident, goroutines int64 }

func read() reading {
	runtime.GC() // twice: what a sync.Pool holds is let go by the second one
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return reading{int64(m.HeapInuse), int64(m.HeapAlloc), int64(m.StackInuse), resident(), int64(runtime.NumGoroutine())}
}

// resident is VmRSS of /proc, in bytes; 0 where there is none.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}

func writeProfiles(prefix string) error {
	for _, name := range []string{"heap", "goroutine"} {
		f, err := os.Create(prefix + "." + name + ".pprof")
		if err != nil {
			return err
		}
		err = pprof.Lookup(name).WriteTo(f, 0)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
