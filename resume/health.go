package resume

import "time"

// health counts what has gone wrong since requests last went well for a
// while. It is what keeps every cycle of the table bounded in time: each way
// round one is counted here, and only Backoff.ResetAfter without a failure
// clears the counts.
type health struct {
	failures  int          // failures in a row
	last      FailureClass // of the last one
	gaps      int          // histories lost in a row: expired, too large, rewritten
	fruitless int          // streams in a row that brought no frame
	patience  int          // fruitless streams until the next list
	goodSince time.Time    // first success after the last failure; zero: none yet
}

// good notes a success and forgets failures that are long past.
func (h *health) good(now time.Time, resetAfter time.Duration) {
	if h.goodSince.IsZero() {
		h.goodSince = now
	}
	if now.Sub(h.goodSince) >= resetAfter {
		h.clear()
	}
}

// clear forgets all failures: a watch has lived.
func (h *health) clear() {
	h.failures, h.gaps, h.last = 0, 0, 0
	h.framed()
}

// framed notes a frame: streams do bring something.
func (h *health) framed() { h.fruitless, h.patience = 0, EmptyStreamsBeforeList }

// bad notes a failure and returns how many there are in a row.
func (h *health) bad() int {
	h.failures++
	h.goodSince = time.Time{}
	return h.failures
}

// gap notes that the history was lost and returns how often in a row. That is
// routine the first time, so it is no failure.
func (h *health) gap() int {
	h.gaps++
	h.goodSince = time.Time{}
	return h.gaps
}

// barren notes a stream without use and reports whether it is time to list.
func (h *health) barren() bool {
	h.fruitless++
	if h.fruitless < h.patience {
		return false
	}
	h.fruitless = 0
	h.patience = min(2*h.patience, MaxEmptyStreams)
	return true
}
