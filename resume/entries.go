package resume

import (
	"iter"
	"slices"

	"github.com/rawwatch/rawwatch/decode"
)

// entries are those of an [Index] by their keys. A map costs 400 bytes from its
// first key on, and many a watch is of one object: a few entries stand in a
// slice.
type entries[V any] struct {
	few  []keyed[V]
	one  [1]keyed[V]              // what few begins in
	many map[decode.Key]*entry[V] // in place of few; nil while there are few
}

type keyed[V any] struct {
	key   decode.Key
	entry *entry[V]
}

// mostFew is how many keys are compared one by one.
const mostFew = 8

// of is the entry of an object's key, nil when there is none.
func (t *entries[V]) of(m *decode.Meta) *entry[V] {
	if t.many != nil {
		return t.many[decode.Key{Namespace: string(m.Namespace), Name: string(m.Name)}]
	}
	for i := range t.few {
		if k := &t.few[i].key; k.Name == string(m.Name) && k.Namespace == string(m.Namespace) {
			return t.few[i].entry
		}
	}
	return nil
}

// get is of for a key.
func (t *entries[V]) get(key decode.Key) *entry[V] {
	if t.many != nil {
		return t.many[key]
	}
	if i := t.index(key); i >= 0 {
		return t.few[i].entry
	}
	return nil
}

func (t *entries[V]) index(key decode.Key) int {
	return slices.IndexFunc(t.few, func(k keyed[V]) bool { return k.key == key })
}

// put adds a key that is not there.
func (t *entries[V]) put(key decode.Key, e *entry[V]) {
	if t.few == nil && t.many == nil {
		t.few = t.one[:0]
	}
	if t.many == nil && len(t.few) < mostFew {
		t.few = append(t.few, keyed[V]{key, e})
		if len(t.few) == 2 {
			t.one[0] = keyed[V]{} // few has moved
		}
		return
	}
	if t.many == nil {
		t.many = make(map[decode.Key]*entry[V], 2*mostFew)
		for _, k := range t.few {
			t.many[k.key] = k.entry
		}
		t.few = nil
	}
	t.many[key] = e
}

func (t *entries[V]) remove(key decode.Key) {
	if t.many != nil {
		delete(t.many, key)
	} else if i := t.index(key); i >= 0 {
		t.few = slices.Delete(t.few, i, i+1)
	}
}

func (t *entries[V]) len() int { return len(t.few) + len(t.many) }

// seen reports whether the relist has shown all of them.
func (t *entries[V]) seen(relist uint32) bool {
	for _, e := range t.many {
		if e.relist != relist {
			return false
		}
	}
	for i := range t.few {
		if t.few[i].entry.relist != relist {
			return false
		}
	}
	return true
}

// all yields every entry, in no order. The one that was yielded may be removed
// meanwhile.
func (t *entries[V]) all() iter.Seq2[decode.Key, *entry[V]] {
	return func(yield func(decode.Key, *entry[V]) bool) {
		for key, e := range t.many {
			if !yield(key, e) {
				return
			}
		}
		for _, k := range slices.Backward(t.few) {
			if !yield(k.key, k.entry) {
				return
			}
		}
	}
}
