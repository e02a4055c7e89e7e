package resume

import (
	"strings"
	"testing"
	"time"
)

func TestState(t *testing.T) {
	r := play(t, Options{}, nil)
	if s := r.m.State(); s != (State{}) {
		t.Errorf("a new machine's state is %+v", s)
	}
	began := r.now
	for _, c := range []struct {
		after time.Duration
		o     Outcome
		want  State
	}{
		{0, start, State{Phase: PhaseListing, LastReason: ReasonInitial}},
		{time.Second, failure(Unavailable), State{Phase: PhaseWaiting, Failures: 1, LastFailure: Unavailable, LastReason: ReasonUnavailable, Since: began.Add(time.Second)}},
		{time.Second, over, State{Phase: PhaseListing, Failures: 1, LastFailure: Unavailable, LastReason: ReasonInitial, Since: began.Add(2 * time.Second)}},
		{time.Second, page("100", "a"), State{Phase: PhaseListing, Failures: 1, LastFailure: Unavailable, LastReason: ReasonNextPage, Since: began.Add(2 * time.Second)}},
		{time.Second, page("100", ""), State{Phase: PhaseOpening, ResourceVersion: "100", Synced: true, Failures: 1, LastFailure: Unavailable, LastReason: ReasonListed, Since: began.Add(4 * time.Second)}},
		{time.Second, opens, State{Phase: PhaseWatching, ResourceVersion: "100", Synced: true, Failures: 1, LastFailure: Unavailable, LastReason: ReasonListed, Since: began.Add(5 * time.Second)}},
		{time.Second, event("101"), State{Phase: PhaseWatching, ResourceVersion: "101", Synced: true, Failures: 1, LastFailure: Unavailable, LastReason: ReasonListed, Since: began.Add(5 * time.Second)}},
		{30 * time.Second, event("102"), State{Phase: PhaseWatching, ResourceVersion: "102", Synced: true, LastReason: ReasonListed, Since: began.Add(5 * time.Second)}},
		{time.Second, failure(Forbidden), State{Phase: PhaseWaiting, ResourceVersion: "102", Synced: true, Failures: 1, LastFailure: Forbidden, LastReason: ReasonForbidden, Since: began.Add(37 * time.Second)}},
	} {
		r.now = r.now.Add(c.after)
		if _, err := r.step(c.o); err != nil {
			t.Fatal(err)
		}
		if c.want.Since.IsZero() {
			c.want.Since = began
		}
		if got := r.m.State(); got != c.want {
			t.Errorf("after %v\ngot  %+v\nwant %+v", c.o.Kind, got, c.want)
		}
	}
}

// TestNames: each constant has a name of its own, and what is none has none.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	check := func(name string, known bool) {
		t.Helper()
		if known == (name == "unknown") || known && seen[name] {
			t.Errorf("name %q", name)
		}
		seen[name] = known
	}
	for k := OutcomeKind(0); k <= WaitOver+1; k++ {
		check(k.String(), k >= Started && k <= WaitOver)
	}
	for c := FailureClass(0); c <= BadResponse+1; c++ {
		check(c.String(), c >= Expired && c <= BadResponse)
	}
	for k := ActionKind(0); k <= GoOn+1; k++ {
		check(k.String(), k >= List && k <= GoOn)
	}
	for b := Beside(0); b <= AuditBeside+1; b++ {
		check(b.String(), b <= AuditBeside)
	}
	for p := Phase(0); p <= PhaseGaveUp+1; p++ {
		check(p.String(), p <= PhaseGaveUp)
	}
	for d := Discrepancy(0); d <= Different+1; d++ {
		check(d.String(), d <= Different)
	}
	for c := Change(0); c <= Stale+1; c++ {
		check(c.String(), c <= Stale)
	}
}

// TestTransitionError: it names what cannot happen, and where.
func TestTransitionError(t *testing.T) {
	for want, err := range map[string]error{
		"outcome EventSeen cannot happen in state Listing":                  &TransitionError{Phase: PhaseListing, Outcome: EventSeen},
		"outcome Failed(Expired) cannot happen in state Waiting":            &TransitionError{Phase: PhaseWaiting, Outcome: Failed, Class: Expired},
		"outcome WaitOver beside the watch cannot happen in state Watching": &TransitionError{Phase: PhaseWatching, Beside: true, Outcome: WaitOver},
		"outcome unknown cannot happen in state Idle":                       &TransitionError{},
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}
