package rawwatch

import (
	"slices"

	"github.com/rawwatch/rawwatch/decode"
)

// outstanding is a change that was handed to a handler which acknowledges by
// hand. It stands in the ledger's order of delivery and in its key's chain.
type outstanding struct {
	key        decode.Key
	first      uint64 // the oldest sequence number that it stands for
	sequence   uint64 // its own
	prev, next *outstanding
	older      *outstanding // of the same key
	meaning    []delivery   // to be noted when it is acknowledged; nil for nothing
}

// ledger is what was delivered and not yet acknowledged, in the order of first:
// as it was delivered, but for what took the place of a failure. It is guarded by the subscription's lock.
type ledger struct {
	newest     map[decode.Key]*outstanding
	head, tail *outstanding
	n          int
}

// add notes a change as delivered.
func (l *ledger) add(key decode.Key, first, sequence uint64, meaning []delivery) *outstanding {
	e := &outstanding{key: key, first: first, sequence: sequence, older: l.newest[key], meaning: meaning}
	before := l.tail
	for before != nil && before.first > first { // within one batch at most
		before = before.prev
	}
	l.link(e, before)
	if l.newest == nil {
		l.newest = map[decode.Key]*outstanding{}
	}
	l.newest[key] = e
	l.n++
	return e
}

// due is what was delivered of the key up to the sequence number: the sequence
// number of its last change, 0 when there is none, and what it means, oldest
// first, that all of it is acknowledged.
func (l *ledger) due(key decode.Key, sequence uint64) (last uint64, meaning []delivery) {
	for at := l.newest[key]; at != nil; at = at.older {
		if at.sequence > sequence {
			continue
		}
		last = max(last, at.sequence)
		meaning = slices.Insert(meaning, 0, at.meaning...)
	}
	return last, meaning
}

// acknowledge strikes out what was delivered of the key up to the sequence
// number.
func (l *ledger) acknowledge(key decode.Key, sequence uint64) {
	at, newer := l.newest[key], (*outstanding)(nil)
	for at != nil && at.sequence > sequence {
		at, newer = at.older, at
	}
	if at == nil {
		return
	}
	l.cut(key, newer, nil)
	for at != nil {
		l.unlink(at)
		at, at.older = at.older, nil
	}
}

// strike takes out one entry, if it is still there.
func (l *ledger) strike(e *outstanding) {
	at, newer := l.newest[e.key], (*outstanding)(nil)
	for at != nil && at != e {
		at, newer = at.older, at
	}
	if at != nil {
		l.cut(e.key, newer, e.older)
		l.unlink(e)
	}
}

// cut makes older what follows newer in the key's chain; newer nil is the
// chain's begin.
func (l *ledger) cut(key decode.Key, newer, older *outstanding) {
	switch {
	case newer != nil:
		newer.older = older
	case older != nil:
		l.newest[key] = older
	default:
		delete(l.newest, key)
	}
}

// link puts e behind before; nil is the begin.
func (l *ledger) link(e, before *outstanding) {
	next := l.head
	if before != nil {
		next = before.next
		before.next = e
	} else {
		l.head = e
	}
	if next != nil {
		next.prev = e
	} else {
		l.tail = e
	}
	e.prev, e.next = before, next
}

func (l *ledger) unlink(e *outstanding) {
	if e.prev == nil {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	l.n--
}

// oldest is the lowest first number; false when nothing is outstanding.
func (l *ledger) oldest() (uint64, bool) {
	if l.head == nil {
		return 0, false
	}
	return l.head.first, true
}
