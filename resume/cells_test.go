package resume

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// path is a short conversation that leads to a phase.
type path struct {
	options  Options
	outcomes []Outcome
}

var (
	start  = Outcome{Kind: Started}
	listed = Outcome{Kind: PageListed, ResourceVersion: "100"}
	opens  = Outcome{Kind: StreamOpened}
	over   = Outcome{Kind: WaitOver}
)

func failure(c FailureClass) Outcome { return Outcome{Kind: Failed, Failure: Failure{Class: c}} }

// paths leads to each phase.
var paths = [phases]path{
	PhaseIdle:           {},
	PhaseListing:        {outcomes: []Outcome{start}},
	PhaseOpening:        {outcomes: []Outcome{start, listed}},
	PhaseWatching:       {outcomes: []Outcome{start, listed, opens}},
	PhaseOpeningInitial: {Options{StreamInitial: true}, []Outcome{start}},
	PhaseStreaming:      {Options{StreamInitial: true}, []Outcome{start, opens}},
	PhaseProbing:        {outcomes: []Outcome{start, listed, opens, {Kind: Silent}, over}},
	PhaseWaiting:        {outcomes: []Outcome{start, failure(Unavailable)}},
	PhaseListingBeside:  {listsBeside, []Outcome{start, page("100", "a")}},
	PhaseWaitingBeside:  {listsBeside, []Outcome{start, page("100", "a"), aside(failure(Unavailable))}},
	PhaseAuditing:       {Options{AuditEvery: time.Minute}, []Outcome{start, listed, opens, event("101"), {}, event("102")}},
	PhaseGaveUp:         {outcomes: []Outcome{start, failure(Refused)}},
}

func (p path) referee(t *testing.T) *referee {
	t.Helper()
	o := p.options
	o.Rand = func() float64 { return 0.5 }
	r, err := newReferee(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range p.outcomes {
		if o == (Outcome{}) { // time passes
			r.now = r.now.Add(time.Minute)
			continue
		}
		if _, err := r.step(o); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// matrix says for each phase which action follows each signal; "-" is a
// TransitionError. It is written by hand, not drawn from the table.
//
//	S Started, P PageListed, O StreamOpened, E EventSeen, B BookmarkSeen,
//	C StreamEnded, Q Silent, W WaitOver, then the failures: X Expired,
//	L TooLargeVersion, T Throttled, U Unauthorized, F Forbidden, N NotFound,
//	R Refused, V Unavailable, G BadResponse
var matrix = map[Phase]string{
	//                    S        P        O        E        B        C        Q        W          X        L        T        U        F        N        R        V        G
	PhaseIdle:           `List     -        -        -        -        -        -        -          -        -        -        -        -        -        -        -        -`,
	PhaseListing:        `-        Watch    -        -        -        -        -        -          List     Wait     Wait     Wait     Wait     Wait     GiveUp   Wait     Wait`,
	PhaseOpening:        `-        -        Read     -        -        -        -        -          List     List     Wait     Wait     Wait     Wait     Wait     Wait     Wait`,
	PhaseWatching:       `-        -        -        Read     Read     Wait     Wait     -          List     List     Wait     Wait     Wait     Wait     Wait     Wait     Wait`,
	PhaseOpeningInitial: `-        -        Read     -        -        -        -        -          List     List     Wait     Wait     Wait     Wait     List     Wait     Wait`,
	PhaseStreaming:      `-        -        -        Read     Read     Wait     List     -          List     List     Wait     Wait     Wait     Wait     List     Wait     Wait`,
	PhaseProbing:        `-        Watch    -        -        -        -        -        -          List     List     Wait     Wait     Wait     Wait     Wait     Wait     Wait`,
	PhaseWaiting:        `-        -        -        -        -        -        -        List       -        -        -        -        -        -        -        -        -`,
	PhaseListingBeside:  `-        GoOn     -        -        -        -        -        -          List     GoOn     GoOn     GoOn     GoOn     GoOn     Wait     GoOn     GoOn`,
	PhaseWaitingBeside:  `-        -        -        -        -        -        -        GoOn       -        -        -        -        -        -        -        -        -`,
	PhaseAuditing:       `-        GoOn     -        -        -        -        -        -          GoOn     GoOn     GoOn     GoOn     GoOn     GoOn     GoOn     GoOn     GoOn`,
	PhaseGaveUp:         `-        -        -        -        -        -        -        -          -        -        -        -        -        -        -        -        -`,
}

// columns are the signals in the matrix' order.
func columns() []signal {
	all := []signal{started, pageListed, streamOpened, eventSeen, bookmarkSeen, streamEnded, silent, waitOver}
	for c := Expired; c <= BadResponse; c++ {
		all = append(all, fail(c))
	}
	return all
}

func TestEveryCell(t *testing.T) {
	for p := range Phase(phases) {
		wants := strings.Fields(matrix[p])
		if len(wants) != len(columns()) {
			t.Fatalf("%v has %d cells, want %d", p, len(wants), len(columns()))
		}
		for i, s := range columns() {
			kind, class := s.outcome()
			r := paths[p].referee(t)
			beside := r.m.State().Beside == p && p != PhaseIdle
			if is := phaseOf(r.m, beside); is != p {
				t.Fatalf("the path to %v leads to %v", p, is)
			}
			before := snapshot(r.m)
			a, err := r.m.Step(r.now.Add(time.Second), Outcome{Kind: kind, Beside: beside, ResourceVersion: "100", Failure: Failure{Class: class}})
			var refused *TransitionError
			switch {
			case wants[i] != "-" && err != nil:
				t.Errorf("%v, %v(%v): %v", p, kind, class, err)
			case wants[i] != "-" && a.Kind.String() != wants[i]:
				t.Errorf("%v, %v(%v): %v, want %v", p, kind, class, a.Kind, wants[i])
			case wants[i] == "-" && (!errors.As(err, &refused) || refused.Beside != beside || !beside && refused.Phase != p || refused.Outcome != kind || refused.Class != class):
				t.Errorf("%v, %v(%v): error %v, want a *TransitionError that says so", p, kind, class, err)
			case wants[i] == "-" && snapshot(r.m) != before:
				t.Errorf("%v, %v(%v): a refused outcome moved the machine", p, kind, class)
			}
		}
	}
}

// TestNoOutcome: what is no outcome at all is refused in every phase.
func TestNoOutcome(t *testing.T) {
	for p := range Phase(phases) {
		for _, o := range []Outcome{{}, {Kind: WaitOver + 1}, {Kind: 255}, {Kind: Failed}, failure(BadResponse + 1), failure(255)} {
			r := paths[p].referee(t)
			before := snapshot(r.m)
			o.Beside = r.m.State().Beside == p
			var refused *TransitionError
			if _, err := r.m.Step(r.now, o); !errors.As(err, &refused) || snapshot(r.m) != before {
				t.Errorf("%v took %+v: %v", p, o, err)
			}
		}
	}
}

// TestTableIsWellFormed: no cell twice, each rule documented and going
// somewhere.
func TestTableIsWellFormed(t *testing.T) {
	seen := map[cell]bool{}
	for _, tr := range Transitions() {
		c := cell{in: tr.In, on: Outcome{Kind: tr.On, Failure: Failure{Class: tr.Class}}.signal()}
		if seen[c] {
			t.Errorf("%v, %v(%v) stands in the table twice", tr.In, tr.On, tr.Class)
		}
		seen[c] = true
		if tr.Does == "" || len(tr.To) == 0 {
			t.Errorf("%v, %v(%v) says too little", tr.In, tr.On, tr.Class)
		}
	}
}
