package resume

import "time"

// Machine decides how to go on. It is a value without clock, network,
// goroutine or lock: [Machine.Step] is told what happened and when, and
// answers what to do next. Not safe for concurrent use.
type Machine struct {
	o       *settings // shared
	from    string    // Options.From
	rand    func() float64
	state   state
	since   time.Time
	health  health
	synced  bool
	refused bool // the server does not stream initial events
	slow    bool // they come, and do not end in time
	reason  Reason

	side      state     // what runs beside the watch; nil as a rule
	slowLists int       // lists in a row that took longer than the history lasts
	opaque    bool      // the server gave versions without an order
	nextAudit time.Time // zero until there is something to audit
}

// New returns a machine that waits for [Started]. The error is an
// [*OptionError].
func New(o Options) (*Machine, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Machine{o: o.settings(), from: o.From, rand: o.Rand, state: &idle{}, refused: o.StreamRefused, health: health{patience: EmptyStreamsBeforeList}}, nil
}

// Step takes in what happened at the instant now, and says what to do. Instants
// must not run backwards (time.Now does not, within a process). The error is a
// [*TransitionError] for an outcome that cannot happen in this state; the
// machine is then as it was before. Step allocates nothing while a stream's
// events go by.
func (m *Machine) Step(now time.Time, o Outcome) (Action, error) {
	from := m.state.phase()
	r := m.rule(o)
	if r == nil {
		return Action{}, &TransitionError{Phase: from, Beside: o.Beside, Outcome: o.Kind, Class: o.Failure.Class}
	}
	a := r.do(m, now, o)
	if m.state.phase() != from {
		m.since = now
	}
	m.settleBeside(&a)
	if a.Kind != Read {
		m.reason = a.Reason
	}
	return a, nil
}

// rule finds what the outcome leads to; nil is nothing.
func (m *Machine) rule(o Outcome) *rule {
	switch {
	case !o.Beside:
		return lookup(m.state.phase(), o)
	case m.side == nil:
		return nil
	}
	return lookup(m.side.phase(), o)
}

// settleBeside ends what runs beside a watch together with its resume point,
// and otherwise lets it go on.
func (m *Machine) settleBeside(a *Action) {
	switch {
	case m.side == nil:
	case m.state.point() == "":
		m.side = nil
	case a.Beside == NothingBeside:
		a.Beside = GoOnBeside
	}
}

// State is what can be asked of a machine at any time.
type State struct {
	Phase Phase

	// Beside is PhaseListingBeside, PhaseWaitingBeside or PhaseAuditing, or
	// PhaseIdle while nothing runs beside the watch.
	Beside Phase

	// ResourceVersion is the resume point: where a watch would start now, all
	// before it being known. "" while none is held, as during a list.
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

	// StreamSlow says that initial events came, and did not end within
	// Options.InitialLimit: the server ignores what was asked, or this watch's
	// objects are many for the link, or its consumer is slow. The machine lists
	// from then on; of other watches it says nothing.
	StreamSlow bool

	// Since is when Phase was entered; zero before Started.
	Since time.Time
}

// State returns the machine's state.
func (m *Machine) State() State {
	s := State{
		Phase:           m.state.phase(),
		ResourceVersion: m.state.point(),
		Synced:          m.synced,
		Failures:        m.health.failures,
		LastFailure:     m.health.last,
		LastReason:      m.reason,
		StreamRefused:   m.refused,
		StreamSlow:      m.slow,
		Since:           m.since,
	}
	if m.side != nil {
		s.Beside = m.side.phase()
	}
	if m.incomplete() {
		s.ResourceVersion = ""
	}
	return s
}

// start goes on from the checkpoint, or fetches the state.
func (s *idle) start(m *Machine, now time.Time, o Outcome) Action {
	if m.from != "" {
		return m.enter(&opening{from: m.from, reason: ReasonResumed})
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
	a.reason, a.limit = why, m.pageLimit()
	if m.streams(a) {
		return &openingInitial{streaming{attempt: a}}
	}
	return &listing{attempt: a}
}

// streams reports whether this attempt asks for a stream of initial events. A
// history that was lost is fetched in pages, unless streams are wanted there
// too: a server that has just thrown its history away is short of memory, and
// pages can be retried one by one.
func (m *Machine) streams(a attempt) bool {
	return m.o.StreamInitial && !m.refused && !m.slow && (m.o.StreamRelist || !m.synced && !a.paged)
}

// drawTimeout spreads the timeouts of watches that began together.
func (m *Machine) drawTimeout() time.Duration {
	spread := float64(m.o.WatchTimeoutMax - m.o.WatchTimeoutMin)
	return (m.o.WatchTimeoutMin + time.Duration(spread*m.rand())).Truncate(time.Second)
}
