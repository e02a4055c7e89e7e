package main

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

// TestNarratorTellsOfFailures: once each, with what comes next.
func TestNarratorTellsOfFailures(t *testing.T) {
	var lines []string
	n := &narrator{print: func(line string) { lines = append(lines, line) }, what: "pods"}
	var about rawwatch.RequestInfo
	n.OnRequestStart(about)
	n.OnRelistBegin(about, resume.ReasonInitial)
	n.OnStreamOpen(about, decode.JSON)
	n.inSync(3)
	n.interrupted(errors.New("cut"), resume.Unavailable)
	n.OnBackoff(about, rawwatch.BackoffInfo{Wait: 1234 * time.Millisecond})
	n.OnRequestStart(about)
	n.interrupted(errors.New("no route"), resume.Unavailable)
	n.OnRequestStart(about)
	n.OnStreamOpen(about, decode.JSON)
	n.OnStreamClose(about, rawwatch.StreamResult{Reason: rawwatch.StreamTimeout})
	n.OnBackoff(about, rawwatch.BackoffInfo{Wait: time.Second, Reason: resume.ReasonEnded})
	n.OnRequestStart(about)
	n.OnStreamOpen(about, decode.JSON)
	n.OnStreamClose(about, rawwatch.StreamResult{Reason: rawwatch.StreamSilent})
	n.OnRelistBegin(about, resume.ReasonRewritten)
	n.inSync(2)
	want := []string{
		"in sync: 3 pods, now watching for changes",
		"connection lost (cut), trying again in 1.2s",
		"still no connection (no route), trying again at once",
		"connected again, asking for what happened meanwhile",
		"no bookmark for long, asking the server where it stands",
		"the server's history is another than before, listing anew",
		"in sync again: 2 pods",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q\nwant %q", lines, want)
	}
}
