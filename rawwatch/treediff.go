package rawwatch

// leaves lists the leaves of a tree in order.
func (n *node[T]) leaves(into []*node[T]) []*node[T] {
	switch {
	case n == nil:
		return into
	case n.branch == nil:
		return append(into, n)
	}
	for _, kid := range n.branch.kids {
		into = kid.leaves(into)
	}
	return into
}

// cursor stands before one item of a list of leaves.
type cursor[T any] struct {
	leaves []*node[T]
	i      int // in the first leaf
}

func (c *cursor[T]) over() bool { return len(c.leaves) == 0 }

func (c *cursor[T]) item() *Item[T] { return c.leaves[0].items[c.i] }

func (c *cursor[T]) advance() {
	if c.i++; c.i == len(c.leaves[0].items) {
		c.skipLeaf()
	}
}

func (c *cursor[T]) skipLeaf() { c.leaves, c.i = c.leaves[1:], 0 }

// diff visits what is not the same in two trees of a store, in order: before is
// nil for what came, after is nil for what went. It looks into the leaves only
// that the trees do not share. visit may return false to end it.
func diff[T any](before, after *node[T], visit func(before, after *Item[T]) bool) bool {
	a, b := cursor[T]{leaves: before.leaves(nil)}, cursor[T]{leaves: after.leaves(nil)}
	for !a.over() || !b.over() {
		var old, new *Item[T]
		switch order := compareCursors(&a, &b); {
		case order < 0:
			old = a.item()
			a.advance()
		case order > 0:
			new = b.item()
			b.advance()
		case a.i == 0 && b.i == 0 && a.leaves[0] == b.leaves[0]:
			a.skipLeaf()
			b.skipLeaf()
			continue
		default:
			old, new = a.item(), b.item()
			a.advance()
			b.advance()
		}
		if old != new && !visit(old, new) {
			return false
		}
	}
	return true
}

// compareCursors says which item comes first; nothing comes last.
func compareCursors[T any](a, b *cursor[T]) int {
	switch {
	case b.over():
		return -1
	case a.over():
		return 1
	}
	return compareKeys(a.item().Key(), b.item().Key())
}
