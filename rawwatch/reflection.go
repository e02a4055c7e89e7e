package rawwatch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// reflection is one run of a [Reflector]: the machine, what is known of each
// object, and the consumer. It lives in the consumer's goroutine and needs no
// lock.
type reflection struct {
	*Reflector
	// query is the reflector's own, unless the resource has moved to another
	// version.
	query   *Query
	ctx     context.Context
	yield   func(Event, error) bool
	machine *resume.Machine

	// index holds uid and resourceVersion of every object that the consumer
	// knows.
	index tracking
	// relist is set once a first list was complete: what a later one says is a
	// difference.
	relist bool
	// listing is set while a list, or a stream of initial events, is under way.
	listing bool
	// stream is the watch that is open, if the loop reads it alone or beside
	// something.
	stream *stream
	// besides is set while something runs beside the watch.
	besides bool
	// overlaps is set while, in a list beside the watch, an older state of an
	// object is no wonder.
	overlaps bool
	// before is how many objects were known when the list began, kept how many
	// of them it has shown.
	before, kept int
	audit        *AuditReport // under way, or over
	alarm        *alarm       // nil while all is well
	notFound     int          // answers in a row that said so
	// staleSeen counts states that came after a newer one of the same object.
	staleSeen int
	// staleBefore is what staleSeen was when the list under way began.
	staleBefore int
	// bookmarks is set once the server has sent one: silence then means
	// something.
	bookmarks bool
	// kinds remembers how the objects call themselves, for stubs too.
	kinds kindCache
	// partial is set while the stream holds metadata only.
	partial bool
	// streamless is set once initial events are known not to be streamed, or not
	// wanted so.
	streamless bool
	// form that objects are asked for in.
	form        form
	lastFailure error
	// listBegan and listChanges are kept for hooks.
	listBegan   time.Time
	listChanges int
}

// list does one page of a list.
func (r *reflection) list(action resume.Action) (resume.Action, error) {
	if action.BeginList {
		r.beginList(action)
	}
	var stop error
	stale := r.staleSeen
	page := listPage{limit: action.Limit, token: action.Continue, form: r.form}
	meta, err := r.client.readPage(r.ctx, *r.query, page, func(item *decode.Item) bool {
		stop = r.listed(item)
		return stop == nil
	})
	switch {
	case stop != nil:
		return r.unlisted(stop, false)
	case err != nil:
		return r.failed(err)
	}
	return r.pageEnded(meta, r.staleSeen > stale, false)
}

// listed takes in an object of a list.
func (r *reflection) listed(item *decode.Item) error {
	return r.seen(decode.Added, item.Object, &item.Meta, item.Err, r.listCause())
}

// unlisted is what follows when an object of a list was not taken in: its fault,
// or the consumer has stopped.
func (r *reflection) unlisted(stop error, beside bool) (resume.Action, error) {
	var unnamed *UnnamedObjectError
	if errors.As(stop, &unnamed) {
		return r.report(r.query.failed(r.client, "list", stop), beside)
	}
	return resume.Action{}, stop
}

// pageEnded takes in a page that was read to its end.
func (r *reflection) pageEnded(meta pageEnd, stale, beside bool) (resume.Action, error) {
	if r.index.Overfull() {
		r.client.log.Log(context.Background(), slog.LevelWarn, "more was deleted while the list was read than can be remembered, listing anew", "watch", r.query.String())
		return r.step(resume.Outcome{Kind: resume.Failed, Beside: beside, Failure: resume.Failure{Class: resume.Expired}})
	}
	r.board.served(meta.encoding, meta.partial())
	next, err := r.step(resume.Outcome{
		Kind: resume.PageListed, Beside: beside, ResourceVersion: meta.ResourceVersion, Continue: meta.Continue,
		Stale: stale, Emptied: r.emptied(),
	})
	if next.Beside == resume.ListBeside {
		r.overlaps = true
		r.board.beside()
	}
	if err == nil && next.Synced {
		err = r.synced()
	}
	if err == nil && next.Reason == resume.ReasonBadResponse {
		err = r.brokenList(meta.ListMeta)
	}
	return next, err
}

// beginList makes what an unfinished list has marked void.
func (r *reflection) beginList(action resume.Action) {
	r.index.AbortRelist()
	r.overlaps, r.before, r.kept = false, r.index.Len(), 0
	if action.Rewritten {
		r.index.ForgetOrder()
	}
	r.index.BeginRelist()
	r.listing, r.staleBefore = true, r.staleSeen
	mode := ListPaged
	if action.Kind == resume.StreamInitial {
		mode = ListInitialStream
	}
	r.board.listing(action.Reason, mode, r.relist)
	r.relistBegins(action.Reason)
}

// brokenList remembers why the machine did not take a page that read well.
func (r *reflection) brokenList(meta decode.ListMeta) error {
	problem := "a list page that asks for itself again, or that does not belong to the list"
	if meta.ResourceVersion == "" {
		problem = "a list without metadata.resourceVersion cannot be watched"
	}
	r.lastFailure = r.query.failed(r.client, "list", &PagingError{Problem: problem})
	r.board.failed(r.lastFailure, resume.BadResponse)
	if r.options.OnFailure == nil {
		return nil
	}
	return r.options.OnFailure(r.lastFailure)
}

// emptied reports whether the list under way has shown none of the objects that
// were known, where that calls for a second look.
func (r *reflection) emptied() bool {
	guard := r.options.EmptyListGuard
	return guard > 0 && r.before >= guard && r.kept == 0
}

func (r *reflection) listCause() Cause {
	if r.relist {
		return CauseRelist
	}
	return CauseList
}

// synced concludes a complete list: what was not in it is gone.
func (r *reflection) synced() error {
	for gone := range r.index.EndRelist() {
		if err := r.deliverGone(gone, CauseRelist); err != nil {
			return err
		}
	}
	state := r.machine.State()
	cause := r.listCause()
	if r.client.log.Enabled(r.ctx, slog.LevelInfo) {
		r.client.log.Log(context.Background(), slog.LevelInfo, "synced", "watch", r.query.String(), "objects", r.index.Len(), "resourceVersion", state.ResourceVersion, "cause", cause)
	}
	r.relist, r.listing, r.overlaps = true, false, false
	r.board.synced(r.index.Len())
	r.relistEnds()
	r.healthy()
	return r.deliver(Event{Type: Synced, Cause: cause, ResourceVersion: state.ResourceVersion})
}

// watch opens a stream.
func (r *reflection) watch(action resume.Action) (resume.Action, error) {
	if action.BeginList {
		r.beginList(action)
	}
	s, err := r.client.openStream(r.ctx, r.query, r.streamStart(action))
	if err != nil {
		return r.failed(err)
	}
	return r.opened(s)
}

// opened takes a stream over; it is closed by [reflection.closeStream].
func (r *reflection) opened(s *stream) (resume.Action, error) {
	r.stream = s
	next, err := r.step(resume.Outcome{Kind: resume.StreamOpened})
	r.board.connected(s.x.encoding)
	return next, err
}

func (r *reflection) closeStream() {
	if r.stream != nil {
		r.stream.close()
		r.stream = nil
		r.board.disconnected()
	}
}

func (r *reflection) streamStart(action resume.Action) streamStart {
	start := streamStart{version: action.ResourceVersion, timeout: action.Timeout, initial: action.Kind == resume.StreamInitial, form: r.form}
	switch {
	case start.initial:
		start.silence = resume.DefaultInitialLimit
	case r.bookmarks:
		start.silence = r.silenceBound()
	}
	return start
}

// framed says what follows from a frame, or from what came in its place.
func (r *reflection) framed(frame *decode.Event, err error) (resume.Action, error) {
	switch {
	case err != nil && r.mute(err):
		r.client.log.Log(context.Background(), slog.LevelInfo, "a whole watch without a frame, asking the server where it stands", "watch", r.query.String())
		return r.step(resume.Outcome{Kind: resume.Silent})
	case errors.Is(err, errWatchOver):
		return r.step(resume.Outcome{Kind: resume.StreamEnded, AtDeadline: true})
	case errors.Is(err, errSilent):
		r.client.log.Log(context.Background(), slog.LevelInfo, "no bookmark for long, asking the server where it stands", "watch", r.query.String())
		r.board.lose()
		return r.step(resume.Outcome{Kind: resume.Silent})
	case errors.Is(err, io.EOF):
		deadline := r.stream.atDeadline()
		if !deadline {
			r.board.lose()
		}
		return r.step(resume.Outcome{Kind: resume.StreamEnded, AtDeadline: deadline})
	case err != nil:
		return r.failed(err)
	}
	r.board.frame()
	r.healthy()
	if frame.Type == decode.Bookmark {
		return r.bookmark(frame)
	}
	return r.change(frame)
}

func (r *reflection) bookmark(frame *decode.Event) (resume.Action, error) {
	if !r.bookmarks {
		r.bookmarks = true
		r.stream.body.expect(r.silenceBound(), errSilent)
	}
	version := string(frame.Meta.ResourceVersion)
	if version == "" && !r.stream.pointless {
		r.stream.pointless = true // once per stream is enough
		if err := r.note(r.query.failed(r.client, "watch", &BookmarkError{})); err != nil {
			return resume.Action{}, err
		}
	}
	next, err := r.step(resume.Outcome{
		Kind: resume.BookmarkSeen, ResourceVersion: version, InitialEventsEnd: frame.Meta.InitialEventsEnd,
		Stale:   frame.Meta.InitialEventsEnd && r.staleSeen > r.staleBefore,
		Emptied: r.emptied(),
	})
	if err == nil && next.Synced {
		err = r.synced()
	}
	if err == nil && r.options.Bookmarks {
		if r.listing {
			version = "" // not all before it is known
		}
		err = r.deliver(Event{Type: Bookmark, Cause: CauseStream, ResourceVersion: version})
	}
	return next, err
}

// change delivers an object's change, then moves the resume point: a consumer
// that never comes back from its loop body has not had the event.
func (r *reflection) change(frame *decode.Event) (resume.Action, error) {
	version := string(frame.Meta.ResourceVersion)
	cause := CauseStream
	if r.listing {
		cause = r.listCause()
	}
	stale := r.staleSeen
	err := r.seen(frame.Type, frame.Object, &frame.Meta, frame.Err, cause)
	if err == nil && r.staleSeen > stale {
		err = r.disorder(&frame.Meta)
	}
	var unnamed *UnnamedObjectError
	var disorder *OrderError
	if errors.As(err, &unnamed) || errors.As(err, &disorder) {
		return r.failed(r.query.failed(r.client, "watch", err))
	}
	if err != nil {
		return resume.Action{}, err
	}
	if version == "" {
		return r.readOn(), nil
	}
	return r.step(resume.Outcome{Kind: resume.EventSeen, ResourceVersion: version})
}

// readOn is what the machine says to an event that is not worth telling it.
func (r *reflection) readOn() resume.Action {
	action := resume.Action{Kind: resume.Read}
	if r.besides {
		action.Beside = resume.GoOnBeside
	}
	return action
}

// mute reports whether the watch has come to its deadline without a single
// frame, after longer than silence may last. On a server that is not known to
// send bookmarks that may be a quiet resource; or the watch began at a version
// that the server, restored to an older state, has yet to reach, and where it
// sends none.
func (r *reflection) mute(end error) bool {
	s, bound := r.stream, r.silenceBound()
	over := errors.Is(end, errWatchOver) || errors.Is(end, io.EOF) && s.atDeadline()
	return over && !r.besides && !s.heard && !s.start.initial && bound > 0 && time.Since(s.opened) >= bound
}

func (r *reflection) silenceBound() time.Duration {
	switch b := r.options.SilenceBound; {
	case b == 0:
		return resume.DefaultSilence
	case b < 0:
		return 0
	default:
		return b
	}
}
