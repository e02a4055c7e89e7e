package workqueue

import (
	"context"
	"errors"
	"log/slog"
)

// conclude queues what a run asks for and tells who wants to know. The entry
// stays in work meanwhile; when there is nobody to tell, it is released at once.
func (r *runner[K]) conclude(e *entry[K], key K, result Result, err error) (released bool) {
	q := r.queue
	switch {
	case err == nil && q.options.Done == nil:
		q.mu.Lock()
		q.succeeded(e, result)
		q.release(e)
		return true
	case err == nil:
		q.mu.Lock()
		q.succeeded(e, result)
		q.unlock()
		r.done(key, nil)
	case r.ctx.Err() != nil && !mustReport(err):
		q.cutShort(e)
	default:
		f := q.failed(e, result, err)
		r.log(f)
		if q.options.Failed != nil {
			r.report("Failed", func() { q.options.Failed(f) })
		}
		if f.Verdict == Dropped {
			r.done(key, err)
		}
	}
	return false
}

// mustReport tells of errors that the end of a context does not explain.
func mustReport(err error) bool {
	if _, ok := errors.AsType[*PanicError](err); ok {
		return true
	}
	_, ok := errors.AsType[*GoexitError](err)
	return ok
}

func (r *runner[K]) done(key K, err error) {
	if done := r.queue.options.Done; done != nil {
		r.report("Done", func() { done(key, err) })
	}
}

func (r *runner[K]) log(f Failure[K]) {
	log := r.queue.options.Logger
	if log == nil {
		return
	}
	level := slog.LevelWarn
	if f.Verdict == Dropped || mustReport(f.Err) {
		level = slog.LevelError
	}
	attributes := []slog.Attr{
		slog.Any("key", f.Key), slog.Any("error", f.Err), slog.Int("failures", f.Failures),
		slog.String("verdict", f.Verdict.String()), slog.Duration("retryIn", f.RetryIn),
	}
	if p, ok := errors.AsType[*PanicError](f.Err); ok {
		attributes = append(attributes, slog.String("stack", string(p.Stack)))
	}
	log.LogAttrs(context.Background(), level, "reconcile failed", attributes...)
}

// succeeded needs the lock.
func (q *Queue[K]) succeeded(e *entry[K], result Result) {
	e.failures = 0
	if result.RequeueAfter > 0 {
		if q.closed {
			q.counts.Discarded++
		} else {
			q.want(e, AddOptions{Priority: result.priorityOr(e.workPriority), After: result.RequeueAfter})
		}
	}
}

// cutShort queues a key again whose run the end of Run interrupted.
func (q *Queue[K]) cutShort(e *entry[K]) {
	q.mu.Lock()
	q.want(e, AddOptions{Priority: e.workPriority})
	q.unlock()
}

func (q *Queue[K]) failed(e *entry[K], result Result, err error) Failure[K] {
	q.mu.Lock()
	e.failures++
	f := Failure[K]{Key: e.key, Err: err, Failures: e.failures}
	switch {
	case isTerminal(err) || q.spent(e):
		f.Verdict = Dropped
		q.dropped(e)
	case q.closed:
		f.Verdict = Discarded
		e.failures = 0
		q.counts.Discarded++
	default:
		f.Verdict = Retried
		f.RetryIn = q.retry(e, result.priorityOr(e.workPriority))
	}
	q.unlock()
	switch f.Verdict {
	case Retried:
		q.hooks.tellRetry(f.Failures, f.RetryIn)
	case Dropped:
		q.hooks.tellDrop(f.Failures)
	}
	return f
}

// priorityOr is the priority that the result asks for, or that of the run.
func (r Result) priorityOr(run int) int {
	if r.Priority != nil {
		return *r.Priority
	}
	return run
}
