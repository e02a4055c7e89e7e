package resume

import "time"

// ActionKind is what the driver has to do next. The zero value is no action.
//
// Any action but Read and GoOn, given while a stream is open, also means: close
// that stream first.
type ActionKind uint8

const (
	_             ActionKind = iota
	List                     // ask for one list page; answer PageListed or Failed
	Watch                    // open a watch; answer StreamOpened or Failed
	StreamInitial            // open a watch with sendInitialEvents; answer StreamOpened or Failed
	Read                     // go on reading the open stream
	Probe                    // list with limit 1 and the version unset, items ignored; answer PageListed or Failed
	Wait                     // let Action.Wait pass; answer WaitOver
	GiveUp                   // the request can never succeed; the machine is done
	GoOn                     // what was asked before goes on; what runs beside it has moved
)

var actionNames = [...]string{"", "List", "Watch", "StreamInitial", "Read", "Probe", "Wait", "GiveUp", "GoOn"}

// String is the constant's name, or "unknown".
func (k ActionKind) String() string { return nameOf(actionNames[:], int(k)) }

// Beside is what has to happen beside the watch: a list whose first page has
// come goes on while the watch from its version runs already, or an audit. The
// zero value is nothing.
//
// What runs beside is a second conversation. Its outcomes have Outcome.Beside
// set, and may come at any time between those of the watch; the two must be
// reported one after the other.
type Beside uint8

const (
	NothingBeside Beside = iota // nothing is to run beside: end what does
	GoOnBeside                  // what runs beside goes on
	ListBeside                  // ask for the page Continue; answer PageListed or Failed
	WaitBeside                  // let Action.Wait pass; answer WaitOver
	AuditBeside                 // list at exactly ResourceVersion, or its page Continue, and compare; answer PageListed or Failed
)

var besideNames = [...]string{"NothingBeside", "GoOnBeside", "ListBeside", "WaitBeside", "AuditBeside"}

// String is the constant's name, or "unknown".
func (b Beside) String() string { return nameOf(besideNames[:], int(b)) }

// Action is what to do next. Fields not named for its Kind or Beside are zero.
type Action struct {
	Kind ActionKind

	// Beside says what is to happen beside it. Only one of Kind and Beside
	// begins something new, but for the Watch that begins together with the
	// ListBeside of page 2.
	Beside Beside

	// ResourceVersion is where a Watch starts, byte for byte as the server
	// gave it, and the version of an audit's first page, with
	// resourceVersionMatch=Exact. Lists, probes and initial streams leave it
	// unset: they ask for the most recent state.
	ResourceVersion string

	// Continue is the token of page 2 and later of a List, of a ListBeside or
	// of an audit. It is never sent together with resourceVersionMatch.
	Continue string

	// Limit is the page size of a List, a ListBeside and an audit (0: no
	// limit) and 1 for a Probe.
	Limit int64

	// Timeout is the timeoutSeconds of a Watch or StreamInitial: whole
	// seconds.
	Timeout time.Duration

	// Wait is how long to wait.
	Wait time.Duration

	// Reason says why; for a Wait, why it is needed.
	Reason Reason

	// BeginList says that this List (page 1) or StreamInitial begins the
	// state anew: what an older attempt marked is void (Index.BeginRelist).
	BeginList bool

	// Rewritten says, together with BeginList, that the server's history may
	// be another than before: the order of the versions known so far means
	// nothing now (Index.ForgetOrder).
	Rewritten bool

	// Synced says that the outcome just reported completed a list or an
	// initial stream: deletions may be concluded now (Index.EndRelist),
	// before this action is carried out. A list that ran beside the watch is
	// complete with a GoOn.
	Synced bool
}

// Reason says why an action is taken. Reasons are words for logs, metrics and
// switches; new ones may be added.
type Reason string

const (
	ReasonInitial          Reason = "initial"                // nothing is known yet
	ReasonListed           Reason = "listed"                 // a list is complete: watch from its version
	ReasonListBeside       Reason = "list-beside"            // a list has begun: watch from its version beside its further pages
	ReasonOpaque           Reason = "opaque-versions"        // versions have no order: list first, then watch
	ReasonEmptied          Reason = "emptied"                // a list says that all is gone: ask once more
	ReasonAudit            Reason = "audit"                  // what is known is compared with the server's list
	ReasonAuditDiffers     Reason = "audit-differs"          // and they are not the same
	ReasonNextPage         Reason = "next-page"              // the list goes on
	ReasonResumed          Reason = "resumed"                // go on from the last version, nothing lost
	ReasonExpired          Reason = "expired"                // the server no longer has the history
	ReasonTooLarge         Reason = "too-large"              // the server does not have that version yet
	ReasonTokenExpired     Reason = "list-token-expired"     // a list took longer than its snapshot lives
	ReasonEmptyStreams     Reason = "repeated-empty-streams" // watches ended at once without a frame
	ReasonBadStreams       Reason = "repeated-bad-streams"   // watches broke at the same frame again and again
	ReasonRewritten        Reason = "rewritten"              // the server's history is older than what it told before
	ReasonStreamRefused    Reason = "stream-refused"         // the server does not stream initial events
	ReasonStreamUnfinished Reason = "stream-unfinished"      // initial streams broke too often, or did not end in time: list
	ReasonEnded            Reason = "ended"                  // a watch ended cleanly before its time
	ReasonSilent           Reason = "silent"                 // a watch had no frame for too long
	ReasonThrottled        Reason = "throttled"              // 429
	ReasonUnauthorized     Reason = "unauthorized"           // 401
	ReasonForbidden        Reason = "forbidden"              // 403
	ReasonNotFound         Reason = "not-found"              // 404
	ReasonRefused          Reason = "refused"                // the request is wrong
	ReasonUnavailable      Reason = "unavailable"            // server or network
	ReasonBadResponse      Reason = "bad-response"           // no answer that Kubernetes gives
)

var classReasons = [...]Reason{
	Expired: ReasonExpired, TooLargeVersion: ReasonTooLarge, Throttled: ReasonThrottled,
	Unauthorized: ReasonUnauthorized, Forbidden: ReasonForbidden, NotFound: ReasonNotFound,
	Refused: ReasonRefused, Unavailable: ReasonUnavailable, BadResponse: ReasonBadResponse,
}
