package rawwatch

import "slices"

// freeze ends the right to change nodes in place: what the tree looks like now
// may be read by anyone from here on.
func (t *tree[T]) freeze() { t.edit++ }

// own returns n, or a copy of it that may be changed.
func (t *tree[T]) own(n *node[T]) *node[T] {
	if n.edit == t.edit {
		return n
	}
	c := *n
	c.edit = t.edit
	if b := n.branch; b != nil {
		c.branch = &branch[T]{kids: slices.Clone(b.kids), lows: b.lows}
		return &c
	}
	c.items, c.values, c.tags = slices.Clone(n.items), slices.Clone(n.values), slices.Clone(n.tags)
	return &c
}

// sibling is what a node was split off with: it stands to the right, from low
// on.
type sibling[T any] struct {
	node *node[T]
	low  place
}

// put puts an item in its place and returns what stood there, or nil.
func (t *tree[T]) put(p place, item *Item[T]) (old *Item[T]) {
	if t.root == nil {
		t.root = t.leaf()
	}
	root, right, old := t.putUnder(t.root, &p, item)
	t.root = root
	if right.node != nil {
		t.root = &node[T]{edit: t.edit, branch: &branch[T]{
			kids: []*node[T]{root, right.node}, lows: []place{{}, right.low},
		}}
	}
	if old == nil {
		t.size++
	}
	return old
}

func (t *tree[T]) putUnder(n *node[T], p *place, item *Item[T]) (_ *node[T], right sibling[T], old *Item[T]) {
	n = t.own(n)
	b := n.branch
	if b == nil {
		right, old = t.putInLeaf(n, p, item)
		return n, right, old
	}
	i := b.kid(p)
	kid, beside, old := t.putUnder(b.kids[i], p, item)
	b.kids[i] = kid
	if beside.node != nil {
		right = t.putKid(n, i+1, beside)
	}
	return n, right, old
}

func (t *tree[T]) putInLeaf(n *node[T], p *place, item *Item[T]) (right sibling[T], old *Item[T]) {
	if i := n.at(p, tagOf(p.Name)); i >= 0 {
		old, n.items[i] = n.items[i], item
		return right, old
	}
	i := n.find(p)
	if len(n.items) < fan {
		n.insert(i, p, item)
		return right, nil
	}
	at := splitAt(i)
	r := t.leaf()
	r.items, n.items = slices.Clone(n.items[at:]), upTo(n.items, at)
	r.tags, n.tags = slices.Clone(n.tags[at:]), upTo(n.tags, at)
	if t.indexed {
		r.values, n.values = slices.Clone(n.values[at:]), upTo(n.values, at)
	}
	r.relist, r.seen, n.seen = n.relist, n.seen>>at, n.seen&bits(at)
	if i > at || at == fan {
		r.insert(i-at, p, item)
	} else {
		n.insert(i, p, item)
	}
	return sibling[T]{r, r.place(0)}, nil
}

func (t *tree[T]) leaf() *node[T] {
	n := &node[T]{edit: t.edit}
	if t.indexed {
		n.values = []string{}
	}
	return n
}

// splitAt is where a full node is split to take something in at i. What only
// grows at its end, as the first list makes it do, stays full.
func splitAt(i int) int {
	if i == fan {
		return fan
	}
	return fan / 2
}

// upTo is the first n of s, in no more room than they need.
func upTo[E any](s []E, n int) []E {
	if n == len(s) {
		return s
	}
	return slices.Clone(s[:n])
}

// bits has the lowest n bits set.
func bits(n int) uint64 { return 1<<n - 1 }

func (n *node[T]) insert(i int, p *place, item *Item[T]) {
	n.items, n.tags = insert(n.items, i, item), insert(n.tags, i, tagOf(p.Name))
	if n.values != nil {
		n.values = insert(n.values, i, p.value)
	}
	n.seen = n.seen&bits(i) | n.seen&^bits(i)<<1
}

// insert grows a slice by less than append does: most leaves stay as they are
// for long.
func insert[E any](s []E, i int, e E) []E {
	if n := len(s); n == cap(s) {
		s = append(make([]E, 0, min(fan, n+n/4+4)), s...)
	}
	return slices.Insert(s, i, e)
}

// putKid puts a new child in at i, and splits the branch if it is full.
func (t *tree[T]) putKid(n *node[T], i int, kid sibling[T]) (right sibling[T]) {
	b := n.branch
	if len(b.kids) == fan {
		at := splitAt(i)
		r := &branch[T]{kids: slices.Clone(b.kids[at:]), lows: slices.Clone(b.lows[at:])}
		right = sibling[T]{node: &node[T]{edit: t.edit, branch: r}}
		b.kids, b.lows = upTo(b.kids, at), b.lows[:at]
		if i == at {
			right.low = kid.low
		} else {
			right.low = r.lows[0]
		}
		if i >= at {
			b, i = r, i-at
		}
	}
	b.kids = insert(b.kids, i, kid.node)
	b.lows = slices.Insert(slices.Clip(b.lows), i, kid.low)
	return right
}
