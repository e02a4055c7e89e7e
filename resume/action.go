package resume

import "time"

// ActionKind is what the driver has to do next. The zero value is no action.
//
// Any action but Read, given while a stream is open, also means: close that
// stream first.
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
)

var actionNames = [...]string{"", "List", "Watch", "StreamInitial", "Read", "Probe", "Wait", "GiveUp"}

// String is the constant's name, or "unknown".
func (k ActionKind) String() string { return nameOf(actionNames[:], int(k)) }

// Action is what to do next. Fields not named for its Kind are zero.
type Action struct {
	Kind ActionKind

	// ResourceVersion is where a Watch starts, byte for byte as the server
	// gave it. Lists, probes and initial streams leave it unset: they ask for
	// the most recent state.
	ResourceVersion string

	// Continue is the token of page 2 and later of a List. It is never sent
	// together with resourceVersionMatch.
	Continue string

	// Limit is the page size of a List (0: no limit) and 1 for a Probe.
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
	// before this action is carried out.
	Synced bool
}

// Reason says why an action is taken. Reasons are words for logs, metrics and
// switches; new ones may be added.
type Reason string

const (
	ReasonInitial          Reason = "initial"                // nothing is known yet
	ReasonListed           Reason = "listed"                 // a list is complete: watch from its version
	ReasonNextPage         Reason = "next-page"              // the list goes on
	ReasonResumed          Reason = "resumed"                // go on from the last version, nothing lost
	ReasonExpired          Reason = "expired"                // the server no longer has the history
	ReasonTooLarge         Reason = "too-large"              // the server does not have that version yet
	ReasonTokenExpired     Reason = "list-token-expired"     // a list took longer than its snapshot lives
	ReasonEmptyStreams     Reason = "repeated-empty-streams" // watches ended at once without a frame
	ReasonBadStreams       Reason = "repeated-bad-streams"   // watches broke at the same frame again and again
	ReasonRewritten        Reason = "rewritten"              // the server's history is older than what it told before
	ReasonStreamRefused    Reason = "stream-refused"         // the server does not stream initial events
	ReasonStreamUnfinished Reason = "stream-unfinished"      // initial streams broke too often: list this time
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
