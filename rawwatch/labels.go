package rawwatch

import (
	"iter"
	"slices"
	"sort"
	"strings"
)

// Labels are an object's labels, sorted by key. The zero Labels are empty. They
// never change, and may be shared by many objects.
type Labels struct{ set labelSet }

// labelSet holds keys and values in turn, sorted by key.
type labelSet []string

// Len is the number of labels.
func (l Labels) Len() int { return len(l.set) / 2 }

// Get returns the value of a label; false when the object does not have it.
func (l Labels) Get(key string) (value string, ok bool) {
	i, ok := sort.Find(len(l.set)/2, func(i int) int { return strings.Compare(key, l.set[2*i]) })
	if !ok {
		return "", false
	}
	return l.set[2*i+1], true
}

// All yields keys and values, sorted by key.
func (l Labels) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for pair := range slices.Chunk(l.set, 2) {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

// Map returns the labels as a map that is the caller's.
func (l Labels) Map() map[string]string {
	m := make(map[string]string, l.Len())
	for k, v := range l.All() {
		m[k] = v
	}
	return m
}
