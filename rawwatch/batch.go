package rawwatch

import (
	"net"
	"sync"
)

const (
	// batchSize is what a busy connection reads at once, in bytes.
	batchSize = 64 << 10
	// maxHeldWrites bounds what is held back while a batch is worked off; a
	// window update takes some 50 bytes.
	maxHeldWrites = 16 << 10
)

var batches = sync.Pool{New: func() any { return new([batchSize]byte) }}

// batch is what one read of a busy connection has brought, until it is taken.
type batch struct {
	buffer *[batchSize]byte // nil when all is taken
	rest   []byte
	full   bool // the last read filled the buffer: there is more
}

// read reads as much as there is, and takes what p holds of it.
func (b *batch) read(read func([]byte) (int, error), p []byte) (int, error) {
	b.buffer = batches.Get().(*[batchSize]byte)
	n, err := read(b.buffer[:])
	b.rest, b.full = b.buffer[:n], n == batchSize
	if n == 0 {
		b.free()
		return 0, err
	}
	return b.take(p), nil // an error after data comes again
}

func (b *batch) take(p []byte) int {
	if b.buffer == nil {
		return 0
	}
	n := copy(p, b.rest)
	if b.rest = b.rest[n:]; len(b.rest) == 0 {
		b.free()
	}
	return n
}

func (b *batch) free() {
	batches.Put(b.buffer)
	b.buffer, b.rest = nil, nil
}

// heldWrites holds small writes back while somebody promises to release them.
type heldWrites struct {
	mu      sync.Mutex
	holding bool
	bytes   []byte
}

// hold begins to hold writes back; release must follow soon.
func (h *heldWrites) hold() {
	h.mu.Lock()
	h.holding = true
	h.mu.Unlock()
}

// keep reports whether p is held back.
func (h *heldWrites) keep(p []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.holding || len(h.bytes)+len(p) > maxHeldWrites {
		return false
	}
	h.bytes = append(h.bytes, p...)
	return true
}

// release writes what was held back, and holds nothing more.
func (h *heldWrites) release(c net.Conn) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holding = false
	if len(h.bytes) == 0 {
		return nil
	}
	_, err := c.Write(h.bytes)
	h.bytes = h.bytes[:0]
	return err
}
