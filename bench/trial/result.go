package trial

import (
	"maps"
	"math"
	"slices"
)

// JobResult is what a job has brought.
type JobResult struct {
	Name  string `json:"name"`
	What  string `json:"what"`
	Group string `json:"group,omitempty"`
	Size  int    `json:"size,omitempty"`
	// Skipped says why the job was not done, or not to its end; "" when it was.
	Skipped string `json:"skipped,omitempty"`
	// Took is how long all of it took, in seconds; 0 when nothing was done.
	Took float64 `json:"took_s,omitempty"`
	// Contestants stand in the job's order.
	Contestants []ContestantResult `json:"contestants,omitempty"`
}

// ContestantResult is what one contestant has done.
type ContestantResult struct {
	Name string `json:"name"`
	// Runs are those that were done to their end.
	Runs []Outcome `json:"runs,omitempty"`
	// Skipped says why there are no runs, or fewer than asked for.
	Skipped string `json:"skipped,omitempty"`
	// Note says what of the job the contestant cannot do; "" for nothing.
	Note string `json:"note,omitempty"`
}

// Notes are those of the contestant's runs, each with the number of runs that
// have it.
func (c ContestantResult) Notes() map[string]int {
	notes := map[string]int{}
	for _, run := range c.Runs {
		if run.Note != "" {
			notes[run.Note]++
		}
	}
	return notes
}

// Find gives a contestant's result by its name.
func (r JobResult) Find(name string) (ContestantResult, bool) {
	for _, c := range r.Contestants {
		if c.Name == name {
			return c, true
		}
	}
	return ContestantResult{}, false
}

// FigureNames are all names of figures in the job, sorted.
func (r JobResult) FigureNames() []string {
	names := map[string]bool{}
	for _, c := range r.Contestants {
		for _, run := range c.Runs {
			for name := range run.Figures {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Summary is the middle and the ends of a figure over some runs.
type Summary struct {
	Runs             int
	Median, Min, Max float64
}

// Summary sums up a figure over the contestant's runs. ok is false when no run
// has it: then there is nothing to show.
func (c ContestantResult) Summary(figure string) (s Summary, ok bool) {
	var values []float64
	for _, run := range c.Runs {
		if v, there := run.Figures[figure]; there {
			values = append(values, v)
		}
	}
	return Summarize(values)
}

// Summarize sums up values; ok is false when there are none. The median of an
// even number is the mean of the two in the middle. values are sorted in place.
func Summarize(values []float64) (s Summary, ok bool) {
	n := len(values)
	if n == 0 {
		return s, false
	}
	slices.Sort(values)
	return Summary{
		Runs: n, Min: values[0], Max: values[n-1],
		Median: (values[(n-1)/2] + values[n/2]) / 2,
	}, true
}

// Quantile is the least of the sorted values that the share q of them does not
// exceed (the nearest rank). There must be values.
func Quantile(sorted []float64, q float64) float64 {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}
