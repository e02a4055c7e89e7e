package checkpoint

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

func frameLength(head []byte, rest int64) (int64, bool) {
	length := int64(binary.LittleEndian.Uint32(head[2:]))
	return length, head[0] == frameMark0 && head[1] == frameMark1 && length <= maxBody && length <= rest-frameHead
}

func frameSum(head []byte) uint32 { return binary.LittleEndian.Uint32(head[6:]) }

// watch is what is known of one watch without its objects.
type watch struct {
	id      resume.WatchIdentity
	gen     uint64
	version string
	at      time.Time
	commits int
}

// contents is what a scan finds.
type contents struct {
	watches map[string]*watch
	byGen   map[uint64]*watch
	nextGen uint64
	end     int64 // of the last whole frame
	frames  int
	notes   []string
}

func newContents() *contents {
	return &contents{watches: map[string]*watch{}, byGen: map[uint64]*watch{}, nextGen: 1, end: headerSize}
}

// take adds a frame. It is false for a frame that makes no sense where it is.
func (c *contents) take(f *body, madeAt time.Time) bool {
	at := f.at
	if at.IsZero() {
		at = madeAt
	}
	switch f.kind {
	case kindBase:
		if f.id.Check() != nil {
			return false
		}
		if old := c.watches[f.id.Watch]; old != nil {
			delete(c.byGen, old.gen)
		}
		w := &watch{id: f.id, gen: f.gen, version: f.version, at: at}
		c.watches[f.id.Watch], c.byGen[f.gen] = w, w
	case kindCommit:
		w := c.byGen[f.gen]
		if w == nil {
			return false
		}
		if f.version != "" {
			w.version = f.version
		}
		w.at = at
		w.commits++
	case kindForget:
		if w := c.byGen[f.gen]; w != nil {
			delete(c.byGen, f.gen)
			delete(c.watches, w.id.Watch)
		}
	case kindNote:
		c.notes = append(c.notes, f.note)
	}
	c.nextGen = max(c.nextGen, f.gen+1)
	return true
}

// sorted are the watches by name.
func (c *contents) sorted() []*watch {
	names := slices.Sorted(maps.Keys(c.watches))
	all := make([]*watch, len(names))
	for i, name := range names {
		all[i] = c.watches[name]
	}
	return all
}

// scan reads all frames and checks their sums. It stops at the first place
// where no whole frame is: c.end. seen, which may be nil, is called for each
// frame; the body is borrowed. An error is one of reading, or a *FormatError
// for a frame that is whole and makes no sense.
func scan(m *image, seen func(frameRef, *body)) (*contents, error) {
	c := newContents()
	var buf []byte
	for c.end < m.size() {
		frame, whole, err := m.readFrame(c.end, buf)
		if err != nil {
			return c, err
		}
		if !whole {
			break
		}
		buf = frame
		f, ok := parseBody(frame, m.header.format)
		if !ok || !c.take(&f, m.header.madeAt) {
			return c, &FormatError{Corrupt, c.end, "a frame's checksum holds, but it makes no sense"}
		}
		if seen != nil {
			seen(frameRef{c.end, len(frame)}, &f)
		}
		c.end += frameHead + int64(len(frame))
		c.frames++
	}
	return c, nil
}

// damage says what the end of the frames at end means: nil for the true end of
// the file or a write that was cut off there, which is as if it had never
// begun; a *FormatError for anything else.
func (m *image) damage(end int64) error {
	switch {
	case end == m.size():
		return nil
	case end < m.header.baseSize:
		return &FormatError{Corrupt, end, "a frame's checksum does not hold"}
	}
	behind, err := m.frameBehind(end)
	switch {
	case err != nil:
		return err
	case behind:
		return &FormatError{Corrupt, end, "a frame's checksum does not hold, and there are whole ones behind it"}
	}
	return nil
}

// searchWindow is how much is looked through at once for a frame's mark.
const searchWindow = 64 << 10

// frameBehind looks for a whole frame behind damage. What it reads is bounded
// by a few times the file: bytes made to look like frames are damage too.
func (m *image) frameBehind(from int64) (bool, error) {
	budget := 8*m.size() + searchWindow
	var buf []byte
	window := make([]byte, searchWindow)
	for at := from + 1; at < m.size(); {
		piece := window[:min(int64(len(window)), m.size()-at)]
		if _, err := m.ReadAt(piece, at); err != nil {
			return false, err
		}
		i := bytes.Index(piece, []byte{frameMark0, frameMark1})
		if i < 0 {
			at += int64(max(len(piece)-1, 1)) // a mark may be across two windows
			continue
		}
		at += int64(i)
		var whole bool
		var err error
		if buf, whole, err = m.readFrame(at, buf); err != nil || whole {
			return whole, err
		}
		if budget -= int64(len(buf)) + frameHead + searchWindow/16; budget < 0 {
			return true, nil
		}
		at++
	}
	return false, nil
}
