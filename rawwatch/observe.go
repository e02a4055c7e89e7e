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

// requestStarts tells the hooks of a request, and returns what tells them of
// its end.
func (c *Client) requestStarts(q request) (ends func(*exchange, error)) {
	c.requests.Add(1)
	for _, h := range c.hooks.requestStart {
		h.OnRequestStart(q.info())
	}
	if len(c.hooks.requestEnd) == 0 {
		return func(*exchange, error) {}
	}
	info, began := q.info(), time.Now()
	return func(x *exchange, err error) {
		r := RequestResult{Duration: time.Since(began), Err: err}
		if x != nil {
			r.Code = x.resp.StatusCode
		} else if failed, ok := err.(*RequestError); ok {
			r.Code = failed.Code
		}
		for _, h := range c.hooks.requestEnd {
			h.OnRequestEnd(info, r)
		}
	}
}

// pageRead tells the hooks of a page.
func (c *Client) pageRead(q Query, p PageInfo) {
	for _, h := range c.hooks.page {
		h.OnPage(q.info("list"), p)
	}
}

// hookNotes are kept of a stream for hooks only.
type hookNotes struct {
	offset  int64     // of the last frame's end
	given   time.Time // when the last frame was given to the consumer
	ending  StreamEnd
	failure error // that ended it
}

// opensToHooks tells that a stream is open.
func (s *stream) opensToHooks() {
	s.client.openStreams.Add(1)
	if h := &s.client.hooks; len(h.frame)+len(h.lag)+len(h.streamClose) > 0 {
		s.notes = &hookNotes{ending: StreamClosed}
	}
	for _, h := range s.client.hooks.streamOpen {
		h.OnStreamOpen(s.query.info("watch"), s.x.encoding)
	}
}

// frameToHooks tells of one frame.
func (s *stream) frameToHooks(t decode.EventType) {
	offset := s.frames.Offset()
	for _, h := range s.client.hooks.frame {
		h.OnFrame(s.query.info("watch"), t, offset-s.notes.offset)
	}
	s.notes.offset = offset
}

// closesToHooks tells that a stream has ended.
func (s *stream) closesToHooks() {
	s.client.openStreams.Add(-1)
	for _, h := range s.client.hooks.streamClose {
		h.OnStreamClose(s.query.info("watch"), StreamResult{
			Reason: s.notes.ending, Err: s.notes.failure, Frames: s.frames.Frames(), Bytes: s.frames.Offset(), Duration: time.Since(s.opened),
		})
	}
}

// ends notes how the stream has ended, for hooks. io.EOF and the client's own
// ends are no failures.
func (s *stream) ends(err error) {
	switch {
	case s.notes == nil:
	case errors.Is(err, errWatchOver), errors.Is(err, io.EOF) && s.atDeadline():
		s.notes.ending = StreamTimeout
	case errors.Is(err, io.EOF):
		s.notes.ending = StreamEnded
	case errors.Is(err, errSilent):
		s.notes.ending = StreamSilent
	case s.x.ctx.Err() == nil:
		s.notes.ending, s.notes.failure = StreamFailed, err
	}
}

// lagToHooks is called when the consumer comes for the next frame.
func (s *stream) lagToHooks() {
	if s.notes.given.IsZero() {
		return
	}
	lag := time.Since(s.notes.given)
	s.notes.given = time.Time{}
	for _, h := range s.client.hooks.lag {
		h.OnLag(s.query.info("watch"), lag)
	}
}

func (r *reflection) relistBegins(why resume.Reason) {
	r.listBegan, r.listChanges = time.Now(), 0
	for _, h := range r.client.hooks.relistBegin {
		h.OnRelistBegin(r.query.info("list"), why)
	}
}

func (r *reflection) relistEnds() {
	for _, h := range r.client.hooks.relistEnd {
		h.OnRelistEnd(r.query.info("list"), RelistResult{
			Objects: r.index.Len(), Changes: r.listChanges, Duration: time.Since(r.listBegan),
		})
	}
}

// backoffBegins tells of an action that waits, after an outcome and the failure
// that it was, if any.
func (r *reflection) backoffBegins(o resume.Outcome, failure error, action resume.Action) {
	if action.Kind != resume.Wait && action.Beside != resume.WaitBeside {
		return
	}
	info := BackoffInfo{Wait: action.Wait, Reason: action.Reason, Err: failure}
	if failure != nil {
		info.Class = o.Failure.Class
	}
	for _, h := range r.client.hooks.backoff {
		h.OnBackoff(r.query.info("watch"), info)
	}
}

// delivers is called before each event is delivered.
func (r *reflection) delivers(e *Event) {
	if e.Cause != CauseStream && e.Type != Synced {
		r.listChanges++
	}
	if e.Err == nil {
		return
	}
	verb := "watch"
	if e.Cause != CauseStream {
		verb = "list"
	}
	for _, h := range r.client.hooks.decodeError {
		h.OnDecodeError(r.query.info(verb), e.Object.Key(), e.Err)
	}
}

func (c *Client) breakerChanged(from, to BreakerState) {
	if to == BreakerOpen {
		c.log.Log(context.Background(), slog.LevelWarn, "the server cannot be reached; requests fail at once for a while", "breaker", to)
	} else {
		c.log.Log(context.Background(), slog.LevelInfo, "circuit breaker", "from", from, "to", to)
	}
	for _, h := range c.hooks.breaker {
		h.OnBreaker(from, to)
	}
}
