package resume

import (
	"errors"
	"fmt"
	"time"
)

// referee watches a machine's conversation and checks the invariants, knowing
// nothing of how the machine works: only what it was told and what it asked.
// The tests step their machines through a referee.
type referee struct {
	m   *Machine
	o   Options // with defaults
	now time.Time

	last    Action // what was asked last
	initial bool   // the stream asked for, or open, is one of initial events
	begun   Action // the List or StreamInitial that began the fetch under way
	first   string // version of the list's page 1
	token   string // its last continue token
	refusal int    // continue tokens that were not accepted since a list was complete

	granted map[string]bool // versions that a watch may start from
	point   string          // the newest of them
	synced  bool

	asked []time.Time // requests of the last minute
	most  int         // most requests in any minute
	total int
	cells map[cell]bool
	steps int
}

// cell is one transition that was seen.
type cell struct {
	in Phase
	on signal
	to Phase
}

func newReferee(o Options) (*referee, error) {
	m, err := New(o)
	if err != nil {
		return nil, err
	}
	r := &referee{m: m, o: m.o, now: time.Unix(1e9, 0), cells: map[cell]bool{}}
	r.history(o.From)
	return r, nil
}

// history begins with the one version that is a resume point in it, or none.
func (r *referee) history(version string) {
	r.granted, r.point = map[string]bool{}, ""
	if version != "" {
		r.granted[version], r.point = true, version
	}
}

func (r *referee) grant(v string) {
	if v == "" || v == "0" || len(v) > MaxVersionLength {
		return
	}
	r.granted[v] = true
	if order, comparable := CompareVersions(v, r.point); !comparable || order > 0 {
		r.point = v
	}
}

// legal says which outcomes can follow the last action.
func (r *referee) legal(o Outcome) bool {
	if o.Kind == Failed && (o.Failure.Class < Expired || o.Failure.Class > BadResponse) {
		return false
	}
	switch r.last.Kind {
	case 0:
		return o.Kind == Started
	case List, Probe:
		return o.Kind == PageListed || o.Kind == Failed
	case Watch, StreamInitial:
		return o.Kind == StreamOpened || o.Kind == Failed
	case Read:
		return o.Kind >= EventSeen && o.Kind <= Failed
	case Wait:
		return o.Kind == WaitOver
	}
	return false
}

// step steps the machine and returns what it asks, or which rule it broke.
func (r *referee) step(o Outcome) (Action, error) {
	r.steps++
	if !r.legal(o) {
		return Action{}, r.refuses(o)
	}
	before := r.m.State().Phase
	a, err := r.m.Step(r.now, o)
	if err == nil {
		r.cells[cell{before, o.signal(), r.m.State().Phase}] = true
		err = r.judge(o, a)
	}
	if err != nil {
		return a, fmt.Errorf("step %d, %v, %v(%v), answered %+v: %w", r.steps, before, o.Kind, o.Failure.Class, a, err)
	}
	r.last = a
	return a, nil
}

func (r *referee) refuses(o Outcome) error {
	before := snapshot(r.m)
	_, err := r.m.Step(r.now, o)
	var refused *TransitionError
	if !errors.As(err, &refused) {
		return fmt.Errorf("%v after %v: error %v, want a *TransitionError", o.Kind, r.last.Kind, err)
	}
	if after := snapshot(r.m); after != before {
		return fmt.Errorf("a refused outcome moved the machine from %s to %s", before, after)
	}
	return nil
}

// snapshot is all of a machine's state as text.
func snapshot(m *Machine) string {
	text := fmt.Sprintf("%v %v %v %v %v", m.since, m.health, m.synced, m.refused, m.reason)
	s := m.state
	for w, ok := s.(*waiting); ok; w, ok = s.(*waiting) {
		text += " waiting for"
		s = w.next
	}
	return fmt.Sprintf("%s %T %+v", text, s, s)
}

// judge takes in what the server said, then looks at what is asked.
func (r *referee) judge(o Outcome, a Action) error {
	complete := r.learn(o)
	if a.Synced && !complete {
		return errors.New("in sync without a complete list or initial stream")
	}
	if complete && !a.Synced && a.Kind != Wait {
		return errors.New("a complete list was neither concluded from nor doubted")
	}
	if a.Synced {
		r.synced, r.refusal, r.initial = true, 0, false
		r.history(r.first)
	}
	if err := r.judgeAction(o, a); err != nil {
		return err
	}
	s := r.m.State()
	switch {
	case s.Synced != r.synced:
		return fmt.Errorf("state says synced %v, want %v", s.Synced, r.synced)
	case s.ResourceVersion != "" && s.ResourceVersion != r.point:
		return fmt.Errorf("resume point %q, want %q", s.ResourceVersion, r.point)
	case (s.Phase == PhaseWatching || s.Phase == PhaseOpening) && s.ResourceVersion == "":
		return errors.New("a watch without a resume point")
	}
	return nil
}

// learn takes in what the server said, and reports whether that completed a
// list or an initial stream.
func (r *referee) learn(o Outcome) (complete bool) {
	switch {
	case o.Kind == PageListed && r.last.Kind == List:
		if r.last.Continue == "" {
			r.first = o.ResourceVersion
		}
		r.token = o.Continue
		return o.Continue == "" && r.first != "" && r.first != "0"
	case o.Kind == BookmarkSeen && r.initial:
		r.first = o.ResourceVersion
		return o.InitialEventsEnd && r.first != "" && r.first != "0"
	case (o.Kind == EventSeen || o.Kind == BookmarkSeen) && !r.initial:
		r.grant(o.ResourceVersion)
		r.synced = true
	case o.Kind == Failed && r.last.Kind == List && r.last.Continue != "":
		if o.Failure.Class == Expired || o.Failure.Class == Refused {
			r.refusal++
		}
	case o.Kind == Failed && o.Failure.Class == Expired:
		r.history("")
	}
	return false
}

func (r *referee) judgeAction(o Outcome, a Action) error {
	if a.Kind != Watch && a.ResourceVersion != "" {
		return errors.New("only watches start from a version")
	}
	if a.Reason == "" {
		return errors.New("no reason given")
	}
	switch a.Kind {
	case List:
		return r.judgeList(o, a)
	case Watch:
		r.request()
		r.initial = false
		if !r.granted[a.ResourceVersion] || a.ResourceVersion != r.point {
			return fmt.Errorf("watch from %q, want %q, one of %v", a.ResourceVersion, r.point, r.granted)
		}
		return r.judgeTimeout(a)
	case StreamInitial:
		r.request()
		r.begin(a)
		r.initial = true
		if !r.o.StreamInitial || r.m.State().StreamRefused {
			return errors.New("an initial stream that nobody wants")
		}
		return r.judgeTimeout(a)
	case Probe:
		r.request()
		if a.Limit != 1 || o.Kind != Silent && r.last.Reason != ReasonSilent {
			return errors.New("no reason to probe")
		}
	case Read:
		if o.Kind != StreamOpened && r.last.Kind != Read {
			return errors.New("read from what is not open")
		}
	case Wait:
		longest := max(r.o.SlowRetry, r.o.MaxRetryAfter, r.o.Backoff.Max, EndJitter)
		if a.Wait < 0 || a.Wait > longest*3/2 {
			return fmt.Errorf("waits %v, want at most %v", a.Wait, longest*3/2)
		}
	case GiveUp:
		if r.synced || o.Failure.Class != Refused {
			return errors.New("gave up on what can heal")
		}
	default:
		return errors.New("no action")
	}
	return r.overload()
}

func (r *referee) judgeList(o Outcome, a Action) error {
	if a.Continue != "" {
		if o.Kind != PageListed {
			r.request() // the same page again
		}
		if a.BeginList || a.Continue != r.token || a.Limit != r.begun.Limit {
			return errors.New("this page does not follow the one before")
		}
		return r.overload()
	}
	r.request()
	r.begin(a)
	switch {
	case !a.BeginList:
		return errors.New("page 1 does not begin a list")
	case a.Limit != r.o.PageLimit && (a.Limit != 0 || r.refusal <= MaxListRestarts):
		return fmt.Errorf("limit %d after %d refused tokens", a.Limit, r.refusal)
	}
	return r.overload()
}

// begin notes that everything is fetched anew: nothing is a resume point.
func (r *referee) begin(a Action) {
	r.begun, r.token, r.first, r.initial = a, "", "", false
	r.history("")
}

func (r *referee) judgeTimeout(a Action) error {
	if a.Timeout < r.o.WatchTimeoutMin || a.Timeout > r.o.WatchTimeoutMax || a.Timeout%time.Second != 0 {
		return fmt.Errorf("timeout %v", a.Timeout)
	}
	return r.overload()
}

func (r *referee) request() {
	r.total++
	r.asked = append(r.asked, r.now)
	for r.now.Sub(r.asked[0]) >= time.Minute {
		r.asked = r.asked[1:]
	}
	r.most = max(r.most, len(r.asked))
}

// mostPerMinute bounds the requests in any 60 s, next pages of a list that
// moves on not counted, whatever the outcomes are. Two series of waits go side
// by side, of failures and of lost histories (each of which costs a list and a
// watch), and half a minute of health may start them anew.
const mostPerMinute = 40

func (r *referee) overload() error {
	if r.most > mostPerMinute {
		return fmt.Errorf("%d requests within a minute", r.most)
	}
	return nil
}
