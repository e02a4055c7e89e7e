package rawwatch

import (
	"context"

	"github.com/rawwatch/rawwatch/decode"
)

// lane is a goroutine that reads for a [duet]: the watch, or what runs beside
// it. It hands over one thing at a time and waits for the answer, so that what
// is borrowed stays valid and a slow consumer slows it. Its fields belong to
// the consumer's goroutine.
type lane struct {
	out    chan handover
	answer chan bool
	done   chan struct{} // closed when the goroutine has ended
	over   context.Context
	end    context.CancelFunc
	// interrupt ends what the goroutine may be reading beside its context; nil
	// is nothing.
	interrupt func()
	// waits is set while the goroutine waits for an answer.
	waits bool
}

// handover is what a lane has read. One of the first three is set, or nothing
// for the end of a page.
type handover struct {
	stream *stream       // that was opened
	frame  *decode.Event // borrowed until the answer
	item   *decode.Item  // borrowed until the answer
	page   pageEnd
	err    error
	read   bool // it is about an open stream
}

func newLane(ctx context.Context) *lane {
	l := &lane{out: make(chan handover), answer: make(chan bool), done: make(chan struct{})}
	l.over, l.end = context.WithCancel(ctx)
	return l
}

// work runs in the lane's goroutine.
func (l *lane) start(work func()) {
	go func() {
		defer close(l.done)
		work()
	}()
}

// hand gives something to the consumer. It was taken, or the lane is over; go
// says whether to go on.
func (l *lane) hand(h handover) (taken, more bool) {
	select {
	case l.out <- h:
		return true, <-l.answer
	case <-l.over.Done():
		return false, false
	}
}

// reply answers what was handed over.
func (l *lane) reply(more bool) {
	l.waits = false
	l.answer <- more
}

// stop ends the goroutine and waits for it.
func (l *lane) stop() {
	if l == nil {
		return
	}
	l.end()
	if l.interrupt != nil {
		l.interrupt()
	}
	l.park()
}

// park lets a goroutine that waits for an answer end, and waits for it.
func (l *lane) park() {
	if l.waits {
		l.reply(false)
	}
	<-l.done
	l.end()
}

// received is where the lane's handovers come from; nil, for ever, without one.
func (l *lane) received() <-chan handover {
	if l == nil {
		return nil
	}
	return l.out
}

// readFrames hands over frame after frame.
func (l *lane) readFrames(s *stream) {
	for {
		frame, err := s.next()
		if _, more := l.hand(handover{frame: frame, err: err, read: true}); !more || err != nil {
			return
		}
	}
}

// openLane opens a stream and reads it. The stream belongs to whoever took it.
func (r *reflection) openLane(start streamStart) *lane {
	l := newLane(r.ctx)
	ctx, cancel := context.WithCancel(r.ctx)
	l.interrupt = cancel
	client, query := r.client, r.query
	l.start(func() {
		s, err := client.openStream(ctx, query, start)
		if err == nil {
			s.release = cancel
		}
		taken, more := l.hand(handover{stream: s, err: err})
		switch {
		case err != nil:
			cancel()
		case !taken:
			s.close()
		case more:
			l.readFrames(s)
		}
	})
	return l
}

// readLane reads on a stream that is open.
func (r *reflection) readLane(s *stream) *lane {
	l := newLane(r.ctx)
	l.interrupt = func() { s.x.cancel(context.Canceled) }
	l.start(func() { l.readFrames(s) })
	return l
}

// pageLane reads one page of a list.
func (r *reflection) pageLane(page listPage) *lane {
	l := newLane(r.ctx)
	client, query := r.client, r.query
	l.start(func() {
		stopped := false
		end, err := client.readPage(l.over, *query, page, func(item *decode.Item) bool {
			_, more := l.hand(handover{item: item})
			stopped = !more
			return more
		})
		if !stopped {
			l.hand(handover{page: end, err: err})
		}
	})
	return l
}
