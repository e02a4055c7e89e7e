package contest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// Elsewhere is a job that another command of the bench module does: with -json
// it prints a [trial.JobResult], from which what it measures and the
// contestants are taken. One that is not there is skipped.
func (a *Arena) Elsewhere(name string, args ...string) trial.Job {
	j := trial.Job{Name: name, What: fmt.Sprintf("By `cmd/%s`.", name)}
	if _, err := os.Stat(filepath.Join(a.module, "cmd", name)); err != nil {
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
		var complaints tail
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		if err != nil {
			return trial.JobResult{}, fmt.Errorf("cmd/%s: %w: %s", name, err, complaints.last())
		}
		return parseElsewhere(name, out)
	}
	return j
}

func parseElsewhere(name string, out []byte) (r trial.JobResult, err error) {
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, fmt.Errorf("cmd/%s -json printed what is no result: %w", name, err)
	}
	for _, c := range r.Contestants {
		if c.Name == "" || len(c.Runs) == 0 && c.Skipped == "" {
			return r, fmt.Errorf("cmd/%s -json: contestant %q has neither runs nor a reason", name, c.Name)
		}
	}
	return r, nil
}
