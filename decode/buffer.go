package decode

import "sync"

// Sizes of buffers, in bytes.
const (
	tinyBuffer  = 16         // inside every reader: all that an idle stream holds
	smallBuffer = 32 << 10   // the first that is borrowed; a few usual objects
	largeBuffer = 1 << 20    // the largest that goes back to a pool
	classes     = 6          // smallBuffer << 0 … smallBuffer << 5 = largeBuffer
	poisonByte  = byte(0xDB) // no ASCII, no valid UTF-8 start of a text: seen at once
)

// block owns one buffer. The pools hold blocks, not slices, so that giving one
// back allocates nothing.
type block struct{ bytes []byte }

var pools [classes]sync.Pool

// borrow gives a block of exactly size bytes, from a pool where there is one.
func borrow(size int) *block {
	if c := class(size); c >= 0 {
		if b, ok := pools[c].Get().(*block); ok {
			return b
		}
	}
	return &block{bytes: make([]byte, size)}
}

// giveBack pools b, unless its size is unusual: a giant must be garbage as
// soon as its frame is done with.
func giveBack(b *block) {
	if c := class(len(b.bytes)); c >= 0 {
		pools[c].Put(b)
	}
}

func class(size int) int {
	for c := range classes {
		if size == smallBuffer<<c {
			return c
		}
	}
	return -1
}

func poison(b []byte) {
	for i := range b {
		b[i] = poisonByte
	}
}
