package rawwatch

import "testing"

// TestBreakerMovesAreBounded: of what waits for a hook that does not return, the
// newest is told as one.
func TestBreakerMovesAreBounded(t *testing.T) {
	var told []breakerMove
	var m breakerMoves
	m.tell = func(from, to BreakerState) {
		told = append(told, breakerMove{from, to})
		if len(told) > 1 {
			return
		}
		for range 500 { // while the first call is under way
			m.add(BreakerClosed, BreakerOpen)
			m.add(BreakerOpen, BreakerHalfOpen)
			m.add(BreakerHalfOpen, BreakerClosed)
			m.flush()
		}
	}
	m.add(BreakerHalfOpen, BreakerClosed)
	m.flush()
	if len(told) != 1+maxBreakerMoves {
		t.Errorf("%d moves were told", len(told))
	}
	for i := 1; i < len(told); i++ {
		if told[i].from != told[i-1].to {
			t.Errorf("%v after %v", told[i], told[i-1])
		}
	}
	if last := told[len(told)-1]; last.to != BreakerClosed {
		t.Errorf("the last one is %v", last)
	}
}
