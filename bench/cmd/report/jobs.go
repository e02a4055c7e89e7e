package main

import (
	"slices"
	"strings"

	"github.com/rawwatch/rawwatch/bench/contest"
	"github.com/rawwatch/rawwatch/bench/trial"
)

// jobs are those that were asked for, in an order in which the server is never
// brought to fewer pods. noServer says why there is none, "" when there is one.
func (o *options) jobs(a *contest.Arena, noServer string) []trial.Job {
	small := []trial.Job{a.Slow(o.small, false), a.Slow(o.small, true), a.Latency(o.small, o.runs), a.Idle(max(1, o.runs-1))}
	var sized []trial.Job
	for _, n := range o.counts {
		if n > o.pods { // which takes long, and varies less
			sized = append(sized, a.Sync(n, max(1, o.runs-2)))
		} else if n < o.pods {
			sized = append(sized, a.Sync(n, o.runs))
		}
	}
	sized = append(sized, a.Life(o.pods, o.runs))
	all := append(small, sized...)
	slices.SortStableFunc(all, func(a, b trial.Job) int { return a.Size - b.Size })
	if !o.quick || o.only != "" { // these are not quick
		all = append(all, a.Restart(o.pods, o.runs), a.Constrained(o.pods))
	}
	for i := range all {
		fit(&all[i], noServer)
	}
	all = append(all, a.GoBuild(o.cold))
	return slices.DeleteFunc(all, func(j trial.Job) bool { return !o.wanted(j.Name) })
}

// fit skips a job that cannot be done here, before anything has begun.
func fit(j *trial.Job, noServer string) {
	if j.Skip == "" && j.Elsewhere == nil {
		j.Skip = noServer
	}
	if j.Skip == "" && j.Elsewhere == nil && len(j.Contestants) == 0 {
		j.Skip = "none of the peers that were asked for takes part in it"
	}
	if j.Skip == "" && j.Size > 0 {
		if err := contest.RoomFor(j.Size); err != nil {
			j.Skip = err.Error()
		}
	}
}

func (o *options) wanted(job string) bool {
	if o.only == "" {
		return true
	}
	for _, name := range strings.Split(o.only, ",") {
		if strings.HasPrefix(job, strings.TrimSpace(name)) {
			return true
		}
	}
	return false
}
