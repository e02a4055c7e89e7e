package main

import (
	"fmt"
	"io"
	"sync"
)

// screen is where the demo tells its story: what happens, and what the watch
// makes of it.
type screen struct {
	mu     sync.Mutex // guards the fields below, and the order of the lines
	w      io.Writer
	err    error // of the first write that failed
	events int   // told since the last heading
	hidden int   // more of them, only counted
	muted  bool  // tells nothing of the watch
}

// mute keeps what the watch tells off the screen, until the next heading.
func (s *screen) mute() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.muted = true
}

// eventLines is how many events are told one by one after a heading.
const eventLines = 6

func (s *screen) line(format string, args ...any) {
	if s.err != nil {
		return
	}
	_, err := fmt.Fprintf(s.w, format+"\n", args...)
	s.err = writeError(err)
}

// heading begins a chapter.
func (s *screen) heading(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events, s.hidden, s.muted = 0, 0, false
	s.line("\n%s", text)
}

// happens says what is done to the server or the network.
func (s *screen) happens(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line("   happens  "+format, args...)
}

// watch says how the watch is.
func (s *screen) watch(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.muted {
		return
	}
	s.summary()
	s.line("   watch    %s", line)
}

// event tells one event, or counts it when there were many.
func (s *screen) event(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.events++; {
	case s.muted:
		return
	case s.events > eventLines:
		s.hidden++
		return
	}
	s.line("   watch    %s", line)
}

// sum says what became of a time in which the screen was muted.
func (s *screen) sum(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line("   watch    "+format, args...)
}

// finish says how many events were not told one by one.
func (s *screen) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.summary()
}

// summary is finish; s.mu is held.
func (s *screen) summary() {
	if s.hidden > 0 {
		s.line("   watch    … and %d more", s.hidden)
		s.hidden = 0
	}
}

// plain writes lines that belong to no chapter.
func (s *screen) plain(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line(format, args...)
}

// failed is the error of the first write that failed.
func (s *screen) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
