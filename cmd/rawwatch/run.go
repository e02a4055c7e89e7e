package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// app is one run of the command: its streams, its environment, its flags.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    func(string) string
	now    func() time.Time

	connection connection
	verbosity  int
	// secrets are hidden in whatever is said on stderr.
	secrets secrets
}

// run executes the command line and returns its exit code. It ends when ctx
// does; all goroutines that it started have ended when it returns.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: env, now: time.Now}
	return a.run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	command, err := root.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, errReaderLeft):
		return exitOK
	case errors.As(err, &usage):
		a.say("error: %v\nRun '%s --help' for usage.\n", err, command.CommandPath())
		return exitUsage
	case ctx.Err() != nil:
		a.say("error: interrupted before the end: %v\n", context.Cause(ctx))
		return exitFailure
	}
	a.say("error: %v\n", err)
	if hint := advice(err); hint != "" {
		a.say("hint: %s\n", hint)
	}
	return exitFailure
}

// say writes to stderr, without secrets, and without what a terminal would
// obey: servers have a word in most messages. There is nobody to tell of a
// failure.
func (a *app) say(format string, args ...any) {
	_, _ = io.WriteString(a.stderr, harmless(a.secrets.hide(fmt.Sprintf(format, args...))))
}

// usageError is a command line that asks wrongly.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func misuse(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}
