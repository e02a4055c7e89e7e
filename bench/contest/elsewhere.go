package contest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// Restart is what a checkpoint saves a program that starts anew, by the command
// restart.
func (a *Arena) Restart(pods, runs int) trial.Job {
	return a.elsewhere("restart", parseResult, "-pods", fmt.Sprint(pods), "-runs", fmt.Sprint(runs))
}

// Constrained is who comes into sync in how little memory, by the command
// constrained.
func (a *Arena) Constrained(pods int) trial.Job {
	j := a.elsewhere("constrained", parseConstrained, "-pods", fmt.Sprint(pods))
	j.What = "Agents in a cgroup of little memory, with a GOMEMLIMIT: who comes into sync with so many pods, and who is killed, by `cmd/constrained`. One run of each."
	return j
}

// clearsAway is how long another command may take to end when it is asked to.
const clearsAway = 20 * time.Second

// elsewhere is a job that another command of the bench module does: with -json
// it prints what came of it. One that is not there is skipped.
func (a *Arena) elsewhere(name string, parse func([]byte) (trial.JobResult, error), args ...string) trial.Job {
	j := trial.Job{Name: name, What: fmt.Sprintf("By `cmd/%s`.", name)}
	if !exists(filepath.Join(a.module, "cmd", name)) {
		j.Skip = fmt.Sprintf("there is no bench/cmd/%s", name)
		return j
	}
	j.Elsewhere = func(ctx context.Context) (trial.JobResult, error) {
		binary := a.file(name)
		if reason := a.build(ctx, "cmd/"+name, binary); reason != "" {
			return trial.JobResult{}, &trial.SkipError{Reason: reason}
		}
		cmd := exec.CommandContext(ctx, binary, append([]string{"-json"}, args...)...)
		cmd.Dir = a.module
		// It has servers, folders and cages of its own to clear away.
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = clearsAway
		var complaints tail
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 2 { // as package flag ends
			return trial.JobResult{}, &trial.SkipError{Reason: fmt.Sprintf("cmd/%s does not know the flags -json %s", name, strings.Join(args, " "))}
		}
		if ctx.Err() != nil { // it may tell what is done
			if r, err := parse(out); err == nil && len(r.Contestants) > 0 {
				r.Skipped = trial.Interrupted
				return r, nil
			}
		}
		if err != nil {
			return trial.JobResult{}, fmt.Errorf("cmd/%s: %w: %s", name, err, complaints.last())
		}
		r, err := parse(out)
		if err != nil {
			return r, fmt.Errorf("cmd/%s -json: %w", name, err)
		}
		return r, nil
	}
	return j
}

// parseResult reads a [trial.JobResult].
func parseResult(out []byte) (r trial.JobResult, err error) {
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, err
	}
	for _, c := range r.Contestants {
		if c.Name == "" || len(c.Runs) == 0 && c.Skipped == "" {
			return r, fmt.Errorf("contestant %q has neither runs nor a reason", c.Name)
		}
	}
	return r, nil
}

// parseConstrained reads the rows of cmd/constrained. Who was killed has no
// times and no memory, only that.
func parseConstrained(out []byte) (r trial.JobResult, err error) {
	var rows []struct {
		Agent, Outcome string
		Pods           int
		Limit, Charged float64
		CPU, Wall      time.Duration
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		return r, err
	}
	for _, row := range rows {
		c := trial.ContestantResult{Name: fmt.Sprintf("%s, %d pods in %.0f MB", row.Agent, row.Pods, row.Limit/(1<<20))}
		f := trial.Figures{"in_sync": 0}
		if row.Outcome == "in sync" {
			f = trial.Figures{"in_sync": 1, "charged_mb": row.Charged / (1 << 20), "constrained_cpu_s": row.CPU.Seconds(), "constrained_s": row.Wall.Seconds()}
		} else {
			c.Note = row.Outcome
		}
		c.Runs = []trial.Outcome{{Figures: f}}
		r.Contestants = append(r.Contestants, c)
	}
	return r, nil
}
