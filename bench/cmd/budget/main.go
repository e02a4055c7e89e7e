// Command budget measures what has a budget in bench/budgets.json and fails,
// naming it, when one is broken.
//
//	go run ./cmd/budget [-only binary,modules,…] [-full] [-json]
//
// What it measures is deterministic (bytes, allocations), a ratio to client-go
// in the same run, or has a wide margin (memory). Without -full it takes less
// than a minute once the programs' dependencies are compiled. Memory is that of
// Linux's /proc: elsewhere these groups are refused.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/rawwatch/rawwatch/bench/budget"
)

// measurements are those of one group: by name, without the group's.
type measurements map[string]float64

// groups measure, in this order.
var groups = []struct {
	name    string
	measure func(ctx context.Context, full bool) (measurements, error)
}{
	{"binary", binaries},
	{"modules", modules},
	{"decode", decoding},
	{"watch", opening},
	{"agent", agents},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	only := flag.String("only", "", "groups to measure, with commas between: binary, modules, decode, watch, agent; all of them when empty")
	full := flag.Bool("full", false, "those too that take minutes and gigabytes")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if err := run(ctx, *only, *full, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "budget:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, full, asJSON bool) error {
	budgets, err := budget.Read(budget.File)
	if err != nil {
		return err
	}
	wanted, err := choose(only)
	if err != nil {
		return err
	}
	all := map[string]float64{}
	for _, g := range groups {
		if !wanted[g.name] {
			continue
		}
		measured, err := g.measure(ctx, full)
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		for thing, n := range measured {
			all[g.name+"/"+thing] = n
		}
	}
	verdicts, err := budget.Judge(budgets, all, wanted, full)
	if err != nil {
		return err
	}
	return tell(verdicts, asJSON)
}

func choose(only string) (map[string]bool, error) {
	wanted := map[string]bool{}
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
		wanted[g.name] = only == ""
	}
	if only == "" {
		return wanted, nil
	}
	for _, name := range strings.Split(only, ",") {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("-only %q: the groups are %s", name, strings.Join(names, ", "))
		}
		wanted[name] = true
	}
	return wanted, nil
}

// tell prints the verdicts; its error names those that are broken.
func tell(verdicts []budget.Verdict, asJSON bool) error {
	var broken []string
	for _, v := range verdicts {
		if v.Broken() {
			broken = append(broken, v.Name)
		}
		if !asJSON && v.Skipped != "not asked for" {
			fmt.Println(v)
		}
	}
	if asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(verdicts); err != nil {
			return err
		}
	}
	if len(broken) > 0 {
		return fmt.Errorf("over the limit of bench/budgets.json: %s", strings.Join(broken, ", "))
	}
	return nil
}
