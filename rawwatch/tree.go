package rawwatch

import (
	"bytes"
	"hash/maphash"
	"sort"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// tree is the map of a [Store] and of each of its indexes: a B+ tree of items,
// sorted by namespace and name; an index sorts by a value before these. A tree
// that was published is never changed: the writer copies the nodes on the way
// to what it changes, and all others are shared. So readers need no lock, a
// snapshot is a pointer, and a namespace is a range.
//
// Why a sorted tree, and an own one: a leaf holds little more than pointers to
// items, which have the keys. A map of keys to items would hold each key a
// second time, need an index by namespace beside it, and, under a lock, make a
// snapshot a copy and a loop either a copy or a lock held over user code. The
// price is that a look-up crosses some levels, and a change copies the nodes on
// its way; bench/store measures both beside client-go's map. Published
// copy-on-write trees keep no bit per item for relists, and go through a
// comparison function for each step.
type tree[T any] struct {
	root *node[T] // nil when empty
	size int
	edit uint64 // nodes of this number were made since the last freeze

	indexed bool // it sorts by values first
}

// fan is how many items a leaf, or children a branch, holds at most. It must
// not exceed the bits of node.seen.
const fan = 64

// node is a leaf or a branch.
type node[T any] struct {
	edit   uint64
	items  []*Item[T] // of a leaf
	values []string   // of an index's leaf: by which each item stands there
	tags   []byte     // a byte of the hash of each item's name
	branch *branch[T] // nil in a leaf

	// The writer's own notes about a leaf of the store; readers never look.
	relist uint32 // the relist that seen is about
	seen   uint64 // bit i: item i was seen in it
}

type branch[T any] struct {
	kids []*node[T]
	// lows[i] is not above anything in kids[i], and above everything in
	// kids[i-1]; lows[0] means nothing. It is never changed in place.
	lows []place
}

// place is where an item stands. The value is empty in the store itself.
type place struct {
	value string
	decode.Key
}

func placeOf(value string, key decode.Key) place { return place{value, key} }

func (p *place) compare(q *place) int {
	if c := strings.Compare(p.value, q.value); c != 0 {
		return c
	}
	return compareKeys(p.Key, q.Key)
}

func compareKeys(a, b decode.Key) int {
	if c := strings.Compare(a.Namespace, b.Namespace); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

// place is where item i of a leaf stands.
func (n *node[T]) place(i int) place {
	p := place{Key: n.items[i].Key()}
	if n.values != nil {
		p.value = n.values[i]
	}
	return p
}

// compareAt compares p with where item i of a leaf stands.
func (n *node[T]) compareAt(p *place, i int) int {
	if n.values != nil {
		if c := strings.Compare(p.value, n.values[i]); c != 0 {
			return c
		}
	}
	item := n.items[i]
	if c := strings.Compare(p.Namespace, item.Namespace); c != 0 {
		return c
	}
	return strings.Compare(p.Name, item.Name)
}

// tagSeed makes a tag of a name.
var tagSeed = maphash.MakeSeed()

func tagOf(name string) byte { return byte(maphash.String(tagSeed, name)) }

// at returns where p stands in a leaf, or -1. The tags lie side by side, where
// a search by halves would fetch a few items and their names from memory.
func (n *node[T]) at(p *place, tag byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(n.tags[from:], tag)
		if i < 0 {
			return -1
		}
		if from += i; n.compareAt(p, from) == 0 {
			return from
		}
		from++
	}
}

// find returns where in a leaf p stands, or would.
func (n *node[T]) find(p *place) int {
	return sort.Search(len(n.items), func(i int) bool { return n.compareAt(p, i) <= 0 })
}

// kid is the child of a branch that p belongs into.
func (b *branch[T]) kid(p *place) int {
	return sort.Search(len(b.kids)-1, func(i int) bool { return p.compare(&b.lows[i+1]) < 0 })
}

// get returns the item that stands at p, or nil.
func (t *tree[T]) get(p place) *Item[T] {
	n := t.leafOf(&p)
	if n == nil {
		return nil
	}
	if i := n.at(&p, tagOf(p.Name)); i >= 0 {
		return n.items[i]
	}
	return nil
}

// leafOf returns the leaf that p belongs into; nil in an empty tree.
func (t *tree[T]) leafOf(p *place) *node[T] {
	n := t.root
	if n == nil {
		return nil
	}
	for n.branch != nil {
		n = n.branch.kids[n.branch.kid(p)]
	}
	return n
}

// ascend visits everything from p on, in order, or all if p is nil, until visit returns false.
func (n *node[T]) ascend(p *place, visit func(value string, i *Item[T]) bool) bool {
	if n == nil {
		return true
	}
	if b := n.branch; b != nil {
		first := 0
		if p != nil {
			first = b.kid(p)
		}
		for i, kid := range b.kids[first:] {
			if i > 0 {
				p = nil // all of the others is above it
			}
			if !kid.ascend(p, visit) {
				return false
			}
		}
		return true
	}
	first, value := 0, ""
	if p != nil {
		first = n.find(p)
	}
	for i := first; i < len(n.items); i++ {
		if n.values != nil {
			value = n.values[i]
		}
		if !visit(value, n.items[i]) {
			return false
		}
	}
	return true
}
