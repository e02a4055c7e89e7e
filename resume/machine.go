package resume

import "time"

// Machine decides how to go on. It is a value without clock, network,
// goroutine or lock: [Machine.Step] is told what happened and when, and
// answers what to do next. Not safe for concurrent use.
type Machine struct {
	o       Options // with defaults
	state   state
	since   time.Time
	health  health
	synced  bool
	refused bool // the server does not stream initial events
	reason  Reason
}

// New returns a machine that waits for [Started]. The error is an
// [*OptionError].
func New(o Options) (*Machine, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Machine{o: o, state: &idle{}, health: health{patience: EmptyStreamsBeforeList}}, nil
}

// Step takes in what happened at the instant now, and says what to do. Instants
// must not run backwards (time.Now does not, within a process). The error is a
// [*TransitionError] for an outcome that cannot happen in this state; the
// machine is then as it was before. Step allocates nothing while a stream's
// events go by.
func (m *Machine) Step(now time.Time, o Outcome) (Action, error) {
	from := m.state.phase()
	r := lookup(from, o)
	if r == nil {
		return Action{}, &TransitionError{Phase: from, Outcome: o.Kind, Class: o.Failure.Class}
	}
	a := r.do(m, now, o)
	if m.state.phase() != from {
		m.since = now
	}
	if a.Kind != Read {
		m.reason = a.Reason
	}
	return a, nil
}

// State is what can be asked of a machine at any time.
type State struct {
	Phase Phase

	// ResourceVersion is the resume point: where a watch would start now. ""
	// while none is held, as during a list.
	ResourceVersion string

	// Synced is set from the first complete list or initial stream on, or
	// from the first frame of a watch that goes on from a checkpoint. It stays
	// set while the state is fetched anew: the old one is still served.
	Synced bool

	// Failures in a row; 0 while all is well. A lost history is routine and
	// not counted.
	Failures int

	// LastFailure is the class of the last failure; 0 when there was none
	// since requests last went well for Backoff.ResetAfter.
	LastFailure FailureClass

	// LastReason is that of the last action but Read.
	LastReason Reason

	// StreamRefused says that the server was found not to stream initial
	// events. Clients with many watches may remember it for the server.
	StreamRefused bool

	// Since is when Phase was entered; zero before Started.
	Since time.Time
}

// State returns the machine's state.
func (m *Machine) State() State {
	return State{
		Phase:           m.state.phase(),
		ResourceVersion: m.state.point(),
		Synced:          m.synced,
		Failures:        m.health.failures,
		LastFailure:     m.health.last,
		LastReason:      m.reason,
		StreamRefused:   m.refused,
		Since:           m.since,
	}
}

// start goes on from the checkpoint, or fetches the state.
func (s *idle) start(m *Machine, now time.Time, o Outcome) Action {
	if m.o.From != "" {
		return m.enter(&opening{from: m.o.From, reason: ReasonResumed})
	}
	return m.enter(m.fetch(ReasonInitial, attempt{}))
}

// enter goes to a state and asks what it is there to ask.
func (m *Machine) enter(s asker) Action {
	m.state = s
	return s.ask(m)
}

// fetch is the state in which everything is fetched anew.
func (m *Machine) fetch(why Reason, a attempt) asker {
	a.reason, a.limit = why, m.o.PageLimit
	if m.o.StreamInitial && !m.refused {
		return &openingInitial{attempt: a}
	}
	return &listing{attempt: a}
}

// drawTimeout spreads the timeouts of watches that began together.
func (m *Machine) drawTimeout() time.Duration {
	spread := float64(m.o.WatchTimeoutMax - m.o.WatchTimeoutMin)
	return (m.o.WatchTimeoutMin + time.Duration(spread*m.o.Rand())).Truncate(time.Second)
}
