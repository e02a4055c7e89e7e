package resume

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// line is one step of a script: what happens after how long, and what the
// machine then asks, as describe writes it.
type line struct {
	after time.Duration
	o     Outcome
	want  string
}

// describe writes an action in a few words. Chance is 0 in scripts: waits are
// exact, and timeouts the shortest.
func describe(a Action) string {
	words := []string{a.Kind.String()}
	add := func(ok bool, format string, v any) {
		if ok {
			words = append(words, fmt.Sprintf(format, v))
		}
	}
	add(a.ResourceVersion != "", "from %s", a.ResourceVersion)
	add(a.Continue != "", "token %s", a.Continue)
	add(a.Kind == List, "limit %d", a.Limit)
	add(a.Kind == Wait, "%v", a.Wait)
	add(a.Kind != Read, "(%s)", a.Reason)
	add(a.BeginList, "%s", "begin")
	add(a.Rewritten, "%s", "rewritten")
	add(a.Synced, "%s", "synced")
	return strings.Join(words, " ")
}

func page(version, token string) Outcome {
	return Outcome{Kind: PageListed, ResourceVersion: version, Continue: token}
}

func event(version string) Outcome    { return Outcome{Kind: EventSeen, ResourceVersion: version} }
func bookmark(version string) Outcome { return Outcome{Kind: BookmarkSeen, ResourceVersion: version} }

func mark(version string) Outcome {
	return Outcome{Kind: BookmarkSeen, ResourceVersion: version, InitialEventsEnd: true}
}

func framed(c FailureClass) Outcome {
	return Outcome{Kind: Failed, Failure: Failure{Class: c, ErrorFrame: true}}
}

var (
	deadline = Outcome{Kind: StreamEnded, AtDeadline: true}
	quiet    = Outcome{Kind: Silent}
)

// play runs a script.
func play(t *testing.T, o Options, lines []line) *referee {
	t.Helper()
	o.Rand = func() float64 { return 0 }
	r, err := newReferee(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines {
		if r.last.Kind == Wait && l.after == 0 {
			l.after = r.last.Wait
		}
		r.now = r.now.Add(l.after)
		a, err := r.step(l.o)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if got := describe(a); got != l.want {
			t.Fatalf("line %d, %v(%v): got %s, want %s", i+1, l.o.Kind, l.o.Failure.Class, got, l.want)
		}
	}
	return r
}

// synced is the beginning of most scripts.
var synced = []line{
	{0, start, "List limit 500 (initial) begin"},
	{0, page("100", ""), "Watch from 100 (listed) synced"},
	{0, opens, "Read"},
}

func after(begin []line, more ...line) []line { return append(append([]line(nil), begin...), more...) }

func TestScripts(t *testing.T) {
	streamed := Options{StreamInitial: true}
	for name, s := range map[string]struct {
		options Options
		lines   []line
	}{
		"pages": {Options{PageLimit: 7}, []line{
			{0, start, "List limit 7 (initial) begin"},
			{0, page("100", "a"), "List token a limit 7 (next-page)"},
			{0, page("", "b"), "List token b limit 7 (next-page)"},
			{0, page("100", ""), "Watch from 100 (listed) synced"},
		}},
		"pages of newer versions: the first one's counts": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, page("120", ""), "Watch from 100 (listed) synced"},
		}},
		"a page of an older version": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, page("90", ""), "Wait 800ms (bad-response)"},
			{0, over, "List limit 500 (initial) begin"},
		}},
		"all at once": {Options{PageLimit: -1}, []line{
			{0, start, "List limit 0 (initial) begin"},
		}},
		"the same token again": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, page("100", "a"), "Wait 800ms (bad-response)"},
		}},
		"the same token again, later": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, page("100", "b"), "List token b limit 500 (next-page)"},
			{0, page("100", "c"), "List token c limit 500 (next-page)"},
			{0, page("100", "c"), "Wait 800ms (bad-response)"},
		}},
		"tokens in a circle": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, page("100", "b"), "List token b limit 500 (next-page)"},
			{0, page("100", "c"), "List token c limit 500 (next-page)"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, page("100", "b"), "List token b limit 500 (next-page)"},
			{0, page("100", "c"), "List token c limit 500 (next-page)"},
			{0, page("100", "a"), "Wait 800ms (bad-response)"},
		}},
		"each page has tries of its own": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 800ms (unavailable)"},
			{0, over, "List token a limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 1.6s (unavailable)"},
			{0, over, "List token a limit 500 (next-page)"},
			{0, page("100", "b"), "List token b limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 3.2s (unavailable)"},
			{0, over, "List token b limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 6.4s (unavailable)"},
			{0, over, "List token b limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 12.8s (unavailable)"},
			{0, over, "List token b limit 500 (next-page)"},
		}},
		"a long list forgets its failures": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, failure(Unavailable), "Wait 800ms (unavailable)"},
			{0, over, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{29 * time.Second, page("100", "b"), "List token b limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 1.6s (unavailable)"},
			{0, over, "List token b limit 500 (next-page)"},
			{0, page("100", "c"), "List token c limit 500 (next-page)"},
			{30 * time.Second, page("100", "d"), "List token d limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 800ms (unavailable)"},
		}},
		"too many pages": {Options{MaxPages: 2}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, page("100", "b"), "Wait 800ms (bad-response)"},
		}},
		"a token that fits no request": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", strings.Repeat("x", MaxContinueLength+1)), "Wait 800ms (bad-response)"},
		}},
		"a list without a version, and with 0": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("", ""), "Wait 800ms (bad-response)"},
			{0, over, "List limit 500 (initial) begin"},
			{0, page("0", ""), "Wait 1.6s (bad-response)"},
		}},
		"a page is retried, then the list": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 800ms (unavailable)"},
			{0, over, "List token a limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 1.6s (unavailable)"},
			{0, over, "List token a limit 500 (next-page)"},
			{0, failure(Unauthorized), "Wait 3.2s (unauthorized)"},
			{0, over, "List token a limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 6.4s (unavailable)"},
			{0, over, "List token a limit 500 (next-page)"},
			{0, failure(Unavailable), "Wait 12.8s (unavailable)"},
			{0, over, "List limit 500 (initial) begin"},
			{0, failure(Unavailable), "Wait 25.6s (unavailable)"},
			{0, over, "List limit 500 (initial) begin"},
			{0, failure(Unavailable), "Wait 30s (unavailable)"},
		}},
		"tokens expire: in pages, then in one piece, then in pages": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Expired), "List limit 500 (list-token-expired) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Expired), "Wait 800ms (list-token-expired)"},
			{0, over, "List limit 500 (list-token-expired) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Expired), "Wait 1.6s (list-token-expired)"},
			{0, over, "List limit 500 (list-token-expired) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Expired), "Wait 3.2s (list-token-expired)"},
			{0, over, "List limit 0 (list-token-expired) begin"},
			{0, failure(Unavailable), "Wait 800ms (unavailable)"},
			{0, over, "List limit 500 (list-token-expired) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Expired), "Wait 6.4s (list-token-expired)"},
			{0, over, "List limit 500 (list-token-expired) begin"},
		}},
		"a list for which the token is wrong": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, failure(Refused), "Wait 800ms (refused)"},
			{0, over, "List limit 500 (initial) begin"},
		}},
		"refused for good, and for now": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, failure(Refused), "GiveUp (refused)"},
		}},
		"refused after a good hour": {Options{}, after(synced,
			line{time.Hour, failure(Expired), "List limit 500 (expired) begin"},
			line{0, failure(Refused), "Wait 30s (refused)"},
			line{0, over, "List limit 500 (expired) begin"},
		)},
		"a checkpoint that the server does not take, and no list either": {Options{From: "77"}, []line{
			{0, start, "Watch from 77 (resumed)"},
			{0, failure(Refused), "Wait 800ms (refused)"},
			{0, over, "List limit 500 (refused) begin"},
			{0, failure(Refused), "GiveUp (refused)"},
		}},
		"a checkpoint": {Options{From: "77"}, []line{
			{0, start, "Watch from 77 (resumed)"},
			{0, opens, "Read"},
			{0, event("80"), "Read"},
			{time.Hour, deadline, "Watch from 80 (resumed)"},
		}},
		"410 is routine, once": {Options{}, after(synced,
			line{0, framed(Expired), "List limit 500 (expired) begin"},
			line{0, page("200", ""), "Watch from 200 (listed) synced"},
			line{0, failure(Expired), "Wait 800ms (expired)"},
			line{0, over, "List limit 500 (expired) begin"},
			line{0, page("300", ""), "Watch from 300 (listed) synced"},
			line{0, opens, "Read"},
			line{30 * time.Second, event("301"), "Read"},
			line{0, framed(Expired), "List limit 500 (expired) begin"},
		)},
		"410 after an outage is not punished for it": {Options{}, after(synced,
			line{0, failure(Unavailable), "Wait 800ms (unavailable)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, failure(Unavailable), "Wait 1.6s (unavailable)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, failure(Expired), "List limit 500 (expired) begin"},
		)},
		"410, then a list that fails: the version stays unset, in pages": {Options{}, after(synced,
			line{0, framed(Expired), "List limit 500 (expired) begin"},
			line{0, failure(TooLargeVersion), "Wait 800ms (too-large)"},
			line{0, over, "List limit 500 (expired) begin"},
			line{0, failure(Expired), "Wait 800ms (expired)"},
			line{0, over, "List limit 500 (expired) begin"},
			line{0, failure(NotFound), "Wait 30s (not-found)"},
			line{0, over, "List limit 500 (expired) begin"},
		)},
		"a version from the future": {Options{}, after(synced,
			line{0, framed(TooLargeVersion), "List limit 500 (too-large) begin rewritten"},
			line{0, page("50", ""), "Watch from 50 (listed) synced"},
		)},
		"the resume point moves forward only": {Options{}, after(synced,
			line{0, event("103"), "Read"},
			line{0, event("102"), "Read"},
			line{0, bookmark("99"), "Read"},
			line{0, bookmark(""), "Read"},
			line{0, event("0"), "Read"},
			line{time.Hour, deadline, "Watch from 103 (resumed)"},
			line{0, opens, "Read"},
			line{0, bookmark("1000"), "Read"},
			line{time.Hour, deadline, "Watch from 1000 (resumed)"},
			line{0, opens, "Read"},
			line{0, event("opaque"), "Read"},
			line{time.Hour, deadline, "Watch from opaque (resumed)"},
		)},
		"a rolling restart": {Options{}, after(synced,
			line{time.Minute, cleanEnd, "Wait 0s (ended)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{40 * time.Second, cleanEnd, "Wait 0s (ended)"},
		)},
		"flapping": {Options{}, after(synced,
			line{time.Second, event("101"), "Read"},
			line{4 * time.Second, cleanEnd, "Wait 800ms (ended)"},
			line{0, over, "Watch from 101 (resumed)"},
			line{0, opens, "Read"},
			line{4 * time.Second, event("102"), "Read"},
			line{0, cleanEnd, "Wait 1.6s (ended)"},
			line{0, over, "Watch from 102 (resumed)"},
			line{0, opens, "Read"},
			line{0, deadline, "Wait 3.2s (ended)"}, // so it says
			line{0, over, "Watch from 102 (resumed)"},
			line{0, opens, "Read"},
			line{30 * time.Second, failure(Unavailable), "Wait 800ms (unavailable)"},
		)},
		"streams without a frame": {Options{}, after(synced,
			line{0, cleanEnd, "Wait 800ms (ended)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{0, cleanEnd, "Wait 1.6s (ended)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{0, cleanEnd, "Wait 3.2s (ended)"},
			line{0, over, "List limit 500 (repeated-empty-streams) begin"},
			line{0, page("90", ""), "Wait 800ms (rewritten)"},
			line{0, over, "List limit 500 (rewritten) begin rewritten"},
		)},
		"streams without a frame, but not in a row": {Options{}, after(synced,
			line{0, cleanEnd, "Wait 800ms (ended)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{0, cleanEnd, "Wait 1.6s (ended)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{0, event("101"), "Read"},
			line{0, cleanEnd, "Wait 3.2s (ended)"},
			line{0, over, "Watch from 101 (resumed)"},
			line{0, opens, "Read"},
			line{0, cleanEnd, "Wait 6.4s (ended)"},
			line{0, over, "Watch from 101 (resumed)"},
			line{0, opens, "Read"},
			line{0, cleanEnd, "Wait 12.8s (ended)"},
			line{0, over, "Watch from 101 (resumed)"},
			line{0, opens, "Read"},
			line{30 * time.Second, cleanEnd, "Wait 0s (ended)"}, // without a frame, but it lived
			line{0, over, "Watch from 101 (resumed)"},
			line{0, opens, "Read"},
			line{0, cleanEnd, "Wait 800ms (ended)"},
			line{0, over, "Watch from 101 (resumed)"},
		)},
		"watches that are meant to be short": {Options{WatchTimeoutMin: 4 * time.Second, WatchTimeoutMax: 5 * time.Second}, after(synced,
			line{4 * time.Second, deadline, "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{time.Second, deadline, "Wait 800ms (ended)"},
		)},
		"a frame over the limit": {Options{}, after(synced,
			line{0, event("101"), "Read"},
			line{0, failure(BadResponse), "Wait 800ms (bad-response)"},
			line{0, over, "Watch from 101 (resumed)"},
			line{0, opens, "Read"},
			line{0, failure(BadResponse), "Wait 1.6s (bad-response)"},
			line{0, over, "Watch from 101 (resumed)"},
			line{0, opens, "Read"},
			line{0, failure(BadResponse), "Wait 3.2s (bad-response)"},
			line{0, over, "List limit 500 (repeated-bad-streams) begin"},
		)},
		"throttled": {Options{}, after(synced,
			line{0, told(framed(Throttled), 5*time.Second), "Wait 5s (throttled)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, told(failure(Throttled), 1000*time.Hour), "Wait 2m0s (throttled)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, failure(Throttled), "Wait 3.2s (throttled)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, told(failure(Throttled), -time.Hour), "Wait 6.4s (throttled)"},
		)},
		"throttled lists keep their page": {Options{}, []line{
			{0, start, "List limit 500 (initial) begin"},
			{0, page("100", "a"), "List token a limit 500 (next-page)"},
			{0, told(failure(Throttled), 5*time.Second), "Wait 5s (throttled)"},
			{0, over, "List token a limit 500 (next-page)"},
		}},
		"503 with a time": {Options{}, after(synced,
			line{0, told(failure(Unavailable), 9*time.Second), "Wait 9s (unavailable)"},
		)},
		"forbidden, then the same watch": {Options{}, after(synced,
			line{0, failure(Forbidden), "Wait 30s (forbidden)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, failure(NotFound), "Wait 30s (not-found)"},
			line{0, over, "Watch from 100 (resumed)"},
			line{0, failure(Unauthorized), "Wait 3.2s (unauthorized)"},
		)},
		"silent: the server is where it was": {Options{}, after(synced,
			line{DefaultSilence, quiet, "Probe (silent)"},
			line{0, page("100", "more"), "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{DefaultSilence, quiet, "Probe (silent)"},
			line{0, failure(Forbidden), "Wait 800ms (forbidden)"},
			line{0, over, "Watch from 100 (resumed)"},
		)},
		"silent: the server is behind": {Options{}, after(synced,
			line{DefaultSilence, quiet, "Probe (silent)"},
			line{0, page("90", "more"), "List limit 500 (rewritten) begin rewritten"},
			line{0, page("91", ""), "Watch from 91 (listed) synced"},
		)},
		"silent: nobody can say": {Options{}, after(synced,
			line{DefaultSilence, quiet, "Probe (silent)"},
			line{0, page("opaque", ""), "Watch from 100 (resumed)"},
			line{0, opens, "Read"},
			line{DefaultSilence, quiet, "Probe (silent)"},
			line{0, page("", ""), "Wait 800ms (bad-response)"},
			line{0, over, "Watch from 100 (resumed)"},
		)},
		"a list that is older than what is known": {Options{}, after(synced,
			line{0, framed(Expired), "List limit 500 (expired) begin"},
			line{0, page("90", ""), "Wait 1.6s (rewritten)"},
			line{0, over, "List limit 500 (rewritten) begin rewritten"},
			line{0, page("90", ""), "Watch from 90 (listed) synced"},
		)},
		"an object that is older than what is known": {Options{}, after(synced,
			line{0, framed(Expired), "List limit 500 (expired) begin"},
			line{0, page("110", "a"), "List token a limit 500 (next-page)"},
			line{0, Outcome{Kind: PageListed, ResourceVersion: "110", Stale: true}, "Wait 1.6s (rewritten)"},
			line{0, over, "List limit 500 (rewritten) begin rewritten"},
		)},
		"initial events": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, event("90"), "Read"},
			{0, event("20"), "Read"},
			{0, bookmark("95"), "Read"},
			{0, mark("100"), "Read synced"},
			{0, event("101"), "Read"},
			{time.Hour, deadline, "Watch from 101 (resumed)"},
			{0, failure(Expired), "StreamInitial (expired) begin"},
		}},
		"initial events, cut short": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, event("90"), "Read"},
			{0, failure(Unavailable), "Wait 800ms (unavailable)"},
			{0, over, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, cleanEnd, "Wait 1.6s (unavailable)"},
			{0, over, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, failure(BadResponse), "Wait 3.2s (bad-response)"},
			{0, over, "List limit 500 (stream-unfinished) begin"},
			{0, page("100", ""), "Watch from 100 (listed) synced"},
			{0, failure(Expired), "StreamInitial (expired) begin"},
		}},
		"initial events, a mark without a version": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, mark(""), "Wait 800ms (bad-response)"},
		}},
		"initial events, not served": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, failure(Refused), "List limit 500 (stream-refused) begin"},
			{0, page("100", ""), "Watch from 100 (listed) synced"},
			{0, failure(Expired), "List limit 500 (expired) begin"},
		}},
		"initial events, refused in a frame": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, framed(Forbidden), "List limit 500 (stream-refused) begin"},
		}},
		"initial events, forbidden": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, failure(Forbidden), "Wait 30s (forbidden)"},
			{0, over, "StreamInitial (initial) begin"},
			{0, told(failure(Throttled), 3*time.Second), "Wait 3s (throttled)"},
			{0, over, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, told(framed(Throttled), 3*time.Second), "Wait 3.2s (throttled)"},
			{0, over, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, framed(Expired), "StreamInitial (expired) begin"},
			{0, opens, "Read"},
			{0, framed(TooLargeVersion), "Wait 800ms (too-large)"},
			{0, over, "List limit 500 (too-large) begin rewritten"},
		}},
		"initial events without an end, live events go on": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{DefaultInitialLimit, event("100"), "Read"},
			{time.Second, event("101"), "List limit 500 (stream-refused) begin"},
		}},
		"initial events without an end, to the deadline": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{time.Hour, deadline, "List limit 500 (stream-refused) begin"},
		}},
		"initial events without an end, silent": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{10 * time.Second, quiet, "List limit 500 (stream-refused) begin"},
		}},
		"initial events older than what is known": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, mark("100"), "Read synced"},
			{time.Minute, framed(Expired), "StreamInitial (expired) begin"},
			{0, opens, "Read"},
			{0, mark("90"), "Wait 1.6s (rewritten)"},
			{0, over, "StreamInitial (rewritten) begin rewritten"},
			{0, opens, "Read"},
			{0, mark("90"), "Read synced"},
		}},
		"initial events, an object older than what is known": {streamed, []line{
			{0, start, "StreamInitial (initial) begin"},
			{0, opens, "Read"},
			{0, Outcome{Kind: BookmarkSeen, ResourceVersion: "100", InitialEventsEnd: true, Stale: true}, "Wait 800ms (rewritten)"},
			{0, over, "StreamInitial (rewritten) begin rewritten"},
		}},
	} {
		t.Run(name, func(t *testing.T) { play(t, s.options, s.lines) })
	}
}

// TestPatience: when a list does not make streams bring something, the next one
// is longer in coming.
func TestPatience(t *testing.T) {
	r := play(t, Options{}, synced)
	var streams []int
	n := 1
	for _, o := range repeat(150, cleanEnd, over) {
		a, err := r.step(o)
		if err != nil {
			t.Fatal(err)
		}
		switch a.Kind {
		case List:
			streams, n = append(streams, n), 0
			_, err = r.step(page("100", ""))
			fallthrough
		case Watch:
			n++
			if _, err2 := r.step(opens); err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
		case Wait:
			r.now = r.now.Add(a.Wait)
		}
	}
	if want := []int{3, 6, 12, 24, 48, 48}; !slices.Equal(streams, want) {
		t.Errorf("lists after %v streams, want %v", streams, want)
	}
}

func repeat(n int, outcomes ...Outcome) []Outcome {
	var all []Outcome
	for range n {
		all = append(all, outcomes...)
	}
	return all
}

// TestChanceSpreads: those who lost the same server, were throttled or were
// forbidden together do not come back together.
func TestChanceSpreads(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		o     Outcome
		want  time.Duration // with chance 0.5
	}{
		"ended":                  {time.Minute, cleanEnd, time.Second},
		"torn":                   {time.Minute, failure(Unavailable), time.Second},
		"torn, with a time":      {time.Minute, told(failure(Unavailable), 7*time.Second), 7 * time.Second},
		"throttled for a second": {time.Minute, told(failure(Throttled), time.Second), 1500 * time.Millisecond},
		"throttled for long":     {time.Minute, told(failure(Throttled), 20*time.Second), 25 * time.Second},
		"forbidden":              {time.Minute, failure(Forbidden), 37500 * time.Millisecond},
	} {
		r := play(t, Options{}, synced)
		r.m.o.Rand = func() float64 { return 0.5 }
		r.now = r.now.Add(c.after)
		if a, err := r.step(c.o); err != nil || a.Kind != Wait || a.Wait != c.want {
			t.Errorf("%s: %v %v (%v), want %v", name, a.Kind, a.Wait, err, c.want)
		}
	}
}
