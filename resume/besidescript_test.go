package resume

import (
	"testing"
	"time"
)

// aside says that an outcome is of what runs beside the watch.
func aside(o Outcome) Outcome {
	o.Beside = true
	return o
}

// expiredWith is a token that has expired, and another that leads on.
func expiredWith(token string) Outcome {
	return aside(Outcome{Kind: Failed, Failure: Failure{Class: Expired, Continue: token}})
}

var listsBeside = Options{ListWhileWatching: true}

// split is the beginning of a list that goes on beside its watch.
var split = []line{
	{0, start, "List limit 500 (initial) begin"},
	{0, page("100", "a"), "Watch from 100 token a (list-beside) + List"},
	{0, opens, "Read +"},
}

// besideScripts are about lists beside watches.
var besideScripts = map[string]script{
	"beside: list and watch meet": {listsBeside, after(split,
		line{0, event("101"), "Read +"},
		line{0, aside(page("100", "b")), "GoOn token b (next-page) + List"},
		line{0, event("105"), "Read +"},
		line{0, aside(page("100", "")), "GoOn (listed) synced"},
		line{0, event("106"), "Read"},
		line{time.Hour, deadline, "Watch from 106 (resumed)"},
	)},
	"beside: the list is complete before the watch is there": {listsBeside, []line{
		{0, start, "List limit 500 (initial) begin"},
		{0, page("100", "a"), "Watch from 100 token a (list-beside) + List"},
		{0, aside(page("100", "")), "GoOn (listed) synced"},
		{0, opens, "Read"},
	}},
	"beside: one page needs nothing beside": {listsBeside, []line{
		{0, start, "List limit 500 (initial) begin"},
		{0, page("100", ""), "Watch from 100 (listed) synced"},
	}},
	"beside: versions without an order are listed first": {listsBeside, []line{
		{0, start, "List limit 500 (initial) begin"},
		{0, page("v100", "a"), "List token a limit 500 (next-page)"},
		{0, page("v100", ""), "Watch from v100 (listed) synced"},
	}},
	"beside: a version without an order comes from the watch": {listsBeside, after(split,
		line{0, event("v7"), "List limit 500 (opaque-versions) begin"},
		line{0, page("200", "b"), "List token b limit 500 (next-page)"},
	)},
	"beside: a token that expired leads on, the second time slower": {listsBeside, after(split,
		line{0, expiredWith("b"), "GoOn token b (next-page) + List"},
		line{0, aside(page("150", "c")), "GoOn token c (next-page) + List"},
		line{0, expiredWith("d"), "GoOn (list-token-expired) + Wait 800ms"},
		line{0, event("160"), "Read +"},
		line{0, aside(over), "GoOn token d (next-page) + List"},
		line{0, aside(page("170", "")), "GoOn (listed) synced"},
	)},
	"beside: a token that expired and leads nowhere": {listsBeside, after(split,
		line{0, expiredWith(""), "List limit 500 (list-token-expired) begin"},
	)},
	"beside: a token that expired and leads in a circle": {listsBeside, after(split,
		line{0, expiredWith("a"), "List limit 500 (list-token-expired) begin"},
	)},
	"beside: the watch breaks and goes on, the list does not care": {listsBeside, after(split,
		line{0, event("110"), "Read +"},
		line{0, failure(Unavailable), "Wait 800ms (unavailable) +"},
		line{0, aside(page("100", "b")), "GoOn token b (next-page) + List"},
		line{0, over, "Watch from 110 (resumed) +"},
		line{0, failure(Throttled), "Wait 1.6s (throttled) +"},
		line{0, aside(page("100", "")), "GoOn (listed) synced"},
		line{0, over, "Watch from 110 (resumed)"},
	)},
	"beside: the watch expires": {listsBeside, after(split,
		line{0, event("110"), "Read +"},
		line{0, framed(Expired), "List limit 500 (expired) begin"},
	)},
	"beside: the watch expires while the list waits": {listsBeside, after(split,
		line{0, aside(failure(Unavailable)), "GoOn (unavailable) + Wait 800ms"},
		line{0, framed(Expired), "List limit 500 (expired) begin"},
	)},
	"beside: the watch is silent": {listsBeside, after(split,
		line{time.Minute, quiet, "Probe (silent) +"},
		line{0, aside(page("100", "b")), "GoOn token b (next-page) + List"},
		line{0, page("100", ""), "Watch from 100 (resumed) +"},
	)},
	"beside: the server is behind": {listsBeside, after(split,
		line{time.Minute, quiet, "Probe (silent) +"},
		line{0, page("90", ""), "List limit 500 (rewritten) begin rewritten"},
	)},
	"beside: a page is retried": {listsBeside, after(split,
		line{0, aside(failure(Unavailable)), "GoOn (unavailable) + Wait 800ms"},
		line{0, aside(over), "GoOn token a (next-page) + List"},
		line{0, aside(told(failure(Throttled), 3*time.Second)), "GoOn (throttled) + Wait 3s"},
		line{0, aside(over), "GoOn token a (next-page) + List"},
		line{0, aside(failure(Forbidden)), "GoOn (forbidden) + Wait 30s"},
		line{0, aside(over), "GoOn token a (next-page) + List"},
		line{0, aside(page("100", "")), "GoOn (listed) synced"},
	)},
	"beside: a token that is refused": {listsBeside, after(split,
		line{0, aside(failure(Refused)), "Wait 800ms (refused)"},
		line{0, over, "List limit 500 (initial) begin"},
	)},
	"beside: a page of another list": {listsBeside, after(split,
		line{0, aside(page("99", "")), "Wait 800ms (bad-response)"},
	)},
	"beside: all is gone, asked twice": {listsBeside, after(split,
		line{0, aside(Outcome{Kind: PageListed, Emptied: true}), "Wait 800ms (emptied)"},
		line{0, over, "List limit 500 (emptied) begin"},
		line{0, page("120", "a"), "Watch from 120 token a (list-beside) + List"},
		line{0, aside(Outcome{Kind: PageListed, Emptied: true}), "GoOn (listed) synced"},
	)},
	"all is gone, asked twice": {Options{}, after(synced,
		line{0, failure(Expired), "List limit 500 (expired) begin"},
		line{0, Outcome{Kind: PageListed, ResourceVersion: "110", Emptied: true}, "Wait 1.6s (emptied)"},
		line{0, over, "List limit 500 (emptied) begin"},
		line{0, failure(Unavailable), "Wait 800ms (unavailable)"},
		line{0, over, "List limit 500 (emptied) begin"},
		line{0, Outcome{Kind: PageListed, ResourceVersion: "111", Emptied: true}, "Watch from 111 (listed) synced"},
	)},
	"lists that take longer than the history: page, watch, then beside": {Options{PageLimit: -1}, []line{
		{0, start, "List limit 0 (initial) begin"},
		{0, page("100", ""), "Watch from 100 (listed) synced"},
		{0, opens, "Read"},
		{0, framed(Expired), "List limit 0 (expired) begin"},
		{0, page("200", ""), "Watch from 200 (listed) synced"},
		{0, failure(Expired), "Wait 800ms (expired)"},
		{0, over, "List limit 500 (expired) begin"},
		{0, page("300", "a"), "Watch from 300 token a (list-beside) + List"},
		{0, opens, "Read +"},
		{0, aside(page("300", "")), "GoOn (listed) synced"},
		{time.Hour, framed(Expired), "List limit 500 (expired) begin"},
	}},
	"tokens expire: twice, then beside": {Options{}, []line{
		{0, start, "List limit 500 (initial) begin"},
		{0, page("100", "a"), "List token a limit 500 (next-page)"},
		{0, failure(Expired), "List limit 500 (list-token-expired) begin"},
		{0, page("100", "a"), "List token a limit 500 (next-page)"},
		{0, failure(Expired), "Wait 800ms (list-token-expired)"},
		{0, over, "List limit 500 (list-token-expired) begin"},
		{0, page("100", "a"), "Watch from 100 token a (list-beside) + List"},
	}},
	"a history that is lost now and then is no circle": {Options{}, after(synced,
		line{time.Hour, framed(Expired), "List limit 500 (expired) begin"},
		line{0, page("200", ""), "Watch from 200 (listed) synced"},
		line{0, opens, "Read"},
		line{0, event("201"), "Read"},
		line{time.Hour, framed(Expired), "List limit 500 (expired) begin"},
		line{0, page("300", "a"), "List token a limit 500 (next-page)"},
	)},
}

// auditScripts are about audits. Chance is 0: the first comes after half the
// interval.
var auditScripts = map[string]script{
	"audit: all is the same": {Options{AuditEvery: time.Hour}, after(synced,
		line{0, event("101"), "Read"},
		line{30 * time.Minute, bookmark("102"), "Read from 102 + Audit"},
		line{0, event("103"), "Read +"},
		line{0, aside(page("102", "a")), "GoOn token a (audit) + Audit"},
		line{0, cleanEnd, "Wait 0s (ended) +"},
		line{0, aside(page("102", "")), "GoOn (audit)"},
		line{0, over, "Watch from 103 (resumed)"},
		line{0, opens, "Read"},
		line{59 * time.Minute, event("104"), "Read"},
		line{2 * time.Minute, event("105"), "Read from 105 + Audit"},
		line{0, aside(failure(Expired)), "GoOn (audit)"},
	)},
	"audit: a difference": {Options{AuditEvery: time.Hour}, after(synced,
		line{0, event("101"), "Read"},
		line{time.Hour, bookmark("102"), "Read from 102 + Audit"},
		line{0, aside(Outcome{Kind: PageListed, ResourceVersion: "102", Differs: true}), "List limit 500 (audit-differs) begin rewritten"},
		line{0, page("50", ""), "Watch from 50 (listed) synced"},
	)},
	"audit: the watch expires meanwhile": {Options{AuditEvery: time.Hour}, after(synced,
		line{0, event("101"), "Read"},
		line{time.Hour, bookmark("102"), "Read from 102 + Audit"},
		line{0, framed(Expired), "List limit 500 (expired) begin"},
	)},
	"audit: pages in a circle": {Options{AuditEvery: time.Hour}, after(synced,
		line{0, event("101"), "Read"},
		line{time.Hour, bookmark("102"), "Read from 102 + Audit"},
		line{0, aside(page("102", "a")), "GoOn token a (audit) + Audit"},
		line{0, aside(page("102", "a")), "GoOn (audit)"},
	)},
}

// exhaust lets a page fail until the list starts over, and returns after how
// many failures that was.
func exhaust(t *testing.T, class FailureClass) (r *referee, failures int) {
	t.Helper()
	r = play(t, listsBeside, split)
	for n := 1; ; n++ {
		o := aside(failure(class))
		if class == Expired {
			o = expiredWith("token" + string(rune('a'+n)))
		}
		a, err := r.step(o)
		if err != nil {
			t.Fatal(err)
		}
		if a.Kind != GoOn {
			return r, n
		}
		if a.Beside == WaitBeside {
			r.now = r.now.Add(a.Wait)
			if _, err := r.step(aside(over)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

var retriedBeside = []FailureClass{Unavailable, Forbidden, NotFound, BadResponse, Unauthorized, TooLargeVersion, Expired}

// TestBesidePatience: a page that never comes lets the list start over, in the
// end.
func TestBesidePatience(t *testing.T) {
	for _, class := range retriedBeside {
		r, n := exhaust(t, class)
		if n != MaxBesideRetries+1 || r.last.Kind != Wait {
			t.Errorf("%v: %v after %d failures, want a Wait after %d", class, r.last.Kind, n, MaxBesideRetries+1)
		}
		r.now = r.now.Add(r.last.Wait)
		if a, err := r.step(over); err != nil || a.Kind != List || !a.BeginList {
			t.Errorf("%v: then %v (%v), want a list from page 1", class, a, err)
		}
	}
}
