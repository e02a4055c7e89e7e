package trial

import "context"

// Figures are what one run has measured, by name. The name ends in its unit:
// cpu_s, peak_mb.
type Figures map[string]float64

// Point is a reading of something that changes while a run lasts.
type Point struct {
	// At is seconds since the run began.
	At float64 `json:"t"`
	// Value is what was read.
	Value float64 `json:"v"`
}

// Outcome is what one run has brought.
type Outcome struct {
	// Figures are its numbers.
	Figures Figures `json:"figures"`
	// Series are its readings over time, by name; nil when there are none.
	Series map[string][]Point `json:"series,omitempty"`
	// Marks are moments of the run, by name, in seconds since it began.
	Marks Figures `json:"marks,omitempty"`
	// Note says what of the job this run did not come to, and why; "" for
	// nothing. It has no figures of that.
	Note string `json:"note,omitempty"`
}

// Contestant is one of those who do a job.
type Contestant struct {
	// Name is shown in tables; it is the same in all jobs.
	Name string
	// Skip says why it does not take part; "" when it does.
	Skip string
	// Note says what of the job it cannot do; "" for nothing.
	Note string
	// Run does the job once. run counts from 0. An error takes the contestant
	// out of the job; what it did in earlier runs stays.
	Run func(ctx context.Context, run int) (Outcome, error)
}

// Job is one thing to measure.
type Job struct {
	// Name is a short word; What says in a sentence what is measured.
	Name, What string
	// Group names jobs that differ in Size only, so that they make one plot;
	// "" when there is no other.
	Group string
	// Size is the number of objects; 0 where that means nothing.
	Size int
	// Skip says why nobody does the job; "" when it is done.
	Skip string
	// Runs is how often each contestant does it.
	Runs int
	// Prepare is called once before the first run; an error skips the job. Nil
	// does nothing.
	Prepare func(ctx context.Context) error
	// Finish is called once after the last run, if Prepare was called and did
	// not fail. Nil does nothing.
	Finish func()
	// Contestants take turns.
	Contestants []Contestant
	// Elsewhere does the whole job in place of the contestants, such as another
	// command that prints its result, and says more exactly what it was. Nil for
	// a job that has contestants.
	Elsewhere func(ctx context.Context) (JobResult, error)
}
