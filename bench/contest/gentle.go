package contest

import "fmt"

// A program that does not watch again once its watch is closed is given changes
// gently. The server closes a watch whose queue has been full for a moment, and
// makes that queue the longer the more changes it has seen since its own start:
// the relist of whoever had the turn before has started it anew.
const (
	gentleChanges = 500  // in all
	gentlePace    = 100  // a second
	gentleBefore  = 1000 // before the program starts
)

// churnOf is how many changes a peer is given, and how many a second at most.
func (a *Arena) churnOf(p Peer) (changes, perSecond int) {
	if p.NoResume == "" {
		return a.Updates, a.PerSecond
	}
	return min(a.Updates, gentleChanges), min(a.PerSecond, gentlePace)
}

// limits says what of a life a peer does not do, or not as the others.
func (a *Arena) limits(p Peer) string {
	if p.NoResume == "" {
		return p.NoRelist
	}
	changes, perSecond := a.churnOf(p)
	text := fmt.Sprintf("it is given %d changes, at most %d a second, since %s", changes, perSecond, p.NoResume)
	if p.NoRelist != "" {
		text = p.NoRelist + "; " + text
	}
	return text
}
