package workqueue

import (
	"time"

	"golang.org/x/time/rate"
)

// A token is asked for again at these intervals at least and at most: the
// limiter's rate may be changed, or a shared limiter's tokens taken, meanwhile.
const (
	minTokenWait = time.Microsecond
	maxTokenWait = time.Second
)

// mayBegin takes a token for a hand-out, or notes when there will be one.
func (q *Queue[K]) mayBegin(now int64) bool {
	if q.tokenAt > now {
		return false
	}
	at := q.base.Add(time.Duration(now))
	if q.options.Limiter.AllowN(at, 1) {
		q.tokenAt = 0
		return true
	}
	wait := maxTokenWait
	if limit := q.options.Limiter.Limit(); limit > 0 {
		seconds := (1 - q.options.Limiter.TokensAt(at)) / float64(limit)
		if seconds < maxTokenWait.Seconds() {
			wait = max(time.Duration(seconds*float64(time.Second))+1, minTokenWait)
		}
	}
	q.tokenAt = later(now, wait)
	q.setAlarm(now)
	return false
}

// tokenWait takes a token for a retry and says when it may be used. A limiter
// that will never give one, because its rate was set to 0 meanwhile, counts as
// the longest backoff.
func (q *Queue[K]) tokenWait(now int64) time.Duration {
	at := q.base.Add(time.Duration(now))
	reservation := q.options.Limiter.ReserveN(at, 1)
	if !reservation.OK() {
		return q.options.Backoff.Max
	}
	wait := reservation.DelayFrom(at)
	if wait == rate.InfDuration {
		return q.options.Backoff.Max
	}
	return wait
}
