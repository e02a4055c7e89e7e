package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// narrator tells, in words, how a watch is: what the library logs
// about it, and what it sees of the requests.
type narrator struct {
	print func(line string)
	what  string // the objects that are watched, in words

	mu       sync.Mutex // guards the fields below
	failures int        // since a watch was open, or a list complete
	synced   bool
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
func (n *narrator) interrupted() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.failures++
}

// tellFailure says what failed, and when it will be tried again.
func (n *narrator) tellFailure(class resume.FailureClass, err error, wait time.Duration) {
	next := "trying again at once"
	if wait > 0 {
		next = "trying again in " + inWords(wait)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	what := symptom(class)
	if class == resume.Unavailable && n.failures > 1 {
		what = "still no connection"
	}
	n.tell("%s (%s), %s", what, brief(err), next)
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

// observe notices, on the way of the requests, when a lost watch is open
// again.
func (n *narrator) observe(next http.RoundTripper) http.RoundTripper {
	return observer{next: next, narrator: n}
}

type observer struct {
	next     http.RoundTripper
	narrator *narrator
}

func (o observer) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.next.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusOK && r.URL.Query().Get("watch") != "" {
		o.narrator.opened()
	}
	return resp, err
}

func (n *narrator) opened() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.failures > 0 && n.synced {
		n.tell("connected again, asking for what happened meanwhile")
	}
	n.failures = 0
}
