package rawwatch

import (
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// Status is how a [Reflector] is at one moment.
type Status struct {
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
	// LastFrame is when the last frame came, a bookmark included.
	LastFrame time.Time
	// LastSync is when the last list was complete.
	LastSync time.Time
	// Failures in a row; 0 while all is well. LastError is the latest, also
	// after it has healed; LastErrorClass what it was taken for.
	Failures       int
	LastError      error
	LastErrorClass resume.FailureClass
	LastErrorTime  time.Time
	// Lists and Streams count what was begun. LastListReason says why the last
	// list was.
	Lists, Streams int
	LastListReason resume.Reason
	// Encoding that the server last answered in. MetadataOnly is set when it
	// last sent the objects' metadata only. Plain says why whole objects in
	// JSON are asked for though something cheaper was wanted: a
	// [*decode.UnknownError] when T has a field that is not known in protobuf,
	// a [*RequestError] when the server refused. Nil when nothing is in the way.
	Encoding     decode.Encoding
	MetadataOnly bool
	Plain        error
	// Stale counts states that arrived after a newer one of the same object,
	// and were dropped. A correct server sends none.
	Stale int
	// Stopped is set when the iteration has ended.
	Stopped bool
}

// Status tells how the reflector is. It is safe for concurrent use.
func (r *Reflector) Status() Status {
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	s := r.board.status
	if s.LastSync.IsZero() {
		s.Objects = -1
	}
	if why := r.client.refusals.reason(r.query.Resource); why != nil && s.Plain == nil && r.form() != (form{}) {
		s.Plain = why
	}
	return s
}

// statusBoard is where the reflection writes and [Reflector.Status] reads.
type statusBoard struct {
	mu     sync.Mutex // guards status; nothing else happens under it
	status Status
}

func (b *statusBoard) write(change func(*Status)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.status)
}

func (b *statusBoard) moved(s resume.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Phase = s.Phase
	b.status.Synced = s.Synced
	b.status.ResourceVersion = s.ResourceVersion
	b.status.Failures = s.Failures
}

func (b *statusBoard) frame() {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.LastFrame = now
}

func (b *statusBoard) listing(why resume.Reason) {
	b.write(func(s *Status) { s.Lists++; s.LastListReason = why })
}

func (b *statusBoard) synced(objects int) {
	b.write(func(s *Status) { s.Objects, s.LastSync = objects, time.Now() })
}

func (b *statusBoard) connected(e decode.Encoding) {
	b.write(func(s *Status) { s.Connected, s.Since, s.Encoding = true, time.Now(), e; s.Streams++ })
}

func (b *statusBoard) served(e decode.Encoding, partial bool) {
	b.write(func(s *Status) { s.Encoding, s.MetadataOnly = e, partial })
}

func (b *statusBoard) disconnected() {
	b.write(func(s *Status) { s.Connected, s.Since = false, time.Now() })
}

func (b *statusBoard) partial(p bool) { b.write(func(s *Status) { s.MetadataOnly = p }) }

func (b *statusBoard) stale() { b.write(func(s *Status) { s.Stale++ }) }

func (b *statusBoard) failed(err error, class resume.FailureClass) {
	b.write(func(s *Status) { s.LastError, s.LastErrorClass, s.LastErrorTime = err, class, time.Now() })
}

func (b *statusBoard) stopped(err error) {
	b.write(func(s *Status) {
		s.Stopped, s.Connected = true, false
		if err != nil && err != errConsumerDone {
			s.LastError = err
		}
	})
}
