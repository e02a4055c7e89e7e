package rawwatch

import (
	"context"
	"iter"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// ListWatchOptions adjusts a [Client.ListWatch] and a [Reflector]. The zero
// value is right for most programs.
type ListWatchOptions struct {
	// PageLimit is the number of objects that one request of a list asks for.
	// Zero means [resume.DefaultPageLimit], negative means all in one.
	PageLimit int64
	// WatchTimeoutMin and WatchTimeoutMax are the bounds between which each
	// watch's timeoutSeconds is drawn, so that not all clients come back at
	// once. Zero means 5 and 10 minutes.
	WatchTimeoutMin, WatchTimeoutMax time.Duration
	// Backoff between attempts after failures; zero means 0.8 s to 30 s.
	Backoff resume.Backoff
	// SilenceBound is how long a watch may go without any frame, on a server
	// that is known to send bookmarks, before a list of one object asks whether
	// the server's history is still the same. On other servers a watch that
	// lived at least so long, to its deadline, without any frame has the same
	// question asked. Zero means
	// [resume.DefaultSilence], negative never.
	SilenceBound time.Duration
	// ListFirst fetches the first state with a list in pages. Without it, it
	// comes in the watch stream itself (WatchList, KEP-3157) where the server
	// has that, which costs the server less and is one request. A server that
	// refuses, or falls silent for [resume.DefaultInitialLimit] before the end
	// mark, is listed from then on, also by the client's other watches of that
	// API group; where events still come after that time, by those of that
	// resource. [Status].Unstreamed says so. Until the mark has come, nothing
	// counts as deleted.
	ListFirst bool
	// StreamRelist fetches the state as a stream after an expired history, too.
	// Without it that is always a list in pages, which is gentler to a server
	// that has just lost its history. It cannot be set together with ListFirst.
	StreamRelist bool
	// Encoding that objects are asked for in; zero is [EncodingAutomatic].
	Encoding Encoding
	// MetadataOnly asks for the objects' metadata only (PartialObjectMetadata).
	// A server that does not know it sends whole objects.
	MetadataOnly bool
	// ListWhileWatching lets a watch run beside the further pages of each list,
	// from its first page on, so that a list may take longer than the server's
	// history lasts (slow links, very many objects). It happens by itself after
	// two lists in a row that did. Until Synced, what the watch tells comes with
	// the list's cause. It costs two goroutines while the list lasts.
	ListWhileWatching bool
	// EmptyListGuard guards against a wrong empty world: when a list shows none
	// of the objects that were known, and that were at least so many, it is
	// asked for once more before they count as deleted. 0 is no guard.
	EmptyListGuard int
	// AuditEvery is how often what is known is compared, uid and resourceVersion
	// of each object, with a metadata-only list at exactly the version that the
	// watch has reached. A difference is healed by a relist. It tells of bugs
	// and of histories rewritten that nothing else shows. 0 is never; at least a
	// minute.
	AuditEvery time.Duration
	// OnAudit is told of each audit when it is over, in the loop's goroutine.
	// Nil means differences are logged only.
	OnAudit func(AuditReport)
	// Alarm is raised while nothing works for long.
	Alarm Alarm
	// Rediscover is asked for the resource when the server says for the second
	// time in a row that it does not exist, and each time after that, about
	// twice a minute: a version of an API may stop being served, while the
	// objects are served in another. A resource other than the query's is used
	// from then on. Objects that do not change keep the form in which they came.
	// An error is logged; nil means the same resource is asked for on and on.
	// discovery.Follow makes one.
	Rediscover func(ctx context.Context, r Resource) (Resource, error)
	// Bookmarks delivers the server's bookmarks too.
	Bookmarks bool
	// OnFailure is told of everything that went wrong and will be tried again:
	// a [*RequestError] as a rule. Return nil to go on, or an
	// error to end the iteration with it. It is not called for what is no
	// failure but routine: a history that expired. Nil means go on for ever.
	OnFailure func(error) error
}

// ListWatch yields the state of the query's objects and every change of it,
// for ever: it lists, watches, resumes after a cut, and lists again when the
// server's history no longer reaches back, delivering only the difference.
//
// First come the objects that exist, as [Added] with [CauseList]; then
// [Synced]; then the changes. After a relist come its differences with
// [CauseRelist], a deletion as a stub (see [Object.IsStub]), then [Synced]
// again. Per object, states arrive in order, none twice with the same uid and
// resourceVersion, and the latest always arrives. An object that was deleted
// and created again under its name comes as Deleted, then Added. Where a list
// goes on beside a watch (see ListWatchOptions.ListWhileWatching), changes come
// between the list's objects, with the list's cause.
//
// An error is the last thing that the iterator yields: the context's, a query
// that the server refuses for good, [ErrClosed], or what OnFailure returned. Everything else
// heals by itself. The loop runs in the caller's goroutine: a slow consumer
// slows the stream. Breaking out of the loop closes it.
func (c *Client) ListWatch(ctx context.Context, q Query, o ListWatchOptions) iter.Seq2[Event, error] {
	return NewReflector(c, q, o).Events(ctx)
}
