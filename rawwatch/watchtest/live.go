package watchtest

import "context"

// command is what a test does to a live watch.
type command struct {
	at    uint64 // sequence number of the change before which it takes place
	frame []byte // sent as it is
	cut   Cut    // ends the stream
}

// command hands over a command. The lock of the store is held.
func (w *watch) command(in *collection, c command) {
	c.at = in.window.end()
	w.mu.Lock()
	w.commands = append(w.commands, c)
	w.mu.Unlock()
	w.poke()
}

// orders tells whether the stream is frozen, and how many changes may be sent
// before the next command; -1 when there is none.
func (s *stream) orders() (frozen bool, before int) {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	before = -1
	if len(s.watch.commands) > 0 {
		before = max(0, int(s.watch.commands[0].at)-int(s.next))
	}
	return s.watch.frozen, before
}

// obey carries out the next command.
func (s *stream) obey() error {
	s.watch.mu.Lock()
	c := s.watch.commands[0]
	s.watch.commands = s.watch.commands[1:]
	s.watch.mu.Unlock()
	if c.cut != NoCut {
		return &cutError{c.cut}
	}
	if err := s.send(c.frame); err != nil {
		return err
	}
	return s.call.body.flush()
}

// Selector picks live watches. Empty fields match everything.
type Selector struct {
	// Resource is the plural.
	Resource string
	// Namespace and Name are those of the request.
	Namespace, Name string
	// User is who watches.
	User string
}

func (sel Selector) matches(w *watch) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return same(sel.Resource, w.plural) && same(sel.Namespace, w.namespace) && same(sel.Name, w.name) && same(sel.User, w.user)
}

// each calls visit for the live watches that are selected, and returns how
// many these are.
func (s *Server) each(sel Selector, visit func(*collection, *watch)) int {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	n := 0
	for _, c := range s.store.collections {
		for w := range c.watches {
			if sel.matches(w) {
				visit(c, w)
				n++
			}
		}
	}
	return n
}

// Watches is how many watches of the selection are live.
func (s *Server) Watches(sel Selector) int { return s.each(sel, func(*collection, *watch) {}) }

// AwaitWatches waits until at least n watches of the selection are live, or
// the context is done, whose error it returns.
func (s *Server) AwaitWatches(ctx context.Context, sel Selector, n int) error {
	for {
		s.store.mu.RLock()
		changed := s.store.watchesChanged
		s.store.mu.RUnlock()
		if s.Watches(sel) >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watchesChanged tells those who wait for watches. The lock is held.
func (s *Server) watchesChanged(st *store) {
	close(st.watchesChanged)
	st.watchesChanged = make(chan struct{})
}

// SendFrame puts a frame into the selected live watches, behind the changes so
// far, and returns how many these were. [Frame] and [ErrorFrame] make frames; a
// watch in protobuf gets them in protobuf. Anything else will do as well and is
// sent byte for byte, a frame of a kind without a protobuf form included.
func (s *Server) SendFrame(sel Selector, frame []byte) int {
	return s.commandAll(sel, command{frame: frame})
}

// CutWatches ends the selected live watches behind the changes so far, and
// returns how many these were. One that is cut by [Stall] stays silent until
// the client or the server ends it; [Server.Freeze] can be undone.
func (s *Server) CutWatches(sel Selector, how Cut) int {
	return s.commandAll(sel, command{cut: how})
}

func (s *Server) commandAll(sel Selector, c command) int {
	return s.each(sel, func(in *collection, w *watch) { w.command(in, c) })
}

// Freeze stops all frames of the selected live watches, bookmarks included,
// while they stay open. When thaw is called, they go on with what they have
// missed, as far as the history reaches. [Server.SendFrame] and
// [Server.CutWatches] act on a frozen watch at once.
func (s *Server) Freeze(sel Selector) (thaw func()) {
	var all []*watch
	s.each(sel, func(_ *collection, w *watch) { all = append(all, w) })
	set := func(frozen bool) {
		for _, w := range all {
			w.mu.Lock()
			w.frozen = frozen
			w.mu.Unlock()
			w.poke()
		}
	}
	set(true)
	return func() { set(false) }
}
