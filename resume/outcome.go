package resume

import "time"

// OutcomeKind says what happened to the last [Action]. The zero value is no
// outcome.
type OutcomeKind uint8

const (
	_            OutcomeKind = iota
	Started                  // the first outcome of all: the driver is ready
	PageListed               // a list page (or a probe) was read to its very end
	StreamOpened             // a watch was answered with success headers; no frame yet
	EventSeen                // an ADDED, MODIFIED or DELETED frame
	BookmarkSeen             // a BOOKMARK frame
	StreamEnded              // the stream ended cleanly, between two frames
	Silent                   // the open stream had no frame for too long ([DefaultSilence])
	Failed                   // the request or the stream failed: see [Failure]
	WaitOver                 // the time of a [Wait] has passed
)

// Outcome tells [Machine.Step] what happened. Only the fields named for its
// Kind are read.
type Outcome struct {
	Kind OutcomeKind

	// Beside says that this is what became of Action.Beside, not of the Action
	// itself.
	Beside bool

	// ResourceVersion is the list metadata's for PageListed, the object's for
	// EventSeen and BookmarkSeen. The machine keeps the string: it must not
	// lie in a buffer that is used again.
	ResourceVersion string

	// Continue is the list metadata's continue token for PageListed, "" for
	// the last page. The machine keeps the string.
	Continue string

	// Stale may be set for PageListed, and for the BookmarkSeen that ends the
	// initial events, when [Index.Observe] answered [Stale] for an object of
	// the page or of those events: proof that the server's history was
	// rewritten, or that an old answer came. The state is then asked for once
	// more. It is not read for pages that come beside a watch, where the watch
	// may have told of a newer state.
	Stale bool

	// Emptied may be set for the last PageListed, and for the BookmarkSeen that
	// ends the initial events, when none of the objects known before has been
	// seen: the state is then asked for once more before that is believed.
	Emptied bool

	// Differs says for the last page of an audit that what is known at that
	// version is not what the server lists.
	Differs bool

	// InitialEventsEnd says that the bookmark carried the annotation
	// k8s.io/initial-events-end with the value "true" (KEP-3157).
	InitialEventsEnd bool

	// AtDeadline says for StreamEnded that the watch ended at, or about at,
	// its own timeoutSeconds.
	AtDeadline bool

	// Failure describes a Failed outcome.
	Failure Failure
}

// Failure is what went wrong, as far as it matters for going on.
type Failure struct {
	Class FailureClass

	// RetryAfter is the wait that the server asked for, in a Retry-After
	// header or in details.retryAfterSeconds; 0 when it asked for none.
	RetryAfter time.Duration

	// Continue is the token in the metadata of a 410 Status that answered a
	// list page. It leads to an inconsistent list: the rest of the keys in a
	// newer state. The machine uses it only beside a watch from page 1's
	// version, which tells what lies between; otherwise the list starts anew.
	// The machine keeps the string.
	Continue string

	// ErrorFrame says that the failure came as an ERROR frame in an open
	// stream, not from HTTP or the network. It tells a server that refuses
	// initial events from a stream that was cut.
	ErrorFrame bool
}

// FailureClass groups failures by what is right to do next. The zero value is
// no class and never accepted by [Machine.Step].
type FailureClass uint8

const (
	_               FailureClass = iota
	Expired                      // 410 in any form: the version or the continue token is too old
	TooLargeVersion              // 504 with cause ResourceVersionTooLarge: the version is from the future
	Throttled                    // 429
	Unauthorized                 // 401, after the credential was refreshed once by the driver
	Forbidden                    // 403
	NotFound                     // 404 for the resource
	Refused                      // 400, 405, 406, 415, 422: the request itself is wrong
	Unavailable                  // 5xx, no connection, a body cut short
	BadResponse                  // not Kubernetes, not JSON, over a limit, a list without a resourceVersion
)

var outcomeNames = [...]string{
	"", "Started", "PageListed", "StreamOpened", "EventSeen", "BookmarkSeen",
	"StreamEnded", "Silent", "Failed", "WaitOver",
}

// String is the constant's name, or "unknown".
func (k OutcomeKind) String() string { return nameOf(outcomeNames[:], int(k)) }

var classNames = [...]string{
	"", "Expired", "TooLargeVersion", "Throttled", "Unauthorized", "Forbidden",
	"NotFound", "Refused", "Unavailable", "BadResponse",
}

// String is the constant's name, or "unknown".
func (c FailureClass) String() string { return nameOf(classNames[:], int(c)) }

func nameOf(names []string, i int) string {
	if i >= len(names) || names[i] == "" {
		return "unknown"
	}
	return names[i]
}
