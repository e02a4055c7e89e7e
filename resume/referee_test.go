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
	o   *settings // with defaults
	now time.Time

	last    Action // what was asked last
	side    Action // the same of what runs beside it; zero when nothing does
	besides int    // what was begun beside
	initial bool   // the stream asked for, or open, is one of initial events
	begun   Action // the List or StreamInitial that began the fetch under way
	first   string // version of the list's page 1
	token   string // its last continue token
	refusal int    // continue tokens that were not accepted since a list was complete
	expired int    // histories and tokens that were too old
	listing bool   // a list is under way beside the watch

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
	if o.Beside {
		switch r.side.Beside {
		case ListBeside, AuditBeside:
			return o.Kind == PageListed || o.Kind == Failed
		case WaitBeside:
			return o.Kind == WaitOver
		}
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
	before := phaseOf(r.m, o.Beside)
	a, err := r.m.Step(r.now, o)
	if err == nil {
		r.cells[cell{before, o.signal(), phaseOf(r.m, o.Beside && a.Kind == GoOn)}] = true
		err = r.judge(o, a)
	}
	if err != nil {
		return a, fmt.Errorf("step %d, %v, %v(%v) beside %v, answered %+v: %w", r.steps, before, o.Kind, o.Failure.Class, o.Beside, a, err)
	}
	switch a.Beside {
	case NothingBeside:
		r.side, r.listing = Action{}, false
	case GoOnBeside:
	default:
		r.side = a
	}
	if a.Kind != GoOn {
		r.last = a
	}
	return a, nil
}

// phaseOf is the state of the watch, or of what runs beside it.
func phaseOf(m *Machine, beside bool) Phase {
	if beside {
		return m.State().Beside
	}
	return m.State().Phase
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
	text := fmt.Sprintf("%v %v %v %v %v %v", m.since, m.health, m.synced, m.refused, m.slow, m.reason)
	text += fmt.Sprintf(" %T %+v %v %v %v", m.side, m.side, m.slowLists, m.opaque, m.nextAudit)
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
		r.synced, r.refusal = true, 0
		if !o.Beside {
			r.initial = false
			r.history(r.first)
		}
		r.listing = false
	}
	if err := r.judgeBeside(o, a); err != nil {
		return err
	}
	if a.Kind != GoOn {
		if err := r.judgeAction(o, a); err != nil {
			return err
		}
	}
	s := r.m.State()
	switch {
	case s.Synced != r.synced:
		return fmt.Errorf("state says synced %v, want %v", s.Synced, r.synced)
	case s.ResourceVersion != "" && s.ResourceVersion != r.point:
		return fmt.Errorf("resume point %q, want %q", s.ResourceVersion, r.point)
	case (s.Phase == PhaseWatching || s.Phase == PhaseOpening) && s.ResourceVersion == "" != r.listing:
		return errors.New("a watch without a resume point, or one that can be had before the list is complete")
	}
	return nil
}

// learn takes in what the server said, and reports whether that completed a
// list or an initial stream.
func (r *referee) learn(o Outcome) (complete bool) {
	switch {
	case o.Beside:
		return r.learnBeside(o)
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
		r.synced = r.synced || !r.listing
	case o.Kind == Failed && r.last.Kind == List && r.last.Continue != "":
		if o.Failure.Class == Expired {
			r.expired++
		}
		if o.Failure.Class == Expired || o.Failure.Class == Refused {
			r.refusal++
		}
	case o.Kind == Failed && o.Failure.Class == Expired:
		r.expired++
		r.history("")
	}
	return false
}

// learnBeside takes in what was said beside the watch, where nothing is a
// resume point.
func (r *referee) learnBeside(o Outcome) (complete bool) {
	switch {
	case r.side.Beside != ListBeside:
	case o.Kind == PageListed:
		r.token = o.Continue
		return o.Continue == ""
	case o.Kind == Failed && o.Failure.Class == Expired:
		r.expired++
		r.refusal++
		r.token = o.Failure.Continue
	case o.Kind == Failed && o.Failure.Class == Refused:
		r.refusal++
	}
	return false
}

// judgeBeside: a list goes on beside a watch from its first page's version
// only; an audit asks at a version up to which everything is known.
func (r *referee) judgeBeside(o Outcome, a Action) error {
	switch {
	case a.Kind == GoOn && !o.Beside:
		return errors.New("the watch goes on with nothing")
	case a.Beside == GoOnBeside && (r.side.Beside == NothingBeside || o.Beside):
		return errors.New("nothing is there to go on beside the watch")
	}
	switch a.Beside {
	case ListBeside:
		if a.Kind == Watch {
			if a.ResourceVersion != r.first || r.last.Kind != List || o.Kind != PageListed {
				return errors.New("a list splits from a watch elsewhere")
			}
			r.history(r.first)
			r.listing = true
			r.besides++
		} else if o.Kind != PageListed {
			r.request()
		}
		if a.Continue == "" || a.Continue != r.token || a.Limit != r.begun.Limit || !r.listing {
			return errors.New("this page does not follow the one before")
		}
	case WaitBeside:
		if !r.listing {
			return errors.New("nothing to wait for")
		}
		return r.judgeWait(a)
	case AuditBeside:
		if a.Continue == "" {
			r.request()
		}
		if (a.Continue == "") != (a.Kind == Read && a.ResourceVersion == r.point && r.synced && !r.listing) {
			return errors.New("an audit of what cannot be known")
		}
	}
	return r.overload()
}

func (r *referee) judgeWait(a Action) error {
	longest := max(r.o.SlowRetry, r.o.MaxRetryAfter, r.o.Backoff.Max, EndJitter)
	if a.Wait < 0 || a.Wait > longest*3/2 {
		return fmt.Errorf("waits %v, want at most %v", a.Wait, longest*3/2)
	}
	return nil
}

func (r *referee) judgeAction(o Outcome, a Action) error {
	if a.Kind != Watch && a.Beside != AuditBeside && a.ResourceVersion != "" {
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
		if s := r.m.State(); !r.o.StreamInitial || s.StreamRefused || s.StreamSlow {
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
		if err := r.judgeWait(a); err != nil {
			return err
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
	case a.Limit == r.o.PageLimit:
	case r.o.PageLimit == 0 && a.Limit == DefaultPageLimit && (r.o.ListWhileWatching || r.expired >= 2):
	case a.Limit != 0 || r.refusal <= MaxListRestarts:
		return fmt.Errorf("limit %d after %d refused tokens", a.Limit, r.refusal)
	}
	return r.overload()
}

// begin notes that everything is fetched anew: nothing is a resume point.
func (r *referee) begin(a Action) {
	r.begun, r.token, r.first, r.initial, r.listing = a, "", "", false, false
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
