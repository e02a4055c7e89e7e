package rawwatch

import (
	"maps"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// standing is what a [Status] is made of. Each watch has one for life, so what
// only some of them ever have to tell stands apart. The names are those of
// Status.
type standing struct {
	Query           Query // does not change
	ResourceVersion string
	ListMode        ListMode
	LastListReason  resume.Reason

	Objects, Lists, Streams, Reconnects, Failures int

	Since, LastFrame, LastPage, LastProgress, LastSync time.Time

	Encoding decode.Encoding
	Phase    resume.Phase

	Synced, Connected, MetadataOnly, Stopped bool
	// lost: the watch has ended as none should, and is not open again yet.
	lost bool

	rare *troubles // nil as long as there were none
}

// troubles are what most watches never have.
type troubles struct {
	LastError      error
	LastErrorClass resume.FailureClass
	LastErrorTime  time.Time
	Relists        map[resume.Reason]int
	Plain          error
	OutOfOrder     int
}

func (s *standing) troubles() *troubles {
	if s.rare == nil {
		s.rare = new(troubles)
	}
	return s.rare
}

// is notes an error, for good or until the next one.
func (t *troubles) is(err error, class resume.FailureClass) {
	t.LastError, t.LastErrorClass, t.LastErrorTime = err, class, time.Now()
}

// status is the Status, but for what the client knows.
func (s *standing) status() Status {
	var t troubles
	if s.rare != nil {
		t = *s.rare
	}
	objects := s.Objects
	if s.LastSync.IsZero() {
		objects = -1
	}
	return Status{
		Query: s.Query, Phase: s.Phase, Synced: s.Synced, Objects: objects, ResourceVersion: s.ResourceVersion,
		Connected: s.Connected, Since: s.Since, LastFrame: s.LastFrame, LastPage: s.LastPage,
		LastProgress: s.LastProgress, LastSync: s.LastSync,
		Failures: s.Failures, LastError: t.LastError, LastErrorClass: t.LastErrorClass, LastErrorTime: t.LastErrorTime,
		Lists: s.Lists, Streams: s.Streams, LastListReason: s.LastListReason, Reconnects: s.Reconnects,
		Relists: maps.Clone(t.Relists), ListMode: s.ListMode,
		Encoding: s.Encoding, MetadataOnly: s.MetadataOnly, Plain: t.Plain, OutOfOrder: t.OutOfOrder, Stopped: s.Stopped,
	}
}
