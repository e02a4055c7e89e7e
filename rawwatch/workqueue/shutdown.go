package workqueue

import "context"

// ShutDown ends the queue for additions. What is queued is still handed out,
// and so is what was added again while in work; what is delayed is discarded,
// and failures are not retried any more. It returns at once and may be called
// again. To stop workers without finishing the queue, end the context of
// [Queue.Run].
func (q *Queue[K]) ShutDown() {
	q.mu.Lock()
	q.closed = true
	for e := q.due.top(); e != nil; e = q.due.top() {
		q.due.remove(e)
		e.place = nowhere
		q.counts.Discarded++
		q.entries.tidy(e)
	}
	if q.tokenAt == 0 {
		q.stopAlarm()
	}
	q.settleEnd()
	q.unlock()
}

// ShutDownWithDrain is [Queue.ShutDown], and waits until every key that was
// queued or in work is done. Somebody has to work on them: without workers, or
// called by a worker, it waits for the context. The error is a [*DrainError]; the queue is shut down
// all the same.
func (q *Queue[K]) ShutDownWithDrain(ctx context.Context) error {
	q.ShutDown()
	select {
	case <-q.drained:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return nil
	}
	return &DrainError{Queued: q.ready.n + q.owed, InFlight: q.inWork, Err: context.Cause(ctx)}
}

// ShuttingDown tells whether ShutDown was called.
func (q *Queue[K]) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// settleEnd tells those who wait for it that a queue shut down has come to its
// end: workers when nothing is left to hand out, drains when nothing is in work.
func (q *Queue[K]) settleEnd() {
	if !q.closed || q.ready.n > 0 || q.owed > 0 {
		return
	}
	q.waiters.wakeAll()
	if q.inWork == 0 && !q.over {
		q.over = true
		q.stopAlarm()
		close(q.drained)
	}
}
