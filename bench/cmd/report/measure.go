package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rawwatch/rawwatch/bench/contest"
	"github.com/rawwatch/rawwatch/bench/trial"
	"github.com/rawwatch/rawwatch/bench/trial/page"
)

// errPart is a report that is not whole.
var errPart = errors.New("the report is of what could be done; the rest stands in it as skipped")

// measure makes the report. It is written after each job, so that nothing is
// lost that is done.
func (o *options) measure(ctx context.Context) (err error) {
	screen := newScreen(os.Stderr)
	defer screen.end()
	module, err := os.Getwd()
	if err != nil {
		return err
	}
	peers := contest.Choose(contest.Peers(), o.peers)
	if len(peers) == 0 {
		return fmt.Errorf("-peers %q: no peer's name holds that", o.peers)
	}
	r := trial.Report{Format: trial.Format, Began: time.Now().UTC().Truncate(time.Second), Machine: machine(), Flags: used(), Base: contest.Base}
	a, err := contest.NewArena(contest.Options{
		Peers: peers, Module: module, Updates: o.updates, PerSecond: o.rate, Writes: o.writes, Watches: o.watches, Progress: screen.line,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	noServer := ""
	if err := a.Launch(ctx); err != nil {
		noServer = "no server: " + err.Error()
		screen.line(noServer)
	}
	a.Build(ctx)
	jobs := o.jobs(a, noServer)
	sayAtOnce(screen, a, jobs)
	r.Versions = versions(ctx, a, noServer == "")
	save := func(results []trial.JobResult) error {
		screen.line(ended(results[len(results)-1]))
		r.Jobs, r.Took, r.Interrupted = results, time.Since(r.Began).Seconds(), ctx.Err() != nil
		return page.Write(o.out, r)
	}
	suite := trial.Suite{Jobs: jobs, Progress: screen.step, Done: save}
	if _, err := suite.Run(ctx); err != nil {
		return err
	}
	screen.line("the report is in " + o.out)
	if noServer != "" || ctx.Err() != nil {
		return errPart
	}
	return nil
}

// ended is a line on a job that is over.
func ended(j trial.JobResult) string {
	switch took := time.Duration(j.Took * float64(time.Second)).Round(100 * time.Millisecond); {
	case j.Took == 0:
		return fmt.Sprintf("%s: skipped: %s", j.Name, j.Skipped)
	case j.Skipped != "":
		return fmt.Sprintf("%s took %v, and was not done to its end: %s", j.Name, took, j.Skipped)
	default:
		return fmt.Sprintf("%s took %v", j.Name, took)
	}
}

// sayAtOnce tells of what is skipped before the first job begins.
func sayAtOnce(s *screen, a *contest.Arena, jobs []trial.Job) {
	for _, p := range a.Skipped() {
		s.line("skipped: " + p)
	}
	for _, j := range jobs {
		if j.Skip != "" {
			s.line(fmt.Sprintf("skipped: %s: %s", j.Name, j.Skip))
		}
	}
}
