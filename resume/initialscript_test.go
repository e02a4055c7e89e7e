package resume

import (
	"time"
)

// initialScripts are about streams of initial events.
var initialScripts = map[string]script{
	"initial events": {Options{StreamInitial: true}, []line{
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
	"initial events, cut short": {Options{StreamInitial: true}, []line{
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
	"initial events, a mark without a version": {Options{StreamInitial: true}, []line{
		{0, start, "StreamInitial (initial) begin"},
		{0, opens, "Read"},
		{0, mark(""), "Wait 800ms (bad-response)"},
	}},
	"initial events, not served": {Options{StreamInitial: true}, []line{
		{0, start, "StreamInitial (initial) begin"},
		{0, failure(Refused), "List limit 500 (stream-refused) begin"},
		{0, page("100", ""), "Watch from 100 (listed) synced"},
		{0, failure(Expired), "List limit 500 (expired) begin"},
	}},
	"initial events, refused in a frame": {Options{StreamInitial: true}, []line{
		{0, start, "StreamInitial (initial) begin"},
		{0, opens, "Read"},
		{0, framed(Forbidden), "List limit 500 (stream-refused) begin"},
	}},
	"initial events, forbidden": {Options{StreamInitial: true}, []line{
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
	"initial events without an end, live events go on": {Options{StreamInitial: true}, []line{
		{0, start, "StreamInitial (initial) begin"},
		{0, opens, "Read"},
		{DefaultInitialLimit, event("100"), "Read"},
		{time.Second, event("101"), "List limit 500 (stream-refused) begin"},
	}},
	"initial events without an end, to the deadline": {Options{StreamInitial: true}, []line{
		{0, start, "StreamInitial (initial) begin"},
		{0, opens, "Read"},
		{time.Hour, deadline, "List limit 500 (stream-refused) begin"},
	}},
	"initial events without an end, silent": {Options{StreamInitial: true}, []line{
		{0, start, "StreamInitial (initial) begin"},
		{0, opens, "Read"},
		{10 * time.Second, quiet, "List limit 500 (stream-refused) begin"},
	}},
	"initial events older than what is known": {Options{StreamInitial: true}, []line{
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
	"initial events, an object older than what is known": {Options{StreamInitial: true}, []line{
		{0, start, "StreamInitial (initial) begin"},
		{0, opens, "Read"},
		{0, Outcome{Kind: BookmarkSeen, ResourceVersion: "100", InitialEventsEnd: true, Stale: true}, "Wait 800ms (rewritten)"},
		{0, over, "StreamInitial (rewritten) begin rewritten"},
	}},
}
