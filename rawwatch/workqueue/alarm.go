package workqueue

import "time"

// alarm is the queue's one timer, for whatever comes first: a delayed key, or
// the token that a worker waits for.
type alarm struct {
	timer *time.Timer
	at    int64 // 0: not set
}

// setAlarm sees to it that ring is called when something is due. One that is
// set too early is left: it rings, finds nothing, and sets itself again.
func (q *Queue[K]) setAlarm(now int64) {
	var at int64
	if first := q.due.top(); first != nil {
		at = first.rank
	}
	if q.tokenAt != 0 && (at == 0 || q.tokenAt < at) {
		at = q.tokenAt
	}
	if at == 0 || q.alarm.at != 0 && q.alarm.at <= at {
		return
	}
	q.alarm.at = at
	wait := time.Duration(at - now)
	if q.alarm.timer == nil {
		q.alarm.timer = time.AfterFunc(wait, q.ring)
		return
	}
	q.alarm.timer.Reset(wait)
}

// ring runs in the timer's goroutine, for as long as it takes to look.
func (q *Queue[K]) ring() {
	q.mu.Lock()
	q.alarm.at = 0
	now := q.now()
	q.promote(now)
	if q.tokenAt != 0 && q.tokenAt <= now {
		q.tokenAt = 0
		q.waiters.wake()
	}
	q.setAlarm(now)
	q.unlock()
}

// stopAlarm is for a queue that waits for nothing any more.
func (q *Queue[K]) stopAlarm() {
	if q.alarm.timer != nil && q.alarm.at != 0 {
		q.alarm.timer.Stop()
		q.alarm.at = 0
	}
}
