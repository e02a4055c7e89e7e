package rawwatch

import "slices"

// remove takes the item at p out and returns it, or nil.
func (t *tree[T]) remove(p place) *Item[T] {
	if t.get(p) == nil {
		return nil // nothing is copied for nothing
	}
	root, old := t.removeUnder(t.root, &p)
	for root.branch != nil && len(root.branch.kids) == 1 {
		root = root.branch.kids[0]
	}
	if root.branch == nil && len(root.items) == 0 {
		root = nil
	}
	t.root = root
	t.size--
	return old
}

func (t *tree[T]) removeUnder(n *node[T], p *place) (*node[T], *Item[T]) {
	n = t.own(n)
	b := n.branch
	if b == nil {
		i := n.at(p, tagOf(p.Name))
		old := n.items[i]
		n.delete(i)
		return n, old
	}
	i := b.kid(p)
	kid, old := t.removeUnder(b.kids[i], p)
	b.kids[i] = kid
	t.tidy(b, i)
	return n, old
}

func (n *node[T]) delete(i int) {
	n.items, n.tags = slices.Delete(n.items, i, i+1), slices.Delete(n.tags, i, i+1)
	if n.values != nil {
		n.values = slices.Delete(n.values, i, i+1)
	}
	n.seen = n.seen&bits(i) | n.seen>>1&^bits(i)
}

// len is the number of items or children.
func (n *node[T]) len() int {
	if n.branch != nil {
		return len(n.branch.kids)
	}
	return len(n.items)
}

// tidy drops child i when nothing is left in it, and joins it with a neighbour
// when both together leave room for what may come.
func (t *tree[T]) tidy(b *branch[T], i int) {
	switch n := b.kids[i].len(); {
	case n == 0:
		b.drop(i)
	case n > fan/4:
	case i > 0 && b.kids[i-1].len() <= fan/2:
		t.join(b, i-1)
	case i+1 < len(b.kids) && b.kids[i+1].len() <= fan/2:
		t.join(b, i)
	}
}

func (b *branch[T]) drop(i int) {
	b.kids = slices.Delete(b.kids, i, i+1)
	b.lows = slices.Concat(b.lows[:i], b.lows[i+1:])
}

// join moves what is in child i+1 into child i.
func (t *tree[T]) join(b *branch[T], i int) {
	l, r := t.own(b.kids[i]), b.kids[i+1]
	b.kids[i] = l
	if l.branch != nil {
		lows := slices.Concat(l.branch.lows, r.branch.lows)
		lows[len(l.branch.lows)] = b.lows[i+1]
		l.branch.kids, l.branch.lows = append(l.branch.kids, r.branch.kids...), lows
		b.drop(i + 1)
		return
	}
	if l.relist < r.relist {
		l.relist, l.seen = r.relist, 0
	}
	if r.relist == l.relist {
		l.seen |= r.seen << len(l.items)
	}
	l.items, l.tags = append(l.items, r.items...), append(l.tags, r.tags...)
	if l.values != nil {
		l.values = append(l.values, r.values...)
	}
	b.drop(i + 1)
}
