package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// options are the flags.
type options struct {
	pods, small, runs  int
	updates, rate      int
	writes, watches    int
	sizes, only, peers string
	out, from          string
	quick, cold        bool
	counts             []int // sizes, parsed; rising
}

func flags() *options {
	o := new(options)
	flag.IntVar(&o.pods, "pods", 10000, "pods of the job life")
	flag.StringVar(&o.sizes, "sizes", "1000,3000,30000", "further numbers of pods that are synced, with commas between; 100000 needs 16 GB of memory")
	flag.IntVar(&o.small, "small", 1000, "pods of the jobs slow and latency")
	flag.IntVar(&o.runs, "runs", 3, "runs of each job by each peer")
	flag.IntVar(&o.updates, "updates", 2000, "changes after the sync, in the job life")
	flag.IntVar(&o.rate, "rate", 5000, "changes a second, at most; as a rule the server takes fewer")
	flag.IntVar(&o.writes, "writes", 600, "writes of a run of the job latency")
	flag.IntVar(&o.watches, "watches", 1000, "watches of the job idle")
	flag.StringVar(&o.only, "only", "", "only jobs whose names begin with one of these, with commas between: sync, life, slow, latency, idle, build, restart, constrained")
	flag.StringVar(&o.peers, "peers", "", "only peers whose names hold one of these, with commas between")
	flag.StringVar(&o.out, "out", "report", "the folder that the report is written into")
	flag.StringVar(&o.from, "from", "", "make the page of this results.json anew, and measure nothing")
	flag.BoolVar(&o.quick, "quick", false, "a few pods and one run, to see that everything works: the figures mean nothing")
	flag.BoolVar(&o.cold, "cold", true, "in the job build, build from an empty cache too, which takes minutes")
	return o
}

// asQuick are the flags that -quick sets, unless they are set themselves.
var asQuick = map[string]string{
	"pods": "200", "sizes": "", "small": "100", "runs": "1", "updates": "200",
	"writes": "50", "watches": "20", "cold": "false",
}

// check refuses what makes no sense before anything is started.
func (o *options) check() error {
	if o.quick {
		set := map[string]bool{}
		flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
		for name, value := range asQuick {
			if set[name] {
				continue
			}
			if err := flag.Set(name, value); err != nil {
				return err
			}
		}
	}
	if o.from != "" {
		return nil
	}
	for name, n := range map[string]int{"pods": o.pods, "small": o.small, "runs": o.runs, "updates": o.updates, "rate": o.rate, "writes": o.writes, "watches": o.watches} {
		if n < 1 {
			return fmt.Errorf("-%s %d: at least 1", name, n)
		}
	}
	if o.small > o.pods {
		return fmt.Errorf("-small %d is more than -pods %d", o.small, o.pods)
	}
	var err error
	if o.counts, err = parseCounts(o.sizes); err != nil {
		return err
	}
	if _, err := os.Stat("contest/arena.go"); err != nil {
		return errors.New("run it in the folder bench: the programs are built from there")
	}
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("the go command is not on the PATH: the programs are built with it")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		return errors.New("there is no /proc as Linux has it: memory cannot be read")
	}
	return nil
}

func parseCounts(s string) ([]int, error) {
	var all []int
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-sizes %q: numbers with commas between, such as 1000,3000", s)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// used are the flags that the figures depend on, for the report.
func used() map[string]string {
	all := map[string]string{}
	flag.VisitAll(func(f *flag.Flag) {
		switch f.Name {
		case "out", "from", "quick":
		default:
			if f.Value.String() != "" {
				all["-"+f.Name] = f.Value.String()
			}
		}
	})
	return all
}
