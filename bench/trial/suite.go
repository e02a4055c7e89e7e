package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Suite is jobs one after the other.
type Suite struct {
	Jobs []Job
	// Progress, when not nil, is told of each run before it begins.
	Progress func(Step)
	// Done, when not nil, is called after each job with all results so far, so
	// that they can be saved. An error ends the suite.
	Done func([]JobResult) error
}

// Step is a run that is about to begin.
type Step struct {
	Job Job
	// Run counts from 0; Contestant is the one whose turn it is, the Turn-th
	// (from 0) of the job.
	Run, Turn  int
	Contestant string
	// Of is the number of jobs, Number the one that this is, from 0.
	Number, Of int
}

// Interrupted is the reason that stands where the context ended a job.
const Interrupted = "interrupted"

// Run does the jobs. When the context ends, the results are those of all that
// was done, the rest is skipped as interrupted, and the error is nil: a report
// is to be had of it. The error is that of Done.
func (s Suite) Run(ctx context.Context) ([]JobResult, error) {
	results := make([]JobResult, 0, len(s.Jobs))
	for i, j := range s.Jobs {
		begun := time.Now()
		r := s.job(ctx, i, j)
		if r.Skipped == "" || len(r.Contestants) > 0 {
			r.Took = math.Round(time.Since(begun).Seconds()*1000) / 1000
		}
		results = append(results, r)
		if s.Done == nil {
			continue
		}
		if err := s.Done(results); err != nil {
			return results, err
		}
	}
	return results, nil
}

func (s Suite) job(ctx context.Context, number int, j Job) JobResult {
	r := JobResult{Name: j.Name, What: j.What, Group: j.Group, Size: j.Size, Skipped: j.Skip}
	if r.Skipped == "" && ctx.Err() != nil {
		r.Skipped = Interrupted
	}
	if r.Skipped != "" {
		return r
	}
	if j.Prepare != nil {
		s.tell(Step{Job: j, Number: number, Of: len(s.Jobs)})
		if err := j.Prepare(ctx); err != nil {
			r.Skipped = reason(ctx, err)
			return r
		}
	}
	if j.Elsewhere != nil {
		s.tell(Step{Job: j, Number: number, Of: len(s.Jobs)})
		there, err := j.Elsewhere(ctx)
		if err != nil {
			r.Skipped = reason(ctx, err)
			return r
		}
		there.Name = cmp.Or(there.Name, r.Name)
		there.What = cmp.Or(there.What, r.What)
		return there
	}
	for _, c := range j.Contestants {
		r.Contestants = append(r.Contestants, ContestantResult{Name: c.Name, Skipped: c.Skip, Note: c.Note})
	}
	if j.Finish != nil {
		defer j.Finish()
	}
	for run := range j.Runs {
		for turn, c := range j.Contestants {
			if r.Contestants[turn].Skipped != "" {
				continue
			}
			if ctx.Err() != nil {
				r.Contestants[turn].Skipped = Interrupted
				continue
			}
			s.tell(Step{j, run, turn, c.Name, number, len(s.Jobs)})
			r.Contestants[turn].add(ctx, c, run)
		}
	}
	if ctx.Err() != nil {
		r.Skipped = Interrupted
	}
	return r
}

func (s Suite) tell(step Step) {
	if s.Progress != nil {
		s.Progress(step)
	}
}

// add does one run. One that the context has cut short counts for nothing.
func (c *ContestantResult) add(ctx context.Context, by Contestant, run int) {
	o, err := by.Run(ctx, run)
	switch {
	case err == nil && ctx.Err() == nil && len(o.Figures) == 0:
		err = errors.New("it returned no figures")
		fallthrough
	case err != nil || ctx.Err() != nil:
		c.Skipped = reason(ctx, err)
	default:
		c.Runs = append(c.Runs, o)
	}
}

// reason is what stands in the place of figures.
func reason(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return Interrupted
	}
	var skip *SkipError
	if errors.As(err, &skip) {
		return skip.Reason
	}
	return fmt.Sprintf("failed: %v", err)
}

// SkipError is returned by a run, or a Prepare, that finds it cannot be done
// here: a missing tool is no failure.
type SkipError struct {
	// Reason stands in the report.
	Reason string
}

// Error implements error.
func (e *SkipError) Error() string { return e.Reason }
