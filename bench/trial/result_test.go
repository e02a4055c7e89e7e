package trial_test

import (
	"slices"
	"testing"

	"github.com/rawwatch/rawwatch/bench/trial"
)

func TestSummarize(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   trial.Summary
		ok     bool
	}{
		{nil, trial.Summary{}, false},
		{[]float64{0}, trial.Summary{Runs: 1}, true},
		{[]float64{5}, trial.Summary{Runs: 1, Median: 5, Min: 5, Max: 5}, true},
		{[]float64{9, 1}, trial.Summary{Runs: 2, Median: 5, Min: 1, Max: 9}, true},
		{[]float64{9, 2, 1}, trial.Summary{Runs: 3, Median: 2, Min: 1, Max: 9}, true},
		{[]float64{4, 9, 1, 2}, trial.Summary{Runs: 4, Median: 3, Min: 1, Max: 9}, true},
	} {
		if got, ok := trial.Summarize(slices.Clone(test.values)); got != test.want || ok != test.ok {
			t.Errorf("%v: %+v, %t; want %+v, %t", test.values, got, ok, test.want, test.ok)
		}
	}
}

// A figure that only some runs have is summed up over these.
func TestSummaryOfRunsThatHaveIt(t *testing.T) {
	c := trial.ContestantResult{Runs: []trial.Outcome{
		{Figures: trial.Figures{"a": 1}}, {Figures: trial.Figures{"a": 3, "b": 8}},
	}}
	if s, ok := c.Summary("b"); !ok || s.Runs != 1 || s.Median != 8 {
		t.Errorf("b: %+v, %t", s, ok)
	}
	if _, ok := c.Summary("c"); ok {
		t.Error("a figure that no run has is summed up")
	}
	r := trial.JobResult{Contestants: []trial.ContestantResult{c}}
	if got := r.FigureNames(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the figures are %v", got)
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	for q, want := range map[float64]float64{0: 1, 0.5: 50, 0.99: 99, 0.999: 100, 1: 100} {
		if got := trial.Quantile(hundred, q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
}
