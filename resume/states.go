package resume

import "time"

// Phase names a state of the machine. What holds in each, how it is entered
// and how left, stands with the state's own type and in the transition table.
type Phase uint8

const (
	PhaseIdle           Phase = iota // made by New; waits for Started
	PhaseListing                     // a list page was asked for
	PhaseOpening                     // a watch was asked for, no answer yet
	PhaseWatching                    // a watch is open
	PhaseOpeningInitial              // a stream of initial events was asked for, no answer yet
	PhaseStreaming                   // initial events are coming, their end mark has not
	PhaseProbing                     // the silent watch's server is asked where it stands
	PhaseWaiting                     // time has to pass
	PhaseListingBeside               // beside a watch: a later page of a list was asked for
	PhaseWaitingBeside               // beside a watch: time has to pass until the list goes on
	PhaseAuditing                    // beside a watch: a page of an audit was asked for
	PhaseGaveUp                      // the end
	phases              = iota
)

var phaseNames = [...]string{
	"Idle", "Listing", "Opening", "Watching", "OpeningInitial", "Streaming", "Probing", "Waiting",
	"ListingBeside", "WaitingBeside", "Auditing", "GaveUp",
}

// String is the phase's name without the prefix, or "unknown".
func (p Phase) String() string { return nameOf(phaseNames[:], int(p)) }

// state is one of the types below. Each carries the data that is valid in it
// and nothing else: a resume point, for one, exists only where a watch may
// start from it.
type state interface {
	phase() Phase
	point() string // the resume point, "" where there is none
}

// asker is a state that is entered by asking the server for something, at once
// or after a wait.
type asker interface {
	state
	ask(*Machine) Action
}

// idle: nothing is asked for. The machine is in it when made by New, until
// Started; beside a watch it is the rule.
type idle struct{}

// listing: a list page was asked for. Entered at the start, and whenever the
// history was lost and initial events are not, or no longer, streamed. Left
// when the last page has come (Opening) or the server refuses the very first
// list (GaveUp); failures go through Waiting and come back.
type listing struct {
	attempt
	version string // page 1's resourceVersion: where the watch will start
	token   string // of the page asked for; "" is page 1
	mark    string // an earlier token, to notice a list that runs in circles
	pages   int    // complete so far
	tries   int    // failures of the page asked for
}

// attempt is what the tries to fetch the whole state have in common.
type attempt struct {
	reason    Reason
	limit     int64
	known     string // resume point of the history before; "" if none
	restarts  int    // lists begun anew because a continue token was not accepted
	streams   int    // initial streams that broke
	rewritten bool   // the history before is known to be void
	paged     bool   // the server called a version expired: in pages
	doubted   bool   // a list before said that everything is gone
}

// opening: a watch from a resume point was asked for. Entered when a list is
// complete, when a watch has ended, and at the start with a checkpoint. Left
// by the stream's opening (Watching) or by a failure: back through Waiting, or
// to a new list when the version is of no more use.
type opening struct {
	from    string
	reason  Reason
	timeout time.Duration // of the watch asked for; drawn by ask
}

// watching: a stream is open and moves the resume point. Entered when a watch
// opens or initial events are complete. Left by the stream's end in any form.
type watching struct {
	at      string // resume point
	opened  time.Time
	timeout time.Duration
	framed  bool // a frame has come
	listed  bool // opened right after a list
}

// openingInitial: a stream of initial events was asked for. Entered like
// listing, where streams are asked for and not known to be refused. Left by
// the stream's opening (Streaming), or by a failure: back through Waiting, or
// to a list.
type openingInitial struct{ streaming } // which it becomes

// streaming: initial events are coming, in any order, so that none of their
// versions is a resume point. Entered from OpeningInitial. Left by the end
// mark (Watching, on the same stream), or by anything else: the stream starts
// over, or the state is listed.
type streaming struct {
	attempt
	opened  time.Time
	timeout time.Duration
}

// probing: the watch was silent for long and is closed; a list of one object
// is to say whether the server is still at, or past, the resume point. Entered
// from Watching. Left to Opening when it is (or cannot say), to a new list when
// it is behind.
type probing struct{ from string }

// waiting: time has to pass before the state that it holds is entered. Left by
// WaitOver.
type waiting struct{ next asker }

// listingBeside: a later page of a list was asked for, while the watch from
// page 1's version runs, or is on its way back. Entered from Listing with page
// 2, where lists and watches go side by side. Over when the last page has come
// (Idle), when the list has to start anew, or when the watch has lost its
// resume point.
type listingBeside struct{ listing }

// waitingBeside: time has to pass until the list beside the watch goes on. Left
// by WaitOver, or as ListingBeside is.
type waitingBeside struct{ next *listingBeside }

// auditing: a page of a list at exactly a version that the watch has passed was
// asked for, to be compared with what is known. Entered from Watching every so
// often. Over (Idle) when the last page has come or anything goes wrong; a
// difference leads to a new list.
type auditing struct {
	token string
	mark  string // an earlier token, to notice an audit that runs in circles
	pages int
}

// gaveUp: the end. Entered when the server refused the very first list.
// Nothing is accepted any more.
type gaveUp struct{}

func (*idle) phase() Phase           { return PhaseIdle }
func (*listing) phase() Phase        { return PhaseListing }
func (*opening) phase() Phase        { return PhaseOpening }
func (*watching) phase() Phase       { return PhaseWatching }
func (*openingInitial) phase() Phase { return PhaseOpeningInitial }
func (*streaming) phase() Phase      { return PhaseStreaming }
func (*probing) phase() Phase        { return PhaseProbing }
func (*waiting) phase() Phase        { return PhaseWaiting }
func (*listingBeside) phase() Phase  { return PhaseListingBeside }
func (*waitingBeside) phase() Phase  { return PhaseWaitingBeside }
func (*auditing) phase() Phase       { return PhaseAuditing }
func (*gaveUp) phase() Phase         { return PhaseGaveUp }

func (*idle) point() string       { return "" }
func (attempt) point() string     { return "" }
func (s *opening) point() string  { return s.from }
func (s *watching) point() string { return s.at }
func (s *probing) point() string  { return s.from }
func (s *waiting) point() string  { return s.next.point() }
func (*gaveUp) point() string     { return "" }

// What runs beside a watch has no resume point of its own.

func (*waitingBeside) point() string { return "" }
func (*auditing) point() string      { return "" }
