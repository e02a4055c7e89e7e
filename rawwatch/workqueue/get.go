package workqueue

import (
	"context"
	"time"
)

// Get waits for a key and hands it out: no other Get returns it before [Queue.Done]
// was called for it. The error is the context's (its cause), or a
// [*ShutDownError] when the queue is shut down and nothing is left. Most
// programs call [Queue.Run] instead.
func (q *Queue[K]) Get(ctx context.Context) (K, error) {
	_, key, err := q.take(ctx, false)
	return key, err
}

// Done says that the work on a key which Get returned is over, well or not: see
// [Queue.Retry] and [Queue.Forget], which belong before it. The error is a
// [*NotInWorkError].
func (q *Queue[K]) Done(key K) error {
	q.mu.Lock()
	e, known := q.entries.byKey[key]
	if !known || !e.work || e.byRun {
		byRun := known && e.work
		q.mu.Unlock()
		return &NotInWorkError{Key: key, ByRun: byRun}
	}
	q.release(e)
	return nil
}

// take waits for an entry and puts it in work. Without the lock nobody may
// touch what is in it.
func (q *Queue[K]) take(ctx context.Context, byRun bool) (e *entry[K], key K, err error) {
	if ctx.Err() != nil {
		return nil, key, context.Cause(ctx)
	}
	q.mu.Lock()
	for {
		e, waited := q.pick()
		if e != nil {
			e.byRun, key = byRun, e.key
			priority := e.workPriority
			q.unlock()
			q.hooks.tellInFlight(+1)
			q.hooks.tellWait(waited, priority)
			return e, key, nil
		}
		if q.closed && q.ready.n == 0 && q.owed == 0 {
			q.unlock()
			return nil, key, &ShutDownError{Op: "get"}
		}
		one := q.waiters.enlist()
		q.unlock()
		woken := q.sleep(ctx, one)
		if ctx.Err() != nil {
			if woken {
				q.waiters.wake() // another has to look
			}
			q.unlock()
			return nil, key, context.Cause(ctx)
		}
	}
}

// sleep returns when the waiter was woken or the context ended, with the queue
// locked.
func (q *Queue[K]) sleep(ctx context.Context, one *waiter) (woken bool) {
	select {
	case <-one.woken:
		woken = true
	case <-ctx.Done():
	}
	q.mu.Lock()
	if !woken && !q.waiters.leave(one) {
		<-one.woken
		woken = true
	}
	q.waiters.recycle(one)
	return woken
}

// pick is the next entry, now in work, and how long it was ready; nil when none
// may be handed out.
func (q *Queue[K]) pick() (e *entry[K], waited time.Duration) {
	now := q.now()
	q.promote(now)
	e = q.ready.next()
	if e == nil || q.options.LimitAll && !q.mayBegin(now) {
		return nil, 0
	}
	q.ready.take(e)
	q.untold--
	waited = time.Duration(now - e.since)
	e.work, e.since, e.workPriority = true, now, e.priority
	q.working.append(e)
	q.inWork++
	q.counts.HandedOut++
	if q.ready.n > 0 && q.options.LimitAll {
		q.waiters.wake() // to wait for the next token
	}
	q.settleEnd()
	return e, waited
}

// release takes an entry out of work and unlocks the queue.
func (q *Queue[K]) release(e *entry[K]) {
	var now int64 // reading the clock is a good part of what this costs
	if e.place == behind || len(q.hooks.work) > 0 {
		now = q.now()
	}
	took := time.Duration(now - e.since)
	e.work, e.byRun = false, false
	q.working.remove(e)
	q.inWork--
	if e.place == behind {
		e.place = nowhere
		q.owed--
		q.makeReady(e, now)
	} else {
		q.entries.tidy(e)
	}
	q.settleEnd()
	q.unlock()
	q.hooks.tellInFlight(-1)
	q.hooks.tellWork(took)
}
