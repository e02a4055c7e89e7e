package rawwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// Alarm is raised once when a watch does not get through: after Tries failures
// in a row, or when the first of them is After ago, whichever comes first. The
// watch goes on trying. A frame of a watch, or a complete list, arms it again.
type Alarm struct {
	// Tries in a row that failed; 0 is no such limit.
	Tries int
	// After is how long nothing has worked; 0 is no such limit.
	After time.Duration
	// Func is called in the loop's goroutine. Nil is no alarm.
	Func func(AlarmReport)
}

// AlarmReport is what an [Alarm] tells.
type AlarmReport struct {
	Query Query
	// Tries that have failed, the first of them at Since.
	Tries int
	Since time.Time
	// Err is the last failure, Class what it was taken for.
	Err   error
	Class resume.FailureClass
}

// alarm is the state of an [Alarm].
type alarm struct {
	tries int
	since time.Time
	rung  bool
}

// ring counts a failure. An expired history is none.
func (r *reflection) ring(failure error, class resume.FailureClass) {
	o := r.options.Alarm
	if o.Func == nil || class == resume.Expired {
		return
	}
	if r.alarm == nil {
		r.alarm = &alarm{since: time.Now()}
	}
	a := r.alarm
	a.tries++
	if a.rung || !(o.Tries > 0 && a.tries >= o.Tries || o.After > 0 && time.Since(a.since) >= o.After) {
		return
	}
	a.rung = true
	o.Func(AlarmReport{Query: *r.query, Tries: a.tries, Since: a.since, Err: failure, Class: class})
}

// healthy arms the alarm again.
func (r *reflection) healthy() {
	r.alarm = nil
	r.notFound = 0
}
