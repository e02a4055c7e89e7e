package main

import (
	"fmt"
	"io"
	"os"
)

// progress is a line on the terminal that says how far a list has come. It is
// shown when stderr is a terminal and the objects go somewhere else, where
// they would not tell by themselves.
type progress struct {
	w     io.Writer // nil: not shown
	shown bool
}

func newProgress(stderr, stdout io.Writer) *progress {
	if !isTerminal(stderr) || isTerminal(stdout) {
		return &progress{}
	}
	return &progress{w: stderr}
}

// eraseLine goes to the line's start and clears to its end (ECMA-48, EL).
const eraseLine = "\r\x1b[K"

// show says that done objects have come. remaining is the server's estimate of
// how many are missing; negative when it gave none.
func (p *progress) show(done, remaining int64) {
	if p.w == nil {
		return
	}
	p.shown = true
	if remaining < 0 {
		_, _ = fmt.Fprintf(p.w, eraseLine+"%d objects", done)
		return
	}
	_, _ = fmt.Fprintf(p.w, eraseLine+"%d of %d objects", done, done+remaining)
}

// clear removes the line, so that something else can be said.
func (p *progress) clear() {
	if p.shown {
		_, _ = io.WriteString(p.w, eraseLine)
		p.shown = false
	}
}

// isTerminal reports whether somebody may be looking: a character device that
// is not the null device.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
