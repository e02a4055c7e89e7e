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
	// the server's history is still the same. Zero means
	// [resume.DefaultSilence], negative never.
	SilenceBound time.Duration
	// StreamInitial fetches the state in the watch stream itself (WatchList,
	// KEP-3157) in place of a list in pages, the first time and after an expired
	// history. A server that refuses, or sends no end mark within
	// [resume.DefaultInitialLimit], is listed from then on. Until the mark has
	// come, nothing counts as deleted.
	StreamInitial bool
	// Encoding that objects are asked for in; zero is [EncodingAutomatic].
	Encoding Encoding
	// MetadataOnly asks for the objects' metadata only (PartialObjectMetadata).
	// A server that does not know it sends whole objects.
	MetadataOnly bool
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
// and created again under its name comes as Deleted, then Added.
//
// An error is the last thing that the iterator yields: the context's, a query
// that the server refuses for good, [ErrClosed], or what OnFailure returned. Everything else
// heals by itself. The loop runs in the caller's goroutine: a slow consumer
// slows the stream. Breaking out of the loop closes it.
func (c *Client) ListWatch(ctx context.Context, q Query, o ListWatchOptions) iter.Seq2[Event, error] {
	return NewReflector(c, q, o).Events(ctx)
}
