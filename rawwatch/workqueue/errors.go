package workqueue

import (
	"errors"
	"fmt"
)

// ShutDownError is the use of a queue after [Queue.ShutDown]: an addition, a
// retry, a Run, or a Get when nothing is left to hand out. Nothing was queued.
type ShutDownError struct {
	// Op is what was refused: "add", "retry", "get" or "run".
	Op string
}

// Error implements error.
func (e *ShutDownError) Error() string {
	if e.Op == "get" {
		return "workqueue: the queue is shut down and nothing is left: this worker is finished"
	}
	return "workqueue: " + e.Op + " after the queue was shut down: a queue is used once, make a new one"
}

// RunningError is a second [Queue.Run] while the first has not returned.
type RunningError struct {
	// Workers of the Run that goes on.
	Workers int
}

// Error implements error.
func (e *RunningError) Error() string {
	return fmt.Sprintf("workqueue: Run is already at work with %d workers: call it once, with as many workers as you need", e.Workers)
}

// OptionError is an option or an argument that cannot be meant.
type OptionError struct {
	// Option is the field of [Options] or the argument of [Queue.Run].
	Option string
	// Problem says what is wrong and what to give instead.
	Problem string
}

// Error implements error.
func (e *OptionError) Error() string { return "workqueue: " + e.Option + " " + e.Problem }

// NotInWorkError is a [Queue.Done] for a key that no caller of Get has: it was
// never handed out, or is done already. Nothing was changed.
type NotInWorkError struct {
	// Key that was given.
	Key any
	// ByRun tells that a worker of [Queue.Run] has it, which will release it
	// when reconcile returns.
	ByRun bool
}

// Error implements error.
func (e *NotInWorkError) Error() string {
	if e.ByRun {
		return fmt.Sprintf("workqueue: done with %v, which a worker of Run has: return from reconcile instead", e.Key)
	}
	return fmt.Sprintf("workqueue: done with %v, which no worker has: call Done once for each key that Get returned", e.Key)
}

// DroppedError is a [Queue.Retry] beyond [Options].MaxRetries. The key's
// failures are forgotten and it is not queued; the next Add starts afresh.
type DroppedError struct {
	// Key that is not retried any more.
	Key any
	// Failures in a row that it had.
	Failures int
}

// Error implements error.
func (e *DroppedError) Error() string {
	return fmt.Sprintf("workqueue: %v failed %d times in a row and is dropped; the next change of it is tried again", e.Key, e.Failures)
}

// DrainError is a [Queue.ShutDownWithDrain] whose context ended first.
type DrainError struct {
	// Queued and InFlight are the keys not handed out yet, and those in work.
	Queued, InFlight int
	// Err is the context's cause.
	Err error
}

// Error implements error.
func (e *DrainError) Error() string {
	return fmt.Sprintf("workqueue: not drained, %d keys queued and %d in work: %v", e.Queued, e.InFlight, e.Err)
}

// Unwrap gives the context's cause.
func (e *DrainError) Unwrap() error { return e.Err }

// PanicError is a reconcile function, or [Options].Started, that panicked. The
// worker goes on and the key is retried as after any error.
type PanicError struct {
	// Value of the panic. It may hold anything, so it is not part of the
	// message unless it is an error.
	Value any
	// Stack of the goroutine at the panic, as runtime/debug prints it.
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string {
	if err := e.Unwrap(); err != nil {
		return "workqueue: reconcile panicked: " + err.Error()
	}
	return fmt.Sprintf("workqueue: reconcile panicked with a value of type %T", e.Value)
}

// Unwrap gives the panic's value when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// GoexitError is a reconcile function that ended its goroutine with
// runtime.Goexit, as testing's FailNow does. Another worker takes its place.
type GoexitError struct{}

// Error implements error.
func (*GoexitError) Error() string {
	return "workqueue: reconcile called runtime.Goexit: return an error instead (in tests, FailNow belongs to the test's own goroutine)"
}

// TerminalError marks an error that no retry can mend: see [Terminal].
type TerminalError struct {
	// Err is the cause; never nil.
	Err error
}

// Error implements error.
func (e *TerminalError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *TerminalError) Unwrap() error { return e.Err }

// Terminal tells [Queue.Run] not to retry: the key is dropped at once, as if it
// had reached [Options].MaxRetries. It is nil for a nil error.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return &TerminalError{Err: err}
}

func isTerminal(err error) bool {
	_, terminal := errors.AsType[*TerminalError](err)
	return terminal
}
