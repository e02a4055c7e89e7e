package watchtest

import "context"

// command is what a test does to a live watch.
type command struct {
	frame []byte // sent as it is
	cut   Cut    // ends the stream
}

func (w *watch) command(c command) {
	w.mu.Lock()
	w.commands = append(w.commands, c)
	w.mu.Unlock()
	w.poke()
}

// obey carries out the commands; true while the stream is frozen.
func (s *stream) obey() (frozen bool, err error) {
	s.watch.mu.Lock()
	commands := s.watch.commands
	s.watch.commands = nil
	frozen = s.watch.frozen
	s.watch.mu.Unlock()
	for _, c := range commands {
		if c.cut != NoCut {
			return frozen, &cutError{c.cut}
		}
		if err := s.send(c.frame); err != nil {
			return frozen, err
		}
	}
	if len(commands) > 0 {
		err = s.call.body.flush()
	}
	return frozen, err
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

// watches returns the live watches that are selected.
func (s *Server) watches(sel Selector) []*watch {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	var all []*watch
	for _, c := range s.store.collections {
		for w := range c.watches {
			if sel.matches(w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// Watches is how many watches of the selection are live.
func (s *Server) Watches(sel Selector) int { return len(s.watches(sel)) }

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

// SendFrame puts a frame, byte for byte as given, into the selected live
// watches after what they have sent so far, and returns how many these were.
// [Frame] and [ErrorFrame] make frames; anything else will do as well.
func (s *Server) SendFrame(sel Selector, frame []byte) int {
	return s.commandAll(sel, command{frame: frame})
}

// CutWatches ends the selected live watches and returns how many these were.
func (s *Server) CutWatches(sel Selector, how Cut) int {
	return s.commandAll(sel, command{cut: how})
}

func (s *Server) commandAll(sel Selector, c command) int {
	all := s.watches(sel)
	for _, w := range all {
		w.command(c)
	}
	return len(all)
}

// Freeze stops all frames of the selected live watches, bookmarks included,
// while they stay open. When thaw is called, they go on with what they have
// missed, as far as the history reaches.
func (s *Server) Freeze(sel Selector) (thaw func()) {
	all := s.watches(sel)
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
