package watchtest

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// memoryListener accepts in-memory connections.
type memoryListener struct {
	faults *faults
	queue  chan *memoryConn
	done   chan struct{}
	once   sync.Once
}

// memoryBacklog is how many connections may wait to be accepted.
const memoryBacklog = 128

func newMemoryListener(f *faults) *memoryListener {
	return &memoryListener{faults: f, queue: make(chan *memoryConn, memoryBacklog), done: make(chan struct{})}
}

func (l *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	failed := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "memory", Addr: memoryAddr{}, Err: err}
	}
	client, server := memoryPipe()
	if server.fate = l.faults.atAccept(); server.fate == AcceptReset {
		return failed(syscall.ECONNREFUSED)
	}
	select {
	case <-l.done:
		return failed(syscall.ECONNREFUSED)
	case <-ctx.Done():
		return failed(ctx.Err())
	case l.queue <- server:
	}
	select {
	case <-l.done: // it may be queued where nobody accepts any more
		server.reset()
		return failed(syscall.ECONNREFUSED)
	default:
		return client, nil
	}
}

// Accept implements net.Listener.
func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case <-l.done:
		return nil, net.ErrClosed
	case c := <-l.queue:
		select {
		case <-l.done:
			c.reset()
			return nil, net.ErrClosed
		default:
			return c, nil
		}
	}
}

// Close implements net.Listener. Connections that nobody accepted are reset.
func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.done) })
	for {
		select {
		case c := <-l.queue:
			c.reset()
		default:
			return nil
		}
	}
}

func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }
