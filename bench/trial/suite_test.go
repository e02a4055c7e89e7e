package trial_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// diary makes contestants that write down their turns.
type diary struct{ turns []string }

func (d *diary) contestant(name string, end error) trial.Contestant {
	return trial.Contestant{Name: name, Run: func(_ context.Context, run int) (trial.Outcome, error) {
		d.turns = append(d.turns, fmt.Sprint(name, run))
		return trial.Outcome{Figures: trial.Figures{"cost": float64(run + 1)}}, end
	}}
}

func TestTurnsAreInterleaved(t *testing.T) {
	var d diary
	var steps []string
	s := trial.Suite{
		Jobs: []trial.Job{{Name: "j", Runs: 2, Contestants: []trial.Contestant{d.contestant("a", nil), d.contestant("b", nil)}}},
		Progress: func(s trial.Step) {
			steps = append(steps, fmt.Sprintf("%s %d/%d run %d turn %d %s", s.Job.Name, s.Number, s.Of, s.Run, s.Turn, s.Contestant))
		},
	}
	results, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a0", "b0", "a1", "b1"}; !slices.Equal(d.turns, want) {
		t.Errorf("the turns were %v, want %v", d.turns, want)
	}
	want := []string{"j 0/1 run 0 turn 0 a", "j 0/1 run 0 turn 1 b", "j 0/1 run 1 turn 0 a", "j 0/1 run 1 turn 1 b"}
	if !slices.Equal(steps, want) {
		t.Errorf("progress was told of %q, want %q", steps, want)
	}
	for _, c := range results[0].Contestants {
		if len(c.Runs) != 2 || c.Skipped != "" {
			t.Errorf("%s has %d runs and was skipped: %q", c.Name, len(c.Runs), c.Skipped)
		}
	}
}

// What is skipped, or fails, has a reason and no figure: no summary can be had
// of it, not even zero.
func TestSkippedIsNeverZero(t *testing.T) {
	var d diary
	missing := d.contestant("missing", nil)
	missing.Skip = "no such tool"
	refused := d.contestant("refused", &trial.SkipError{Reason: "the server is too new for it"})
	empty := trial.Contestant{Name: "empty", Run: func(context.Context, int) (trial.Outcome, error) { return trial.Outcome{}, nil }}
	s := trial.Suite{Jobs: []trial.Job{
		{Name: "none", Skip: "too little memory", Runs: 1, Contestants: []trial.Contestant{d.contestant("never", nil)}},
		{Name: "unready", Runs: 1, Prepare: func(context.Context) error { return errors.New("no server") }, Contestants: []trial.Contestant{d.contestant("never", nil)}},
		{Name: "some", Runs: 2, Contestants: []trial.Contestant{missing, refused, d.contestant("broken", errors.New("boom")), empty, d.contestant("good", nil)}},
	}}
	results, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{results[0].Skipped, results[1].Skipped}; !slices.Equal(got, []string{"too little memory", "failed: no server"}) {
		t.Errorf("the jobs were skipped for %q", got)
	}
	reasons := map[string]string{
		"missing": "no such tool", "refused": "the server is too new for it", "broken": "failed: boom",
		"empty": "failed: it returned no figures", "good": "",
	}
	for _, c := range results[2].Contestants {
		_, shown := c.Summary("cost")
		if want := reasons[c.Name]; c.Skipped != want || shown != (want == "") {
			t.Errorf("%s: skipped for %q, want %q; has a figure: %t", c.Name, c.Skipped, want, shown)
		}
	}
	if want := []string{"refused0", "broken0", "good0", "good1"}; !slices.Equal(d.turns, want) {
		t.Errorf("the turns were %v, want %v: who has failed is not tried again", d.turns, want)
	}
}

// The end of the context, as by Ctrl-C, leaves what is done.
func TestInterruptedLeavesWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var d diary
	finished := 0
	cut := trial.Contestant{Name: "cut", Run: func(ctx context.Context, run int) (trial.Outcome, error) {
		if run == 1 {
			cancel() // in the middle of its second run
			return trial.Outcome{Figures: trial.Figures{"cost": 0}}, ctx.Err()
		}
		return trial.Outcome{Figures: trial.Figures{"cost": 7}}, nil
	}}
	var saved [][]trial.JobResult
	s := trial.Suite{
		Jobs: []trial.Job{
			{Name: "first", Runs: 3, Finish: func() { finished++ }, Contestants: []trial.Contestant{d.contestant("a", nil), cut, d.contestant("b", nil)}},
			{Name: "second", Runs: 1, Contestants: []trial.Contestant{d.contestant("a", nil)}},
		},
		Done: func(r []trial.JobResult) error { saved = append(saved, slices.Clone(r)); return nil },
	}
	results, err := s.Run(ctx)
	if err != nil {
		t.Fatalf("an interrupted suite failed: %v", err)
	}
	if finished != 1 {
		t.Errorf("the job was finished %d times", finished)
	}
	if len(saved) != 2 || !reflect.DeepEqual(saved[1], results) {
		t.Errorf("%d saves, want one for each job", len(saved))
	}
	if results[0].Skipped != trial.Interrupted || results[1].Skipped != trial.Interrupted || len(results[1].Contestants) != 0 {
		t.Errorf("skipped for %q and %q, want %q", results[0].Skipped, results[1].Skipped, trial.Interrupted)
	}
	for i, want := range []int{2, 1, 1} {
		c := results[0].Contestants[i]
		if len(c.Runs) != want || c.Skipped != trial.Interrupted {
			t.Errorf("%s has %d runs, want %d; skipped for %q", c.Name, len(c.Runs), want, c.Skipped)
		}
	}
	if s, ok := results[0].Contestants[1].Summary("cost"); !ok || s.Min != 7 {
		t.Errorf("the run that was cut short counts: %+v", s)
	}
}

// A job that is done elsewhere brings its own results, or a reason.
func TestElsewhere(t *testing.T) {
	there := trial.JobResult{What: "how it went", Contestants: []trial.ContestantResult{{Name: "a", Runs: []trial.Outcome{{Figures: trial.Figures{"cost": 1}}}}}}
	s := trial.Suite{Jobs: []trial.Job{
		{Name: "there", Elsewhere: func(context.Context) (trial.JobResult, error) { return there, nil }},
		{Name: "nowhere", Elsewhere: func(context.Context) (trial.JobResult, error) { return there, errors.New("boom") }},
	}}
	results, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if results[1].Took != 0 {
		t.Errorf("what was not done took %v s", results[1].Took)
	}
	results[0].Took = 0 // as long as it took
	want := there
	want.Name = "there"
	if !reflect.DeepEqual(results[0], want) || results[1].Skipped != "failed: boom" || results[1].Contestants != nil {
		t.Errorf("the results are %+v", results)
	}
}

// A job says how long it took; one that was not done took nothing.
func TestJobsAreTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := trial.Contestant{Name: "slow", Run: func(context.Context, int) (trial.Outcome, error) {
			time.Sleep(1500 * time.Millisecond)
			return trial.Outcome{Figures: trial.Figures{"cost": 1}}, nil
		}}
		s := trial.Suite{Jobs: []trial.Job{
			{Name: "slow", Runs: 2, Contestants: []trial.Contestant{slow}},
			{Name: "none", Runs: 2, Skip: "no tool", Contestants: []trial.Contestant{slow}},
		}}
		results, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if results[0].Took != 3 || results[1].Took != 0 {
			t.Errorf("they took %v and %v s, want 3 and 0", results[0].Took, results[1].Took)
		}
	})
}

func TestDoneFails(t *testing.T) {
	var d diary
	full := errors.New("disk full")
	s := trial.Suite{
		Jobs: []trial.Job{{Runs: 1, Contestants: []trial.Contestant{d.contestant("a", nil)}}, {Runs: 1, Contestants: []trial.Contestant{d.contestant("b", nil)}}},
		Done: func([]trial.JobResult) error { return full },
	}
	if results, err := s.Run(t.Context()); !errors.Is(err, full) || len(results) != 1 {
		t.Errorf("%d results and %v, want one and %v", len(results), err, full)
	}
}
