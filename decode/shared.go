package decode

// Bounds of what a filler shares.
const (
	maxShared     = 2048 // texts
	maxSharedText = 128  // bytes of one
	probation     = 512  // new texts at one place before it is judged
	pause         = 16 * probation
)

// textUse is how well sharing works at one place of T. Names of nodes and
// namespaces come again and again; uids never do, and would only drive out
// those that do.
type textUse struct {
	known, new int
	off        int // texts still to pass before it is tried again
}

// text is b as a string, the same one as before where that is likely to pay.
func (f *filler) text(leaf int, b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := f.known.same(b); ok {
		return s
	}
	u := &f.uses[leaf]
	if u.off > 0 || len(b) > maxSharedText {
		u.off--
		return string(b)
	}
	if s, ok := f.shared[string(b)]; ok {
		u.known++
		return s
	}
	if u.new++; u.new >= probation {
		if u.known < u.new {
			u.off = pause
		}
		u.known, u.new = 0, 0
	}
	if len(f.shared) >= maxShared {
		clear(f.shared)
	}
	s := string(b)
	f.shared[s] = s
	return s
}
