package main

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/contest"
	"github.com/rawwatch/rawwatch/bench/trial"
)

// parsed gives the options of a command line.
func parsed(t *testing.T, args ...string) (*options, error) {
	t.Helper()
	flag.CommandLine = flag.NewFlagSet("report", flag.ContinueOnError)
	o := flags()
	if err := flag.CommandLine.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o, o.check()
}

func TestFlags(t *testing.T) {
	t.Chdir("../..") // where it is run
	o, err := parsed(t, "-quick", "-pods", "500", "-sizes", "900,700, 900")
	if err != nil {
		t.Fatal(err)
	}
	if o.pods != 500 || o.runs != 1 || !slices.Equal(o.counts, []int{700, 900}) {
		t.Errorf("pods %d, runs %d, counts %v: -quick sets what is not set", o.pods, o.runs, o.counts)
	}
	if used := used(); used["-pods"] != "500" || used["-out"] != "" {
		t.Errorf("the flags in the report are %v", used)
	}
	for _, args := range [][]string{{"-runs", "0"}, {"-sizes", "many"}, {"-small", "20", "-pods", "10"}} {
		if _, err := parsed(t, args...); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}

// The server is never brought to fewer pods, and what needs one is skipped
// where there is none, with the reason.
func TestJobs(t *testing.T) {
	t.Chdir("../..")
	o, err := parsed(t, "-sizes", "3,7,10", "-pods", "5", "-small", "3")
	if err != nil {
		t.Fatal(err)
	}
	a, err := contest.NewArena(contest.Options{Peers: contest.Peers(), Module: "."})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	size, seen := 0, map[string]trial.Job{}
	for _, j := range o.jobs(a, "no server: boom") {
		if j.Size > 0 && j.Size < size {
			t.Errorf("%s has %d pods after a job with %d", j.Name, j.Size, size)
		}
		size = max(size, j.Size)
		seen[j.Name] = j
	}
	for _, name := range []string{"sync-3", "life", "sync-7", "sync-10", "slow", "slow-plain", "latency", "idle"} {
		if seen[name].Skip != "no server: boom" {
			t.Errorf("%s is skipped for %q", name, seen[name].Skip)
		}
	}
	if seen["build"].Name == "" || seen["build"].Skip != "" {
		t.Error("build needs no server, and is skipped")
	}
	o.only = "life,sync"
	if jobs := o.jobs(a, ""); len(jobs) != 4 {
		t.Errorf("%d jobs, want life and the three of sync", len(jobs))
	}
}

// A job that is left without contestants is skipped, and says why.
func TestNobodyTakesPart(t *testing.T) {
	t.Chdir("../..")
	o, err := parsed(t, "-only", "latency", "-pods", "5", "-small", "3", "-sizes", "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := contest.NewArena(contest.Options{Peers: contest.Choose(contest.Peers(), "metadata"), Module: "."})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if jobs := o.jobs(a, ""); len(jobs) != 1 || jobs[0].Skip == "" {
		t.Errorf("the jobs are %+v", jobs)
	}
}

// What is said of a job that is over.
func TestEnded(t *testing.T) {
	for want, j := range map[string]trial.JobResult{
		"idle took 1m13.8s":                                      {Name: "idle", Took: 73.812},
		"restart: skipped: no tool":                              {Name: "restart", Skipped: "no tool"},
		"life took 2s, and was not done to its end: interrupted": {Name: "life", Took: 2, Skipped: trial.Interrupted},
	} {
		if got := ended(j); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The whole of it with a few pods and two peers: what is written holds figures
// of each phase of both.
func TestQuickReport(t *testing.T) {
	out := t.TempDir()
	t.Chdir("../..")
	o, err := parsed(t, "-quick", "-only", "life", "-peers", "rawwatch metadata,client-go metadata", "-out", out)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := o.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Log("the report took", time.Since(begin).Round(time.Second))
	r, err := trial.Open(filepath.Join(out, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Jobs) != 1 || len(r.Jobs[0].Contestants) != 2 {
		t.Fatalf("the jobs are %+v", r.Jobs)
	}
	for _, c := range r.Jobs[0].Contestants {
		if c.Skipped != "" || len(c.Runs) != 1 {
			t.Fatalf("%s was skipped: %s", c.Name, c.Skipped)
		}
		f := c.Runs[0].Figures
		for _, name := range []string{"sync_s", "sync_cpu_s", "sync_peak_mb", "sync_wire_mb", "churn_cpu_s_per_1000", "churn_rss_mb", "relist_peak_mb", "relist_wire_mb"} {
			if f[name] <= 0 {
				t.Errorf("%s: %s is %v; there are %v", c.Name, name, f[name], slices.Sorted(maps.Keys(f)))
			}
		}
		if f["churn_events_seen"] < float64(o.updates) {
			t.Errorf("%s has seen %v events of %d", c.Name, f["churn_events_seen"], o.updates)
		}
	}
	for _, name := range []string{"README.md", "memory.svg", "cpu.svg"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}
