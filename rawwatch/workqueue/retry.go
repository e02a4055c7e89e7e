package workqueue

import "time"

// Retry queues a key again after a failure: after its backoff and when the
// limiter has a token for it, with the priority that it was handed out with. It
// returns how long that is; less if it is added meanwhile. Call it before
// [Queue.Done]. The error is a [*DroppedError] or a [*ShutDownError].
func (q *Queue[K]) Retry(key K) (time.Duration, error) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return 0, &ShutDownError{Op: "retry"}
	}
	e := q.entries.obtain(key)
	e.failures++
	if q.spent(e) {
		failures := q.dropped(e)
		q.entries.tidy(e)
		q.unlock()
		q.hooks.tellDrop(failures)
		return 0, &DroppedError{Key: key, Failures: failures}
	}
	failures, wait := e.failures, q.retry(e, e.workPriority)
	q.unlock()
	q.hooks.tellRetry(failures, wait)
	return wait, nil
}

// Forget says that a key is well again: its next failure counts as the first.
func (q *Queue[K]) Forget(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, known := q.entries.byKey[key]; known {
		e.failures = 0
		q.entries.tidy(e)
	}
}

// Failures is how often a key failed in a row, as far as Retry was told.
func (q *Queue[K]) Failures(key K) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, known := q.entries.byKey[key]; known {
		return e.failures
	}
	return 0
}

// spent tells whether an entry has used up its retries.
func (q *Queue[K]) spent(e *entry[K]) bool {
	return q.options.MaxRetries > 0 && e.failures > q.options.MaxRetries
}

// dropped forgets an entry's failures and returns how many there were.
func (q *Queue[K]) dropped(e *entry[K]) (failures int) {
	q.counts.Dropped++
	failures, e.failures = e.failures, 0
	return failures
}

// retry queues an entry after its wait. What is ready anyway takes no token.
func (q *Queue[K]) retry(e *entry[K], priority int) time.Duration {
	q.counts.Retried++
	if e.ready() || e.place == behind {
		q.want(e, AddOptions{Priority: priority})
		return 0
	}
	now := q.now()
	wait := q.options.Backoff.wait(e.failures, q.options.Chance())
	if !q.options.LimitAll {
		wait = max(wait, q.tokenWait(now))
	}
	q.want(e, AddOptions{Priority: priority, After: wait})
	if e.place != delayed {
		return 0
	}
	return min(wait, time.Duration(e.rank-now)) // an earlier addition counts
}
