package watchtest

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
)

// body is the way of an answer to the client. Bytes pass three stages: the
// fault that cuts and rewrites sees them plain; then they are compressed, if
// they are; then they are put into chunks.
type body struct {
	call  *call
	fault *Fault
	w     http.ResponseWriter
	begun bool

	frames, bytes int    // gone through the cut: whole frames, then bytes
	whole         []byte // kept for Rewrite

	gzipped bool         // compress
	members bool         // with a gzip member for each flush
	zip     *gzip.Writer // of the member that is open; nil when none is

	chunk   []byte // kept back for chunks of a certain size or count of frames
	waiting int    // frames in chunk
}

func newBody(c *call, w http.ResponseWriter) *body {
	return &body{call: c, fault: c.fault(), w: w}
}

// begin sends the status; 0 means 200. Headers must be set before.
func (b *body) begin(code int) {
	if code == 0 {
		code = http.StatusOK
	}
	b.begun = true
	if wrong := b.fault.ContentType; wrong != "" {
		b.call.header.Set("Content-Type", wrong)
	}
	b.call.server.journal.edit(b.call.note, func(r *Request) { r.Code = code })
	b.w.WriteHeader(code)
}

// Write sends a part of a body that is not made of frames.
func (b *body) Write(p []byte) (int, error) {
	if b.fault.Rewrite != nil {
		b.whole = append(b.whole, p...)
		return len(p), nil
	}
	return len(p), b.pass(p)
}

// frame sends a frame of a watch in parts.
func (b *body) frame(parts ...[]byte) error {
	if b.fault.Rewrite != nil {
		var all []byte
		for _, p := range parts {
			all = append(all, p...)
		}
		parts = [][]byte{b.fault.Rewrite(all)}
	}
	for _, p := range parts {
		if err := b.pass(p); err != nil {
			return err
		}
	}
	b.waiting++
	if b.cutting() && b.frames < b.fault.AfterFrames {
		b.frames++
		b.bytes = 0
		return b.check()
	}
	return nil
}

func (b *body) cutting() bool { return b.fault.Cut != NoCut }

// check cuts when the place for it is reached.
func (b *body) check() error {
	if b.cutting() && b.frames >= b.fault.AfterFrames && b.bytes >= b.fault.AfterBytes {
		return &cutError{b.fault.Cut}
	}
	return nil
}

// pass counts plain bytes and stops where the fault cuts.
func (b *body) pass(p []byte) error {
	if b.cutting() && b.frames >= b.fault.AfterFrames {
		if room := b.fault.AfterBytes - b.bytes; len(p) >= room {
			if err := b.compress(p[:max(room, 0)]); err != nil {
				return err
			}
			return &cutError{b.fault.Cut}
		}
	}
	b.bytes += len(p)
	return b.compress(p)
}

func (b *body) compress(p []byte) error {
	if !b.gzipped {
		return b.wire(p)
	}
	if b.zip == nil {
		b.zip = gzipPool.Get().(*gzip.Writer)
		b.zip.Reset(writer(b.wire))
	}
	_, err := b.zip.Write(p)
	return err
}

// endMember completes the open gzip member and gives its writer back: idle
// streams hold none.
func (b *body) endMember() error {
	if b.zip == nil {
		return nil
	}
	err := b.zip.Close()
	b.dropMember()
	return err
}

func (b *body) dropMember() {
	if b.zip != nil {
		b.zip.Reset(io.Discard)
		gzipPool.Put(b.zip)
		b.zip = nil
	}
}

type writer func([]byte) error

func (w writer) Write(p []byte) (int, error) { return len(p), w(p) }

// wire sends bytes as they are to be on the wire.
func (b *body) wire(p []byte) error {
	switch {
	case b.fault.ChunkSize > 0:
		for len(p) > 0 {
			n := min(b.fault.ChunkSize, len(p))
			if err := b.send(p[:n]); err != nil {
				return err
			}
			b.push()
			if p = p[n:]; !b.call.pause(b.fault.ChunkDelay) {
				return errGone
			}
		}
		return nil
	case b.fault.FramesPerChunk > 0:
		b.chunk = append(b.chunk, p...)
		return nil
	}
	return b.send(p)
}

func (b *body) send(p []byte) error {
	_, err := b.w.Write(p)
	return err
}

func (b *body) push() {
	if f, ok := b.w.(http.Flusher); ok {
		f.Flush()
	}
}

// flush brings what was written to the client, headers included.
func (b *body) flush() error {
	if b.members && b.zip != nil {
		// Flushed before its end, as v1.37 does: net/http's clients would keep
		// the last bytes until the next member begins.
		if err := errors.Join(b.zip.Flush(), b.endMember()); err != nil {
			return err
		}
	}
	if b.waiting < b.fault.FramesPerChunk {
		return nil
	}
	return b.release()
}

// release sends what FramesPerChunk has kept back.
func (b *body) release() error {
	var err error
	if len(b.chunk) > 0 {
		err = b.send(b.chunk)
		b.chunk = b.chunk[:0]
	}
	b.waiting = 0
	b.push()
	return err
}

// flushWire is the last flush before a cut: a compressed body stays
// unfinished.
func (b *body) flushWire() {
	if !b.begun {
		return
	}
	if b.zip != nil {
		b.zip.Flush()
		b.dropMember()
	}
	b.release()
}

// finish ends the body as it should be; a cut when the fault rewrote it.
func (b *body) finish() *cutError {
	if b.whole != nil {
		if err := b.pass(b.fault.Rewrite(b.whole)); err != nil {
			if cut, ok := err.(*cutError); ok {
				return cut
			}
			panic(http.ErrAbortHandler)
		}
	}
	if b.endMember() != nil || len(b.chunk) > 0 && b.release() != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}
