package rawwatch

import (
	"errors"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// Status is how a [Reflector] is at one moment.
type Status struct {
	// Query that is followed: the reflector's, or, once a resource has moved to
	// another version, that one's.
	Query Query
	// Phase is what it is doing.
	Phase resume.Phase
	// Synced is set from the end of the first complete list on. It says that
	// nothing is missing that existed then; see Connected for whether changes
	// are being heard.
	Synced bool
	// Objects is the number of objects after the last complete list; -1 before
	// the first. An empty world is 0 and Synced.
	Objects int
	// ResourceVersion that a new watch would begin from; "" before the first
	// complete list.
	ResourceVersion string
	// Connected is set while a watch stream is open, Since is when it opened or
	// was lost.
	Connected bool
	Since     time.Time
	// LastFrame is when the last frame of a watch came, a bookmark included;
	// LastPage when the last page of a list, or the answer to a probe, had been
	// read. What is newest of both, and of Since while Connected, is the last
	// sign of life; see [Status.Heard].
	LastFrame, LastPage time.Time
	// LastProgress is when the resume point last moved, or a list was complete.
	// Frames that come without progress are a server's that repeats itself.
	LastProgress time.Time
	// LastSync is when the last list was complete.
	LastSync time.Time
	// Failures in a row; 0 while all is well. LastError is the latest, also
	// after it has healed; LastErrorClass what it was taken for.
	Failures       int
	LastError      error
	LastErrorClass resume.FailureClass
	LastErrorTime  time.Time
	// Lists counts the lists that were begun, Streams the watches that were
	// opened. LastListReason says why the last list was.
	Lists, Streams int
	LastListReason resume.Reason
	// Reconnects counts the watches that were opened after one had been lost: it
	// broke, ended before its time, or fell silent. A watch that ended at its
	// timeoutSeconds is renewed, which is no reconnect.
	Reconnects int
	// Relists counts, by reason, the lists begun after the first complete one.
	// Nil is none. There are no more keys than [resume.Reason] has constants.
	// The map is the caller's.
	Relists map[resume.Reason]int
	// ListMode is how the state was last fetched, or is being; "" before the
	// first list.
	ListMode ListMode
	// Encoding that the server last answered in. MetadataOnly is set when it
	// last sent the objects' metadata only. Plain says why whole objects in
	// JSON are asked for though something cheaper was wanted: a
	// [*decode.UnknownError] when T has a field that is not known in protobuf,
	// a [*RequestError] when the server refused. Nil when nothing is in the way.
	Encoding     decode.Encoding
	MetadataOnly bool
	Plain        error
	// Unstreamed says why the state is listed though a stream of initial events
	// is wanted (see [ListWatchOptions].ListFirst): a [*RequestError] when the
	// server refused, an [*InitialEventsError] when the events did not end. What
	// the server says is remembered by the client for the API group, what may be
	// slowness for the resource. Nil when nothing is in the way.
	Unstreamed error
	// OutOfOrder counts states that arrived after a newer one of the same object,
	// and were dropped. A correct server sends none.
	OutOfOrder int
	// Stopped is set when the iteration has ended.
	Stopped bool
}

// ListMode is how a reflector fetches the whole state. New ones may be added.
type ListMode string

const (
	// ListPaged is a list in pages, also where one page holds all of it.
	ListPaged ListMode = "paged"
	// ListInitialStream is a watch that begins with the state (WatchList).
	ListInitialStream ListMode = "initial-stream"
	// ListBesideWatch is a list in pages, of which the second and later ones are
	// read while the watch from the first one's version runs already.
	ListBesideWatch ListMode = "beside-watch"
)

// Heard is when the server last gave a sign of life: a frame, a page, or the
// headers of the watch that is open. Zero before the first.
func (s *Status) Heard() time.Time {
	heard := s.LastFrame
	if s.LastPage.After(heard) {
		heard = s.LastPage
	}
	if s.Connected && s.Since.After(heard) {
		heard = s.Since
	}
	return heard
}

// Status tells how the reflector is. It is safe for concurrent use.
func (r *Reflector) Status() Status {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	s := r.board.status.status()
	if r.board.instead != nil {
		s.Query = *r.board.instead
	}
	if why := r.client.refusals.reason(r.asks().Resource); why != nil && s.Plain == nil && r.form() != (form{}) {
		s.Plain = why
	}
	if !r.options.ListFirst {
		s.Unstreamed = r.client.unstreamed(r.asks().Resource)
	}
	return s
}

// Statuses implements [StatusSource] with the one of [Reflector.Status].
func (r *Reflector) Statuses() []Status { return []Status{r.Status()} }

// statusBoard is where the reflection writes and [Reflector.Status] reads.
type statusBoard struct {
	mu     sync.Mutex // guards the fields below; nothing else happens under it
	status standing
	// instead stands in the place of the status' query, to which others point.
	instead *Query
}

func (b *statusBoard) write(change func(*standing)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.status)
}

func (b *statusBoard) moved(s resume.State, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Phase = s.Phase
	b.status.Synced = s.Synced
	if s.ResourceVersion != "" && s.ResourceVersion != b.status.ResourceVersion {
		b.status.LastProgress = now
	}
	b.status.ResourceVersion = s.ResourceVersion
	b.status.Failures = s.Failures
}

func (b *statusBoard) frame() {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.LastFrame = now
}

func (b *statusBoard) listing(why resume.Reason, how ListMode, again bool) {
	b.write(func(s *standing) {
		s.Lists++
		s.LastListReason, s.ListMode = why, how
		if !again {
			return
		}
		t := s.troubles()
		if t.Relists == nil {
			t.Relists = map[resume.Reason]int{}
		}
		t.Relists[why]++
	})
}

func (b *statusBoard) beside() { b.write(func(s *standing) { s.ListMode = ListBesideWatch }) }

func (b *statusBoard) query(q *Query) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.instead = q
}

// page notes an answer to a list or a probe.
func (b *statusBoard) page() { b.write(func(s *standing) { s.LastPage = time.Now() }) }

// lose notes that a watch has ended as none should.
func (b *statusBoard) lose() { b.write(func(s *standing) { s.lost = s.Streams > 0 }) }

func (b *statusBoard) synced(objects int) {
	b.write(func(s *standing) {
		s.Objects, s.LastSync = objects, time.Now()
		s.LastProgress = s.LastSync
	})
}

func (b *statusBoard) connected(e decode.Encoding) {
	b.write(func(s *standing) {
		s.Connected, s.Since, s.Encoding = true, time.Now(), e
		s.Streams++
		if s.lost {
			s.Reconnects++
			s.lost = false
		}
	})
}

func (b *statusBoard) served(e decode.Encoding, partial bool) {
	b.write(func(s *standing) { s.Encoding, s.MetadataOnly, s.LastPage = e, partial, time.Now() })
}

func (b *statusBoard) disconnected() {
	b.write(func(s *standing) { s.Connected, s.Since = false, time.Now() })
}

func (b *statusBoard) partial(p bool) { b.write(func(s *standing) { s.MetadataOnly = p }) }

func (b *statusBoard) stale() { b.write(func(s *standing) { s.troubles().OutOfOrder++ }) }

func (b *statusBoard) failed(err error, class resume.FailureClass) {
	b.write(func(s *standing) { s.troubles().is(err, class) })
}

func (b *statusBoard) stopped(err error) {
	b.write(func(s *standing) {
		s.Stopped, s.Connected = true, false
		if err == nil || err == errConsumerDone || s.rare != nil && errors.Is(s.rare.LastError, err) {
			return
		}
		s.troubles().is(err, 0)
	})
}
