package workqueue

// smallMap is a map size that is never worth shrinking.
const smallMap = 1024

// spareEntries is how many entries are kept for the next keys.
const spareEntries = 256

// entries is the map of all keys that the queue has something to do with. A Go
// map never gives its memory back; this one is built anew when it has fallen
// far below its peak.
type entries[K comparable] struct {
	byKey map[K]*entry[K]
	peak  int // of len(byKey) since it was built
	spare list[K]
	kept  int // in spare
}

// obtain is the entry of a key, made when there is none.
func (s *entries[K]) obtain(key K) *entry[K] {
	if e, ok := s.byKey[key]; ok {
		return e
	}
	e := s.fresh()
	e.key = key
	s.byKey[key] = e
	s.peak = max(s.peak, len(s.byKey))
	return e
}

func (s *entries[K]) fresh() *entry[K] {
	e := s.spare.head
	if e == nil {
		return new(entry[K])
	}
	s.spare.remove(e)
	s.kept--
	return e
}

// tidy lets go of an entry that nothing is owed to.
func (s *entries[K]) tidy(e *entry[K]) {
	if e.place != nowhere || e.work || e.failures > 0 {
		return
	}
	delete(s.byKey, e.key)
	*e = entry[K]{}
	if s.kept < spareEntries {
		s.spare.append(e)
		s.kept++
	}
	s.shrink()
}

// shrink copies an eighth of the peak at most, after seven eighths of it were
// deleted: a constant cost per deletion.
func (s *entries[K]) shrink() {
	if s.peak <= smallMap || len(s.byKey) > s.peak/8 {
		return
	}
	smaller := make(map[K]*entry[K], len(s.byKey))
	for key, e := range s.byKey {
		smaller[key] = e
	}
	s.byKey, s.peak = smaller, len(smaller)
}
