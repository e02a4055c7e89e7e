package watchtest

import (
	"math/rand/v2"
	"sync"
	"time"
)

// watchBatch is how many changes are written before the stream is looked
// after again.
const watchBatch = 256

// watch is a stream that is being served.
type watch struct {
	target
	user    string
	options listOptions
	form    form
	from    uint64 // changes up to this revision are not sent

	wake chan struct{} // holds one token: something is to do

	mu       sync.Mutex
	commands []command
	frozen   bool
}

// poke tells the stream that there may be something to send. It never waits.
func (w *watch) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// start is where a watch begins.
type start struct {
	objects []*object // the initial state, to be sent as ADDED
	initial bool      // there is one
	marked  bool      // its end is marked
	at      uint64    // its revision
	next    uint64    // sequence number of the first change to send
}

// watch answers a WATCH.
func (c *call) watch() error {
	form, refusal := c.negotiate()
	if refusal != nil {
		return refusal
	}
	o, refusal := c.options()
	if refusal != nil {
		return refusal
	}
	rows, refusal := c.included()
	if refusal != nil && form.view == tabular {
		return refusal
	}
	w := &watch{target: c.target, user: c.user, options: o, form: form, wake: make(chan struct{}, 1)}
	begin, refusal := c.server.open(c.collection, w)
	if refusal == nil {
		defer c.server.release(c.collection, w)
	}
	s := &stream{call: c, watch: w, collection: c.collection, next: begin.next, rows: rows}
	s.start(w.streamed(c.server.options.WatchList))
	if err := s.preamble(); err != nil {
		return err
	}
	if refusal != nil {
		// With the version's trouble the API server answers 200 and an ERROR
		// frame (seen on v1.37).
		return s.last(ErrorFrame(refusal))
	}
	if form.view == metadataList {
		// Events are no lists: the API server notices too late to refuse, and
		// ends the stream (seen on v1.37).
		return nil
	}
	if c.lies(CodeOK) {
		return s.last(codeOK())
	}
	if f := c.fault(); f.Frames != nil {
		for _, frame := range f.Frames {
			if err := s.send(frame); err != nil {
				return err
			}
		}
		if !f.GoOn {
			return c.body.flush()
		}
	}
	if begin.initial {
		if err := s.initial(begin); err != nil {
			return err
		}
	}
	return s.run(s.lifetime())
}

// streamed tells whether the watch asks for initial events and the mark of
// their end, or gets both unasked.
func (w *watch) streamed(mode WatchListMode) bool {
	o := &w.options
	if o.initial != nil {
		return *o.initial && o.bookmarks
	}
	return o.revision == 0 && o.bookmarks && mode == WatchListOn
}

// lifetime is how long the stream may last.
func (s *stream) lifetime() time.Duration {
	if d := s.watch.options.timeout; d > 0 {
		return d
	}
	return time.Duration(float64(s.call.server.options.MinRequestTimeout) * (1 + rand.Float64()))
}

// open decides where a watch begins, and registers it from there (API
// concepts, "Semantics for watch"; KEP-3157 for initial events).
func (s *Server) open(c *collection, w *watch) (start, *StatusError) {
	st := s.store
	st.mu.Lock()
	defer st.mu.Unlock()
	c.window.trim(time.Now(), st.limits)
	o := &w.options
	b := start{next: c.window.end(), at: st.revision}
	legacy := o.revision == 0 && o.initial == nil
	switch {
	case legacy || o.initial != nil && *o.initial:
		if o.revision > st.revision {
			return b, TooLarge(o.revision, st.revision)
		}
		b.initial = true
		b.marked = w.streamed(s.options.WatchList)
		b.objects = c.selection(w.namespace, o, st.revision)
		w.from = st.revision
	case o.revision == 0: // initial events refused: from now on
		w.from = st.revision
	case o.revision < c.window.floor:
		return b, TooOld(o.revision, c.window.floor)
	default:
		w.from = o.revision
		b.next = c.window.after(o.revision)
	}
	c.watches[w] = struct{}{}
	s.watchesChanged(st)
	return b, nil
}

func (s *Server) release(c *collection, w *watch) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	delete(c.watches, w)
	s.watchesChanged(s.store)
}

// selection returns the objects that a list or watch selects.
func (c *collection) selection(namespace string, o *listOptions, revision uint64) []*object {
	var all []*object
	c.scan(namespace, "", revision, func(obj *object) bool {
		if o.selects(obj) {
			all = append(all, obj)
		}
		return true
	})
	return all
}

// pick turns a change into the frame that this watch is to see of it: a
// change of what it selects is an object coming or going.
func (w *watch) pick(ch *change) (eventType string, o *object) {
	if ch.revision <= w.from || w.namespace != "" && ch.namespace() != w.namespace {
		return "", nil
	}
	before, now := w.options.selects(ch.prev), w.options.selects(ch.next)
	switch {
	case before && now:
		return "MODIFIED", ch.next
	case now:
		return "ADDED", ch.next
	case before:
		return "DELETED", ch.gone()
	}
	return "", nil
}

func (c *change) namespace() string {
	if c.next != nil {
		return c.next.namespace
	}
	return c.prev.namespace
}
