package page_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/trial"
	"github.com/rawwatch/rawwatch/bench/trial/page"
)

const base = "client-go typed"

func runs(figure string, values ...float64) []trial.Outcome {
	var all []trial.Outcome
	for _, v := range values {
		all = append(all, trial.Outcome{Figures: trial.Figures{figure: v}})
	}
	return all
}

func report() trial.Report {
	life := trial.Outcome{
		Figures: trial.Figures{"sync_s": 1, "sync_cpu_s": 0.25, "sync_peak_mb": 200, "churn_cpu_s_per_1000": 0.1, "relist_cpu_s": 0.5},
		Series:  map[string][]trial.Point{"rss_mb": {{At: 0, Value: 10}, {At: 1.25, Value: 200.5}}},
	}
	return trial.Report{
		Format: trial.Format, Base: base, Began: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Took: 61,
		Machine:  trial.Machine{CPU: "A CPU", Cores: 2, MemoryMB: 4096, Go: "go1.26.0"},
		Versions: map[string]string{"server": "v1"}, Flags: map[string]string{"-runs": "3"},
		Jobs: []trial.JobResult{
			{Name: "sync-1000", Group: "sync", Size: 1000, What: "A small sync.", Contestants: []trial.ContestantResult{
				{Name: "rawwatch raw", Runs: runs("sync_cpu_s", 0.03, 0.01, 0.02)},
				{Name: base, Runs: runs("sync_cpu_s", 0.08, 0.08, 0.08)},
				{Name: "kubectl", Skipped: "not | here"},
			}},
			{Name: "life", Group: "sync", Size: 10000, What: "A life.", Contestants: []trial.ContestantResult{
				{Name: "rawwatch raw", Runs: []trial.Outcome{life}}, {Name: base, Runs: []trial.Outcome{life}},
			}},
			{Name: "odd", What: "An unknown job.", Contestants: []trial.ContestantResult{{Name: "x", Runs: runs("odd_things", 3)}}},
			{Name: "restart", What: "A restart.", Skipped: trial.Interrupted},
		},
	}
}

func write(t *testing.T, r trial.Report) (folder, readme string) {
	t.Helper()
	folder = t.TempDir()
	if err := page.Write(folder, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return folder, string(text)
}

func TestPage(t *testing.T) {
	_, readme := write(t, report())
	for _, want := range []string{
		"on 2 × A CPU with 4096 MB of memory, go1.26.0", "It took 1m1s.",
		"## sync, 1000 objects\n\nA small sync.\n\n### First sync\n\n|  | CPU s |\n",
		"| rawwatch raw | 0.020 (0.010–0.030) · 0.250× |\n",
		"| client-go typed | 0.080 (0.080–0.080) |\n",
		"- **kubectl** was skipped: not \\| here\n",
		"## odd\n\nAn unknown job.\n\n|  | odd_things |\n|---|---|\n| x | 3 |\n",
		"## Skipped\n\n- sync, 1000 objects, kubectl: not \\| here\n- restart: interrupted\n",
		"![CPU seconds](cpu.svg)", "![CPU of the first sync by number of objects](scale-cpu.svg)",
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("the page does not hold %q:\n%s", want, readme)
		}
	}
}

// Who was skipped has no row, and a figure that somebody does not have is a
// dash, whatever the others have.
func TestPageShowsNoZeroForWhatWasNotMeasured(t *testing.T) {
	r := report()
	r.Jobs = []trial.JobResult{{Name: "latency", Contestants: []trial.ContestantResult{
		{Name: "whole", Runs: []trial.Outcome{{Figures: trial.Figures{"latency_p50_ms": 1, "latency_p99_ms": 2}}}},
		{Name: "half", Runs: runs("latency_p50_ms", 0)},
		{Name: "none", Skipped: "no reason"},
	}}}
	_, readme := write(t, r)
	if !strings.Contains(readme, "| half | 0 | – |\n") {
		t.Errorf("half has no dash in its row:\n%s", readme)
	}
	if strings.Contains(readme, "| none |") {
		t.Errorf("none has a row:\n%s", readme)
	}
}

// What some runs did not come to is said once, with the number of those runs;
// what the jobs took stands at the head.
func TestPageTellsOfRunsAndTimes(t *testing.T) {
	outcomes := runs("sync_s", 1, 2, 3)
	outcomes[0].Note, outcomes[2].Note = "it ended | early", "it ended | early"
	_, readme := write(t, trial.Report{Format: trial.Format, Took: 90, Jobs: []trial.JobResult{
		{Name: "life", Group: "sync", Size: 5, Took: 61.2, Contestants: []trial.ContestantResult{{Name: "a", Runs: outcomes, Note: "no relist"}}},
		{Name: "idle", Skipped: trial.Interrupted},
	}})
	for _, want := range []string{
		"- **a**: no relist\n- **a**, 2 of 3 runs: it ended \\| early\n",
		"Of that: life, 5 objects 1m1s; the rest is building and starting things.\n",
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("the page does not hold %q:\n%s", want, readme)
		}
	}
}

// A report of which nothing was done is a page, without plots.
func TestPageOfNothing(t *testing.T) {
	folder, readme := write(t, trial.Report{Format: trial.Format, Interrupted: true, Jobs: []trial.JobResult{{Name: "life", Skipped: trial.Interrupted}}})
	if !strings.Contains(readme, "interrupted") || strings.Contains(readme, ".svg") {
		t.Errorf("the page is:\n%s", readme)
	}
	// Plots of an earlier report do not stay.
	if err := page.Write(folder, report()); err != nil {
		t.Fatal(err)
	}
	if err := page.Write(folder, trial.Report{Format: trial.Format}); err != nil {
		t.Fatal(err)
	}
	if plots, _ := filepath.Glob(filepath.Join(folder, "*.svg")); len(plots) > 0 {
		t.Errorf("there are plots of nothing: %v", plots)
	}
}

func TestPlotsAreDrawn(t *testing.T) {
	folder, _ := write(t, report())
	for _, name := range []string{"memory.svg", "cpu.svg", "scale-cpu.svg"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.Contains(string(text), "rawwatch raw") {
			t.Errorf("%s: %v; it does not name rawwatch raw", name, err)
		}
	}
}

// What is saved can be opened again, and is the same.
func TestSavedReportOpens(t *testing.T) {
	folder, _ := write(t, report())
	got, err := trial.Open(filepath.Join(folder, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want := report(); !reflect.DeepEqual(got, want) {
		t.Errorf("opened %+v, want %+v", got, want)
	}
	text, err := os.ReadFile(filepath.Join(folder, "results.json"))
	if err != nil || !strings.Contains(string(text), `{"t":1.25,"v":200.5}`) {
		t.Errorf("%v; a point is not on one line:\n%s", err, text)
	}
}

func TestOpenRefusesAnotherFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	if err := os.WriteFile(path, []byte(`{"format": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trial.Open(path); err == nil {
		t.Error("a report of format 99 was opened")
	}
}
