package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// plugin runs a user's exec entry.
type plugin struct {
	config  ExecConfig
	info    string // the value of KUBERNETES_EXEC_INFO
	timeout time.Duration
	output  int64
	token   int64
}

// run runs the program once.
func (p *plugin) run(ctx context.Context) (*issued, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	stdout := &bounded{limit: p.output, full: cancel}
	stderr := &tail{also: p.config.Stderr}
	cmd := exec.CommandContext(ctx, filepath.Clean(p.config.Command), p.config.Args...)
	cmd.Env = p.environment()
	cmd.Stdin = p.config.Stdin
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if p.config.Stdin == nil {
		ownGroup(cmd) // a terminal would stop a group in the background
	}
	// What the plugin started may hold its pipes after its end.
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		err = nil // it ended well; only what it left behind still holds the pipes
	}
	switch {
	case stdout.over:
		err = &LimitError{What: "plugin output", Limit: p.output, Option: "SessionOptions.PluginOutput"}
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("did not end within %v and was stopped: %w", p.timeout, context.DeadlineExceeded)
	case err != nil && ctx.Err() != nil:
		err = ErrClosed
	case err == nil:
		got, err := parseExecCredential(stdout.text.Bytes(), &p.config, p.token)
		if err == nil {
			return got, nil
		}
		return nil, p.failure(err, stderr)
	}
	return nil, p.failure(err, stderr)
}

func (p *plugin) environment() []string {
	env := os.Environ()
	for _, v := range p.config.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	return append(env, "KUBERNETES_EXEC_INFO="+p.info)
}

func (p *plugin) failure(err error, stderr *tail) error {
	e := &PluginError{Command: p.config.Command, Err: err, Stderr: scrub(stderr.String(), p.config.Env)}
	if errors.Is(err, syscall.E2BIG) {
		e.Hint = "its environment is too large: set provideClusterInfo to false, or use a smaller CA bundle"
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		e.Err = errors.New("is not installed: no such program")
		if filepath.Base(p.config.Command) == p.config.Command {
			e.Err = errors.New("is not installed: no such program in PATH")
		}
		hint := p.config.InstallHint
		e.Hint = printable(hint[:min(len(hint), maxHint)])
		if hint == "" {
			e.Hint = "install it, or correct the command"
		}
	}
	return e
}

// bounded keeps what is written to it, up to a limit; then it stops the
// program.
type bounded struct {
	text  bytes.Buffer
	limit int64
	over  bool
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.text.Len()+len(p)) > b.limit {
		b.over = true
		b.full()
		return 0, io.ErrShortWrite
	}
	return b.text.Write(p)
}

// tail keeps the end of what is written to it, and passes all of it on.
type tail struct {
	text []byte
	also io.Writer
}

func (t *tail) Write(p []byte) (int, error) {
	if t.also != nil {
		_, _ = t.also.Write(p) // nobody is listening: no reason to stop the plugin
	}
	t.text = append(t.text, p...)
	if len(t.text) > 2*maxStderr {
		t.text = append(t.text[:0], t.text[len(t.text)-maxStderr:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.text[max(0, len(t.text)-maxStderr):]) }
