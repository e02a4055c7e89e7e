// Command checkpoints compares ways to keep a checkpoint on disk: the log of
// resume/checkpoint, and bbolt. For each it prints bytes written per event,
// memory, the time to read everything back, and what a damaged file does.
//
//	go run ./cmd/checkpoints [-pods 10000] [-events 20000]
//
// Each figure is of a process of its own. Bytes are those given to write calls
// (wchar in /proc/self/io) and those that went to the disk (write_bytes, in
// pages, journal excluded), so this needs Linux, and a real disk for the
// second.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// options are what a process is asked to do.
type options struct {
	Pods, Events, Batch int
	Store, Task, Path   string
}

func main() {
	var o options
	flag.IntVar(&o.Pods, "pods", 10_000, "number of pods")
	flag.IntVar(&o.Events, "events", 20_000, "number of events")
	flag.IntVar(&o.Batch, "batch", 1000, "events in a commit; used by the processes that this starts")
	flag.StringVar(&o.Store, "store", "", "used by the processes that this starts")
	flag.StringVar(&o.Task, "task", "", "used by the processes that this starts")
	flag.StringVar(&o.Path, "path", "", "the folder to write in, or a file for a process that this starts")
	flag.Parse()
	err := errors.New("unknown task")
	switch o.Task {
	case "":
		err = compare(o)
	case "write":
		err = o.write()
	case "read":
		err = o.read()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkpoints:", err)
		os.Exit(1)
	}
}

var (
	stores  = []string{"log", "bbolt", "bbolt-deflated"}
	batches = []int{1, 10, 100, 1000}
)

func compare(o options) error {
	folder, err := os.MkdirTemp(o.Path, "checkpoints")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\t\n", args...) }
	fmt.Printf("%d pods of five fields, %d events\n\n", o.Pods, o.Events)
	row("store\tevents/commit\tpayload/event\twritten/event\twritten/payload\tto disk/event\tfile KiB\tRssAnon KiB\tRssFile KiB\tCPU µs/event")
	for _, store := range stores {
		for _, batch := range batches {
			r, err := o.process(store, "write", filepath.Join(folder, fmt.Sprint(store, batch)), batch)
			if err != nil {
				return err
			}
			n := float64(o.Events)
			row("%s\t%d\t%.0f\t%.0f\t%.2f\t%.0f\t%d\t%d\t%d\t%.0f", store, batch, float64(r.Payload)/n, float64(r.Written)/n,
				float64(r.Written)/float64(r.Payload), float64(r.Disk)/n, r.File>>10, r.RssAnon, r.RssFile, float64(r.CPU.Microseconds())/n)
		}
	}
	row("")
	row("store\topen and read ms\tCPU ms\tRssAnon KiB\tRssFile KiB")
	for _, store := range stores {
		r, err := o.process(store, "read", filepath.Join(folder, store+"1000"), 1000)
		if err != nil {
			return err
		}
		row("%s\t%.0f\t%.0f\t%d\t%d", store, r.Took.Seconds()*1000, r.CPU.Seconds()*1000, r.RssAnon, r.RssFile)
	}
	row("")
	row("store\tdamage\tfiles\tstate as of a commit\tset aside, empty\twrong, unnoticed\terror\tpanic or signal")
	for _, store := range stores[:2] {
		for _, kind := range []string{"flipped", "cut"} {
			d, err := o.damage(store, filepath.Join(folder, store+"1000"), kind)
			if err != nil {
				return err
			}
			row("%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d", store, kind, d.files, d.good, d.empty, d.wrong, d.refused, d.died)
		}
	}
	return w.Flush()
}

// process runs a task in a process of its own.
func (o options) process(store, task, path string, batch int) (result, error) {
	var r result
	out, err := o.command(store, task, path, batch).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, firstLine(exit.Stderr))
		}
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

func (o options) command(store, task, path string, batch int) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.CommandContext(context.Background(), self, "-store", store, "-task", task, "-path", path,
		"-batch", fmt.Sprint(batch), "-pods", fmt.Sprint(o.Pods), "-events", fmt.Sprint(o.Events))
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}
