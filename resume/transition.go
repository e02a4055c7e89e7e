package resume

import "fmt"

// signal is a column of the table: an outcome's kind, with failures told apart
// by their class.
type signal uint8

const (
	started      = signal(Started)
	pageListed   = signal(PageListed)
	streamOpened = signal(StreamOpened)
	eventSeen    = signal(EventSeen)
	bookmarkSeen = signal(BookmarkSeen)
	streamEnded  = signal(StreamEnded)
	silent       = signal(Silent)
	waitOver     = signal(WaitOver)
	signals      = waitOver + signal(BadResponse) + 1
)

func fail(c FailureClass) signal { return waitOver + signal(c) }

// signal is 0, which is in no table, for what is no outcome.
func (o Outcome) signal() signal {
	if o.Kind > WaitOver || o.Kind == Failed && (o.Failure.Class == 0 || o.Failure.Class > BadResponse) {
		return 0
	}
	if o.Kind == Failed {
		return fail(o.Failure.Class)
	}
	return signal(o.Kind)
}

// outcome is what has this signal.
func (s signal) outcome() (OutcomeKind, FailureClass) {
	if s > waitOver {
		return Failed, FailureClass(s - waitOver)
	}
	return OutcomeKind(s), 0
}

// cells is the table by phase and signal.
var cells = func() (c [phases][signals]*rule) {
	for i := range table {
		for _, s := range table[i].on {
			c[table[i].in][s] = &table[i]
		}
	}
	return c
}()

func lookup(p Phase, o Outcome) *rule { return cells[p][o.signal()] }

// TransitionError says that an outcome cannot happen in a state: the driver did
// something else than it was told, or reports it twice. The machine did not
// move.
type TransitionError struct {
	Phase   Phase // of the watch
	Beside  bool  // the outcome was said to be of what runs beside it
	Outcome OutcomeKind
	Class   FailureClass // of a Failed outcome
}

// Error names the state and the outcome.
func (e *TransitionError) Error() string {
	what := e.Outcome.String()
	if e.Outcome == Failed {
		what += "(" + e.Class.String() + ")"
	}
	if e.Beside {
		what += " beside the watch"
	}
	return fmt.Sprintf("resume: outcome %s cannot happen in state %s: report only what the last action led to", what, e.Phase)
}

// Transition is one line of the machine's table, for those who draw it.
type Transition struct {
	In    Phase
	On    OutcomeKind
	Class FailureClass // for Failed
	To    []Phase
	Does  string
}

// Transitions returns the table, in its order. The caller owns what is
// returned.
func Transitions() []Transition {
	var all []Transition
	for _, r := range table {
		for _, s := range r.on {
			kind, class := s.outcome()
			all = append(all, Transition{In: r.in, On: kind, Class: class, To: append([]Phase(nil), r.to...), Does: r.doc})
		}
	}
	return all
}
