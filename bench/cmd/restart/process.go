package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/rawwatch/rawwatch/bench/usage"
)

// process is a program that reports what it has used.
type process struct {
	cmd    *exec.Cmd
	begun  time.Time
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

// report is what a process has said, and when, since its start.
type report struct {
	usage.Report
	after time.Duration
}

func start(ctx context.Context, kubeconfig, program string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, program, args...)}
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewScanner(out)
	p.begun = time.Now()
	return p, p.cmd.Start()
}

// next waits for the report of a phase.
func (p *process) next(phase string) (report, error) {
	if !p.lines.Scan() {
		return report{}, fmt.Errorf("%s ended without its report of %q: %w\n%s", p.cmd.Path, phase, p.cmd.Wait(), p.stderr.Bytes())
	}
	r := report{after: time.Since(p.begun)}
	var err error
	if r.Report, err = usage.Parse(p.lines.Bytes()); err == nil && r.Phase != phase {
		err = fmt.Errorf("%s reports %q in place of %q", p.cmd.Path, r.Phase, phase)
	}
	return r, err
}

// end waits for the end of a process that ends by itself.
func (p *process) end() error {
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.cmd.Path, err, p.stderr.Bytes())
	}
	return nil
}
