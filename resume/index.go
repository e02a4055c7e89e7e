package resume

import (
	"iter"
	"unique"

	"github.com/rawwatch/rawwatch/decode"
)

// Index knows which state of which object was seen last, and turns lists and
// events into exact differences without keeping the objects. For each key it
// holds uid, resourceVersion, and a V that is the caller's. The zero value is
// empty and ready to use. It is not safe for concurrent use and must not be
// copied. It keeps nothing of what it is given: a Meta may be borrowed.
type Index[V any] struct {
	entries entries[V]
	odd     map[*entry[V]]oddID
	peak    int // most entries since the maps were last built

	namespace string // of the object added last: lists come in its order

	deletions Deletions // told during the relist or audit under way

	relist    uint32 // number of the relist under way, or done last
	listing   bool   // it is under way
	auditing  bool   // an audit is under way
	unordered bool   // versions known from before it have no order
}

// Change is what an observed object is to what was known.
type Change uint8

const (
	Unchanged Change = iota // same uid, same version
	Added                   // the key was not known
	Modified                // same uid, another version
	Replaced                // the key was known with another uid: that object is gone
	Stale                   // certainly older than what is known: nothing was taken in
)

var changeNames = [...]string{"Unchanged", "Added", "Modified", "Replaced", "Stale"}

// String is the constant's name, or "unknown".
func (c Change) String() string { return nameOf(changeNames[:], int(c)) }

// Observe takes in an object from a list, or from an ADDED or MODIFIED event,
// and says what it is to what was known. old is set for Replaced only: the
// identity of the object that is gone, whose V is gone too. Unchanged
// allocates nothing.
//
// During a relist the key counts as seen from now on, also when the object is
// Stale. An object without a version is never Unchanged, since nothing says so.
// An object is Stale as well when a deletion that is newer was told during the
// relist: it must not come back with a page that lay behind the watch.
func (x *Index[V]) Observe(m *decode.Meta) (c Change, old decode.Identity) {
	e := x.entries.of(m)
	if e == nil {
		if x.listing && x.deletions.Covers(m) {
			return Stale, old
		}
		x.add(m)
		return Added, old
	}
	stale := x.stale(e, m)
	e.relist = x.relist
	switch {
	case stale:
		return Stale, old
	case !x.hasUID(e, m.UID):
		old = x.identity(keyOf(m), e)
		e.value = *new(V)
		c = Replaced
	case x.hasVersion(e, m.ResourceVersion):
		return Unchanged, old
	default:
		c = Modified
	}
	x.fill(e, m)
	return c, old
}

// Remove takes in a DELETED event. old is the identity that was known under its
// key until now; its uid differs from the event's when the deletion of one
// object and the creation of the next went unseen. known is false, and nothing
// is removed, when there was none, or when the event is older than what is
// known: a deletion that is told again after the object came back.
func (x *Index[V]) Remove(m *decode.Meta) (old decode.Identity, known bool) {
	e := x.entries.of(m)
	if e != nil && x.stale(e, m) {
		return old, false
	}
	if x.listing || x.auditing {
		x.deletions.Note(m)
	}
	if e == nil {
		return old, false
	}
	key := keyOf(m)
	old = x.identity(key, e)
	x.drop(key, e)
	x.shrink()
	return old, true
}

// BeginRelist begins to note which objects are seen. It ends a relist that was
// under way, as AbortRelist does.
func (x *Index[V]) BeginRelist() {
	x.relist++
	x.listing, x.auditing = true, false
	x.deletions.Clear()
}

// AbortRelist ends the relist without a conclusion: what it has seen is known,
// what it has not seen stays known too.
func (x *Index[V]) AbortRelist() {
	x.listing, x.auditing = false, false
	x.deletions.Clear()
}

// Overfull reports that more than [MaxDeletions] objects were deleted during the
// relist under way: it must not be concluded but begun anew.
func (x *Index[V]) Overfull() bool { return x.deletions.Overfull() }

// ForgetOrder says that the server's history may be another than the one that
// the known versions come from. Until a relist has ended, an object that was
// not yet seen in it is Modified when its version differs, even if that looks
// older; an equal version is still Unchanged. It is called before BeginRelist.
func (x *Index[V]) ForgetOrder() { x.unordered = true }

// EndRelist concludes a relist that was complete. The sequence removes and
// yields what has not been seen since BeginRelist: its last known identity,
// whose V can be had with [Index.Get] until the loop's body is left. Nothing
// else may be called in the body. Breaking out leaves the rest known and the
// relist under way; EndRelist may then be called again. Without a relist under
// way the sequence is empty.
func (x *Index[V]) EndRelist() iter.Seq[decode.Identity] {
	return func(yield func(decode.Identity) bool) {
		if !x.listing {
			return
		}
		if !x.entries.seen(x.relist) && !x.dropUnseen(yield) {
			return
		}
		x.listing, x.unordered = false, false
		x.deletions.Clear()
		x.shrink()
	}
}

// dropUnseen removes and yields what the relist has not shown. It returns false
// when yield did.
func (x *Index[V]) dropUnseen(yield func(decode.Identity) bool) bool {
	for key, e := range x.entries.all() {
		if e.relist == x.relist {
			continue
		}
		more := yield(x.identity(key, e))
		x.drop(key, e)
		if !more {
			return false
		}
	}
	return true
}

// Get returns what is kept for the key; false when the key is not known. The
// identity is the caller's; building it allocates.
func (x *Index[V]) Get(key decode.Key) (V, decode.Identity, bool) {
	e := x.entries.get(key)
	if e == nil {
		return *new(V), decode.Identity{}, false
	}
	return e.value, x.identity(key, e), true
}

// Set keeps v for a known key; it does nothing for an unknown one.
func (x *Index[V]) Set(key decode.Key, v V) {
	if e := x.entries.get(key); e != nil {
		e.value = v
	}
}

// Len is the number of keys known.
func (x *Index[V]) Len() int { return x.entries.len() }

// All yields everything known, in no order. The index must not be changed
// meanwhile, but for Set.
func (x *Index[V]) All() iter.Seq2[decode.Identity, V] {
	return func(yield func(decode.Identity, V) bool) {
		for key, e := range x.entries.all() {
			if !yield(x.identity(key, e), e.value) {
				return
			}
		}
	}
}

// stale reports that m is certainly older than what is known. In a relist that
// was begun without order this can be said of what the relist itself saw only.
func (x *Index[V]) stale(e *entry[V], m *decode.Meta) bool {
	if x.unordered && !(x.listing && e.relist == x.relist) {
		return false
	}
	return x.newer(e, m.ResourceVersion)
}

func (x *Index[V]) add(m *decode.Meta) {
	if string(m.Namespace) != x.namespace {
		x.namespace = unique.Make(string(m.Namespace)).Value()
	}
	e := &entry[V]{relist: x.relist}
	x.fill(e, m)
	x.entries.put(decode.Key{Namespace: x.namespace, Name: string(m.Name)}, e)
	x.peak = max(x.peak, x.entries.len())
}

func (x *Index[V]) drop(key decode.Key, e *entry[V]) {
	x.entries.remove(key)
	delete(x.odd, e)
}

// shrinkFrom is the size from which on giving memory back is worth the work.
const shrinkFrom = 256

// shrink builds the maps anew when little of them is left, since Go's maps keep
// the room that they once needed.
func (x *Index[V]) shrink() {
	if x.peak < shrinkFrom || x.entries.len() > x.peak/4 {
		return
	}
	x.entries.many, x.odd = rebuilt(x.entries.many), rebuilt(x.odd)
	x.peak = x.entries.len()
}

func rebuilt[K comparable, V any](old map[K]V) map[K]V {
	m := make(map[K]V, len(old))
	for k, v := range old {
		m[k] = v
	}
	return m
}

func keyOf(m *decode.Meta) decode.Key {
	return decode.Key{Namespace: string(m.Namespace), Name: string(m.Name)}
}
