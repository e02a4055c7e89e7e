package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// screen shows how far it is: one line that changes on a terminal, and a line
// for each run elsewhere. It is safe for concurrent use.
type screen struct {
	mu       sync.Mutex
	out      *os.File
	terminal bool
	began    time.Time
	open     bool // the changing line is there
}

func newScreen(out *os.File) *screen {
	info, err := out.Stat()
	return &screen{out: out, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, began: time.Now()}
}

// line says something that stays.
func (s *screen) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	_, _ = fmt.Fprintln(s.out, text)
}

// step shows the run that begins now.
func (s *screen) step(step trial.Step) {
	text := fmt.Sprintf("%s [%d/%d] %s", time.Since(s.began).Round(time.Second), step.Number+1, step.Of, step.Job.Name)
	if step.Contestant != "" {
		text += fmt.Sprintf(", run %d/%d: %s (%d/%d)", step.Run+1, step.Job.Runs, step.Contestant, step.Turn+1, len(step.Job.Contestants))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	if !s.terminal {
		text += "\n"
	}
	_, _ = fmt.Fprint(s.out, text)
	s.open = s.terminal
}

func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

func (s *screen) clear() {
	if s.open {
		_, _ = fmt.Fprint(s.out, "\r\x1b[K")
		s.open = false
	}
}
