package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

// narrator tells, in words, how a watch is: what it is told as a hook of the
// library, and what the watch's own loop tells it.
type narrator struct {
	print func(line string)
	what  string // the objects that are watched, in words

	mu       sync.Mutex // guards the fields below
	failures int        // since a watch was open, or a list complete
	synced   bool
	// pending is a failure of which nothing was told yet, since it is not known
	// when the next attempt will be.
	pending error
	class   resume.FailureClass // of pending
}

// newNarrator returns one that tells on stderr.
func newNarrator(a *app) *narrator {
	return &narrator{print: func(line string) {
		a.say("%s -- %s\n", a.now().Format(time.TimeOnly), line)
	}}
}

func (n *narrator) tell(format string, args ...any) { n.print(fmt.Sprintf(format, args...)) }

// inSync is called whenever a list is complete.
func (n *narrator) inSync(objects int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.synced {
		n.tell("in sync again: %d %s", objects, n.what)
	} else {
		n.tell("in sync: %d %s, now watching for changes", objects, n.what)
	}
	n.synced, n.failures = true, 0
}

// interrupted is called for each failure that will be tried again.
func (n *narrator) interrupted(err error, class resume.FailureClass) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.failures++
	n.pending, n.class = err, class
}

// OnBackoff implements rawwatch.HookBackoff: the failure is told together with
// when it will be tried again.
func (n *narrator) OnBackoff(_ rawwatch.RequestInfo, b rawwatch.BackoffInfo) {
	n.tellFailure("trying again in " + inWords(b.Wait))
}

// OnRequestStart implements rawwatch.HookRequestStart.
func (n *narrator) OnRequestStart(rawwatch.RequestInfo) { n.tellFailure("trying again at once") }

// tellFailure says what failed, if something did, and what comes next.
func (n *narrator) tellFailure(next string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.pending == nil {
		return
	}
	what := symptom(n.class)
	if n.class == resume.Unavailable && n.failures > 1 {
		what = "still no connection"
	}
	n.tell("%s (%s), %s", what, brief(n.pending), next)
	n.pending = nil
}

// OnStreamOpen implements rawwatch.HookStreamOpen.
func (n *narrator) OnStreamOpen(rawwatch.RequestInfo, decode.Encoding) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failures > 0 && n.synced {
		n.tell("connected again, asking for what happened meanwhile")
	}
	n.failures = 0
}

// OnStreamClose implements rawwatch.HookStreamClose.
func (n *narrator) OnStreamClose(_ rawwatch.RequestInfo, r rawwatch.StreamResult) {
	if r.Reason == rawwatch.StreamSilent {
		n.tell("no bookmark for long, asking the server where it stands")
	}
}

// OnRelistBegin implements rawwatch.HookRelistBegin.
func (n *narrator) OnRelistBegin(_ rawwatch.RequestInfo, why resume.Reason) {
	if cause := relistCause(why); cause != "" {
		n.tell("%s, listing anew", cause)
	}
}

// relistCause says why a list begins; "" for what needs no word, such as the
// first.
func relistCause(why resume.Reason) string {
	switch why {
	case resume.ReasonExpired:
		return "the server's history no longer reaches back"
	case resume.ReasonTokenExpired:
		return "the list took longer than the server's history lasts"
	case resume.ReasonRewritten:
		return "the server's history is another than before"
	case resume.ReasonEmptyStreams, resume.ReasonBadStreams:
		return "the watch breaks again and again"
	}
	return ""
}

func inWords(d time.Duration) string {
	if d < time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// symptom says what a class of failures looks like to a user.
func symptom(class resume.FailureClass) string {
	switch class {
	case resume.Throttled:
		return "the server asks for patience"
	case resume.Unauthorized:
		return "the server no longer accepts the credential"
	case resume.Forbidden:
		return "the server no longer allows this"
	case resume.NotFound:
		return "the server no longer serves this resource"
	case resume.Unavailable:
		return "connection lost"
	}
	return "interrupted"
}
