package page

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// Write writes results.json, README.md and the plots of which there are figures
// into the folder, in place of what is there. Call it with one report only at a
// time.
func Write(folder string, r trial.Report) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := r.Save(folder); err != nil {
		return err
	}
	drawn, err := drawAll(folder, r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "README.md"), []byte(text(r, drawn)), 0o644)
}

// text is README.md.
func text(r trial.Report, plots []plotted) string {
	var w strings.Builder
	w.WriteString("# rawwatch and its peers, measured in one run\n\n")
	w.WriteString("Made by `make bench`; [results.json](results.json) has every figure of every run. ")
	w.WriteString("What each job is, and how to run it, stands in [docs/benchmarks.md](../../docs/benchmarks.md).\n\n")
	if r.Interrupted {
		w.WriteString("**It was interrupted:** what follows is what was done by then.\n\n")
	}
	about(&w, r)
	w.WriteString("A cell is the median of the runs, in brackets the least and the greatest of them, then the ratio to ")
	fmt.Fprintf(&w, "%s's median where that takes part. %s is what was not measured, which is never zero.\n\n", r.Base, none)
	for _, p := range plots {
		fmt.Fprintf(&w, "![%s](%s)\n\n", p.title, p.file)
	}
	for _, j := range r.Jobs {
		fmt.Fprintf(&w, "## %s\n\n%s\n\n", title(j), j.What)
		jobTables(&w, j, r.Base)
	}
	skipped(&w, r)
	return w.String()
}

func title(j trial.JobResult) string {
	name := strings.TrimSuffix(j.Name, fmt.Sprintf("-%d", j.Size))
	if j.Size > 0 {
		return fmt.Sprintf("%s, %d objects", name, j.Size)
	}
	return name
}

// about says where and with what.
func about(w *strings.Builder, r trial.Report) {
	m := r.Machine
	fmt.Fprintf(w, "%s, on %d × %s with %d MB of memory, %s. The load average was %.1f before it began. It took %s.\n\n",
		r.Began.UTC().Format("2006-01-02"), m.Cores, m.CPU, m.MemoryMB, m.Go, m.Load, time.Duration(r.Took*float64(time.Second)).Round(time.Second))
	if took := tookEach(r); took != "" {
		fmt.Fprintf(w, "Of that: %s; the rest is building and starting things.\n\n", took)
	}
	list := func(what string, of map[string]string) {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(of)) {
			all = append(all, name+" "+of[name])
		}
		fmt.Fprintf(w, "%s: %s.\n\n", what, strings.Join(all, ", "))
	}
	list("Versions", r.Versions)
	list("Flags", r.Flags)
}

// tookEach tells how long each job took, "" when nothing is known.
func tookEach(r trial.Report) string {
	var all []string
	for _, j := range r.Jobs {
		if j.Took > 0 {
			all = append(all, fmt.Sprintf("%s %v", title(j), time.Duration(j.Took*float64(time.Second)).Round(time.Second)))
		}
	}
	return strings.Join(all, "; ")
}

// skipped lists all that has no figures, in one place.
func skipped(w *strings.Builder, r trial.Report) {
	var lines []string
	for _, j := range r.Jobs {
		if j.Skipped != "" {
			lines = append(lines, fmt.Sprintf("- %s: %s\n", title(j), escape(j.Skipped)))
		}
		for _, c := range j.Contestants {
			if c.Skipped != "" && c.Skipped != j.Skipped {
				lines = append(lines, fmt.Sprintf("- %s, %s: %s\n", title(j), c.Name, escape(c.Skipped)))
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	w.WriteString("## Skipped\n\n")
	for _, line := range lines {
		w.WriteString(line)
	}
}
