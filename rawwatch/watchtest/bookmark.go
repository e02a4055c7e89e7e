package watchtest

import (
	"slices"
	"strings"
	"time"
)

// bookmarkLead is how long before its end a watch gets a last bookmark, so
// that the client resumes from it (kube-apiserver: two seconds).
const bookmarkLead = 2 * time.Second

// marks is the clock of a watch's bookmarks.
type marks struct {
	timer    *time.Timer // nil: none are wanted
	interval time.Duration
	last     time.Time // of the one before the end
}

func newMarks(s *stream, deadline time.Time) *marks {
	interval := s.call.server.options.BookmarkInterval
	if !s.watch.options.bookmarks || interval < 0 {
		return &marks{}
	}
	m := &marks{interval: interval, last: deadline.Add(-bookmarkLead)}
	m.timer = time.NewTimer(m.wait())
	return m
}

// wait is the time to the next one: the interval, or the moment before the
// end when that comes first.
func (m *marks) wait() time.Duration {
	if left := time.Until(m.last); left > 0 && left < m.interval {
		return left
	}
	return m.interval
}

func (m *marks) due() <-chan time.Time {
	if m.timer == nil {
		return nil
	}
	return m.timer.C
}

func (m *marks) next() { m.timer.Reset(m.wait()) }

func (m *marks) stop() {
	if m.timer != nil {
		m.timer.Stop()
	}
}

// progress sends a bookmark of the current revision, if everything up to it
// has been sent. A watch from the future gets none (seen on v1.37).
func (s *stream) progress() error {
	s.watch.mu.Lock()
	frozen := s.watch.frozen
	s.watch.mu.Unlock()
	st := s.call.server.store
	st.mu.RLock()
	revision, caughtUp := st.revision, s.collection.window.end() == s.next
	st.mu.RUnlock()
	if frozen || !caughtUp || revision < s.watch.from {
		return nil
	}
	if err := s.bookmark(revision, false); err != nil {
		return err
	}
	return s.call.body.flush()
}

// bookmark writes a BOOKMARK frame. It has the kind of the watched objects
// and no content; the one that ends initial events is annotated (KEP-3157).
func (s *stream) bookmark(revision uint64, end bool) error {
	f := s.watch.form
	if f.view != tabular {
		return s.send(Frame("BOOKMARK", s.mark(f, revision, end)))
	}
	rows := s.rows
	if end && rows == includeNone { // or the mark would be lost (seen on v1.37)
		rows = includeMetadata
	}
	whole, slim := s.mark(form{}, revision, end), s.mark(form{view: metadataOnly, meta: f.meta}, revision, end)
	return s.call.body.frame(s.tableFrame("BOOKMARK", revision, whole, slim, rows))
}

// mark is the object of a BOOKMARK frame in a form, as JSON.
func (s *stream) mark(f form, revision uint64, end bool) []byte {
	r := s.collection.resource
	kind, apiVersion := f.kind(r)
	blank := r.blank
	if f.slim() {
		blank = ""
	}
	var meta []string
	if !s.call.lies(NoVersion) {
		meta = append(meta, `"resourceVersion":`+string(quotedRevision(revision)))
	}
	if end {
		meta = append(meta, `"annotations":{"k8s.io/initial-events-end":"true"}`)
	}
	text := `{"kind":"` + kind + `","apiVersion":"` + apiVersion + `",`
	if !r.builtin && !f.slim() { // untyped: in the order of the alphabet
		slices.Reverse(meta)
		text = `{"apiVersion":"` + apiVersion + `","kind":"` + kind + `",`
	}
	return []byte(text + `"metadata":{` + strings.Join(meta, ",") + `}` + blank + `}`)
}
