package workqueue

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
)

// Run calls reconcile for one key after the other in so many workers, never for
// the same key in two of them at once. An error or a panic queues the key again
// after a backoff, success forgets the key's failures.
//
// It returns when all workers have: nil after [Queue.ShutDown] when nothing is
// left to do, or the context's cause when that ended. Then nothing more is
// begun, and what is in work is waited for; it has the same context and should
// return soon. An error that it returns then counts as cut short, not as a
// failure: the key is queued again. Whatever is still queued stays so, for
// another Run.
//
// Errors at once: [*OptionError] for zero workers or a nil function,
// [*RunningError], [*ShutDownError].
func (q *Queue[K]) Run(ctx context.Context, workers int, reconcile Reconcile[K]) error {
	if workers < 1 {
		return &OptionError{Option: "workers", Problem: "is less than one: nothing would ever be done"}
	}
	if reconcile == nil {
		return &OptionError{Option: "reconcile", Problem: "is nil: give the function that does the work"}
	}
	if err := q.begin(workers); err != nil {
		return err
	}
	defer q.end()
	r := &runner[K]{queue: q, ctx: ctx, reconcile: reconcile}
	for range workers {
		r.start()
	}
	r.workers.Wait()
	if ctx.Err() != nil && !q.finished() {
		return context.Cause(ctx)
	}
	return nil
}

func (q *Queue[K]) begin(workers int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workers > 0 {
		return &RunningError{Workers: q.workers}
	}
	if q.over {
		return &ShutDownError{Op: "run"}
	}
	q.workers = workers
	return nil
}

func (q *Queue[K]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.workers = 0
}

// finished tells whether the queue was shut down and nothing is left.
func (q *Queue[K]) finished() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over
}

// runner is one Run.
type runner[K comparable] struct {
	queue     *Queue[K]
	ctx       context.Context
	reconcile Reconcile[K]
	workers   sync.WaitGroup
}

// start adds a worker. Should user code end its goroutine, another one takes
// its place.
func (r *runner[K]) start() {
	r.workers.Add(1)
	go func() {
		returned := false
		defer func() {
			if !returned {
				r.start()
			}
			r.workers.Done()
		}()
		for r.next() {
		}
		returned = true
	}()
}

// next does one key; false at the end.
func (r *runner[K]) next() bool {
	e, key, err := r.queue.take(r.ctx, true)
	if err != nil {
		return false
	}
	released := false
	defer func() {
		if !released {
			r.queue.mu.Lock()
			r.queue.release(e)
		}
	}()
	released = r.work(e, key)
	return true
}

// work calls reconcile and draws the conclusion, even if that panics or ends
// the goroutine. It tells whether the conclusion released the entry.
func (r *runner[K]) work(e *entry[K], key K) (released bool) {
	var result Result
	var err error = &GoexitError{}
	defer func() { released = r.conclude(e, key, result, err) }()
	result, err = r.call(key)
	return
}

// call turns a panic of user code into an error.
func (r *runner[K]) call(key K) (result Result, err error) {
	defer func() {
		if value := recover(); value != nil {
			r.queue.countPanic()
			result, err = Result{}, &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	if r.queue.options.Started != nil {
		r.queue.options.Started(key)
	}
	return r.reconcile(r.ctx, key)
}

func (q *Queue[K]) countPanic() {
	q.mu.Lock()
	q.counts.Panics++
	q.mu.Unlock()
}

// report calls one of the callbacks that come after a run. Its panic changes
// nothing for the key.
func (r *runner[K]) report(name string, call func()) {
	defer func() {
		if value := recover(); value != nil {
			r.queue.countPanic()
			if log := r.queue.options.Logger; log != nil {
				err := &PanicError{Value: value}
				log.Error("workqueue: Options."+name+" panicked", slog.Any("error", err.Unwrap()), slog.String("stack", string(debug.Stack())))
			}
		}
	}()
	call()
}
