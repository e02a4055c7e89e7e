package resume

import "time"

// after waits before it enters the next state.
func (m *Machine) after(d time.Duration, why Reason, next asker) Action {
	m.state = &waiting{next: next}
	return Action{Kind: Wait, Wait: d, Reason: why}
}

// over enters the state that the wait was for.
func (s *waiting) over(m *Machine, now time.Time, o Outcome) Action { return m.enter(s.next) }

// failed notes a failure and returns how many there are in a row.
func (m *Machine) failed(class FailureClass) int {
	m.health.last = class
	return m.health.bad()
}

// retry waits with backoff, and at least as long as the server asked for.
func (m *Machine) retry(f Failure, next asker) Action {
	d := m.backoff(m.failed(f.Class))
	return m.after(max(d, m.told(f)), classReasons[f.Class], next)
}

// throttled waits as told and a little more by chance, so that those who were
// throttled together do not come back together. A server that goes on
// throttling is asked more and more rarely, whatever it told.
func (m *Machine) throttled(f Failure, next asker) Action {
	return m.after(m.throttle(f), ReasonThrottled, next)
}

func (m *Machine) throttle(f Failure) time.Duration {
	told := m.told(f)
	d := max(told, m.backoff(m.failed(f.Class)))
	if told > 0 {
		d += m.chance(max(told/2, time.Second))
	}
	return d
}

// slowly waits for what a person has to mend.
func (m *Machine) slowly(class FailureClass, next asker) Action {
	return m.after(m.longWait(class), classReasons[class], next)
}

func (m *Machine) longWait(class FailureClass) time.Duration {
	m.failed(class)
	return m.o.SlowRetry + m.chance(m.o.SlowRetry/2)
}

// gap goes on after the history was lost: at once when that has not happened
// lately, with backoff when it goes round in circles.
func (m *Machine) gap(why Reason, next asker) Action {
	if n := m.health.gap(); n > 1 {
		return m.after(m.backoff(n-1), why, next)
	}
	return m.enter(next)
}

func (m *Machine) told(f Failure) time.Duration {
	return min(max(f.RetryAfter, 0), m.o.MaxRetryAfter)
}

func (m *Machine) backoff(n int) time.Duration { return m.o.Backoff.wait(n, m.rand()) }

func (m *Machine) chance(most time.Duration) time.Duration {
	return time.Duration(float64(most) * m.rand())
}
