package rawwatch

import (
	"sync/atomic"
	"time"
)

// fillingBound is the longest that a stream leaves what has come unread.
const fillingBound = 20 * time.Millisecond

// filling tells the streams of a client that a batch is being taken apart: more may
// come for each of them in a moment. One that reads on meanwhile is woken up for
// each frame, on the other processor as a rule; one that waits for the end of it, once
// for all. Its zero value is ready.
type filling struct {
	batches atomic.Int32 // that are being taken apart
	end     beat         // of one
}

// wait returns when no batch is being taken apart, or one has been. The nap is its
// caller's.
func (f *filling) wait(n *nap) {
	if f.batches.Load() == 0 {
		return
	}
	end := f.end.wait()
	if f.batches.Load() > 0 {
		n.wait(fillingBound, end, nil)
	}
}

func (f *filling) ends() {
	f.batches.Add(-1)
	f.end.strike()
}

// filler is what one connection has in its client's filling. Its zero value is ready.
type filler struct{ state atomic.Int32 }

const (
	fillerIdle int32 = iota
	fillerBusy
	fillerClosed
)

func (s *filler) begins(f *filling) {
	if s.state.CompareAndSwap(fillerIdle, fillerBusy) {
		f.batches.Add(1)
	}
}

func (s *filler) done(f *filling) {
	if s.state.CompareAndSwap(fillerBusy, fillerIdle) {
		f.ends()
	}
}

// close is for good: a connection may be closed while it is read.
func (s *filler) close(f *filling) {
	if s.state.Swap(fillerClosed) == fillerBusy {
		f.ends()
	}
}
