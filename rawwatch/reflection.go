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
	ctx     context.Context
	yield   func(Event, error) bool
	machine *resume.Machine
	log     *slog.Logger

	// index holds uid and resourceVersion of every object that the consumer
	// knows.
	index resume.Index[struct{}]
	// relist is set once a first list was complete: what a later one says is a
	// difference.
	relist bool
	// listing is set while a list, or a stream of initial events, is under way.
	listing bool
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
	// form that objects are asked for in.
	form        form
	lastFailure error
}

// list does one page of a list.
func (r *reflection) list(action resume.Action) (resume.Action, error) {
	if action.BeginList {
		r.beginList(action)
	}
	var stop error
	stale := r.staleSeen
	page := listPage{limit: action.Limit, token: action.Continue, form: r.form}
	meta, err := r.client.readPage(r.ctx, r.query, page, func(item *decode.Item) bool {
		stop = r.seen(decode.Added, item.Object, &item.Meta, item.Err, r.listCause())
		return stop == nil
	})
	var unnamed *UnnamedObjectError
	switch {
	case errors.As(stop, &unnamed):
		return r.failed(r.query.failed(r.client, "list", stop))
	case stop != nil:
		return resume.Action{}, stop
	case err != nil:
		return r.failed(err)
	}
	r.board.served(meta.encoding, meta.partial())
	next, err := r.step(resume.Outcome{
		Kind: resume.PageListed, ResourceVersion: meta.ResourceVersion, Continue: meta.Continue,
		Stale: r.staleSeen > stale,
	})
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
	if action.Rewritten {
		r.index.ForgetOrder()
	}
	r.index.BeginRelist()
	r.listing, r.staleBefore = true, r.staleSeen
	r.board.listing(action.Reason)
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
	r.log.Info("synced", "objects", r.index.Len(), "resourceVersion", state.ResourceVersion, "cause", cause)
	r.relist, r.listing = true, false
	r.board.synced(r.index.Len())
	return r.deliver(Event{Type: Synced, Cause: cause, ResourceVersion: state.ResourceVersion})
}

// watch opens one stream and follows it until the machine wants something
// else.
func (r *reflection) watch(action resume.Action) (resume.Action, error) {
	start := streamStart{version: action.ResourceVersion, timeout: action.Timeout, initial: action.Kind == resume.StreamInitial, form: r.form}
	switch {
	case start.initial:
		start.silence = resume.DefaultInitialLimit
	case r.bookmarks:
		start.silence = r.silenceBound()
	}
	if action.BeginList {
		r.beginList(action)
	}
	s, err := r.client.openStream(r.ctx, r.query, start)
	if err != nil {
		return r.failed(err)
	}
	defer s.close()
	next, err := r.step(resume.Outcome{Kind: resume.StreamOpened})
	r.board.connected(s.x.encoding)
	defer r.board.disconnected()
	for err == nil && next.Kind == resume.Read {
		next, err = r.frame(s)
	}
	return next, err
}

// frame waits for the next frame and says what follows from it.
func (r *reflection) frame(s *stream) (resume.Action, error) {
	frame, err := s.next()
	switch {
	case errors.Is(err, errWatchOver):
		return r.step(resume.Outcome{Kind: resume.StreamEnded, AtDeadline: true})
	case errors.Is(err, errSilent):
		r.log.Info("no bookmark for long, asking the server where it stands")
		return r.step(resume.Outcome{Kind: resume.Silent})
	case errors.Is(err, io.EOF):
		return r.step(resume.Outcome{Kind: resume.StreamEnded, AtDeadline: s.atDeadline()})
	case err != nil:
		return r.failed(err)
	}
	r.board.frame()
	if frame.Type == decode.Bookmark {
		return r.bookmark(s, frame)
	}
	return r.change(frame)
}

func (r *reflection) bookmark(s *stream, frame *decode.Event) (resume.Action, error) {
	if !r.bookmarks {
		r.bookmarks = true
		s.body.expect(r.silenceBound(), errSilent)
	}
	version := string(frame.Meta.ResourceVersion)
	next, err := r.step(resume.Outcome{
		Kind: resume.BookmarkSeen, ResourceVersion: version, InitialEventsEnd: frame.Meta.InitialEventsEnd,
		Stale: frame.Meta.InitialEventsEnd && r.staleSeen > r.staleBefore,
	})
	if err == nil && next.Synced {
		err = r.synced()
	}
	if err == nil && r.options.Bookmarks {
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
	err := r.seen(frame.Type, frame.Object, &frame.Meta, frame.Err, cause)
	var unnamed *UnnamedObjectError
	if errors.As(err, &unnamed) {
		return r.failed(r.query.failed(r.client, "watch", err))
	}
	if err != nil {
		return resume.Action{}, err
	}
	if version == "" {
		return resume.Action{Kind: resume.Read}, nil
	}
	return r.step(resume.Outcome{Kind: resume.EventSeen, ResourceVersion: version})
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
