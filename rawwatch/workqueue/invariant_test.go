package workqueue

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mustNew is New for options that are right.
func mustNew[K comparable](t testing.TB, o Options[K]) *Queue[K] {
	t.Helper()
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// check is the invariant checker: each key in one place, each place complete
// and in order.
func (q *Queue[K]) check(t testing.TB) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	places := map[place]int{}
	inWork := 0
	for key, e := range q.entries.byKey {
		if e.key != key {
			t.Fatalf("the entry of %v says it is %v's", key, e.key)
		}
		if e.ready() && e.work {
			t.Fatalf("%v is ready and in work", key)
		}
		if e.place == behind && !e.work {
			t.Fatalf("%v waits for a run that is not", key)
		}
		if e.place == nowhere && !e.work && e.failures == 0 {
			t.Fatalf("%v is remembered for nothing", key)
		}
		places[e.place]++
		if e.work {
			inWork++
		}
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"line", chain(t, &q.ready.line, true), places[inLine]},
		{"heap", ordered(t, &q.ready.jumped), places[inHeap]},
		{"age", chain(t, &q.ready.age, false), places[inLine] + places[inHeap]},
		{"ready", q.ready.n, places[inLine] + places[inHeap]},
		{"delayed", ordered(t, &q.due), places[delayed]},
		{"owed", q.owed, places[behind]},
		{"work list", chain(t, &q.working, false), inWork},
		{"in work", q.inWork, inWork},
	} {
		if c.got != c.want {
			t.Fatalf("%s holds %d, the entries say %d", c.what, c.got, c.want)
		}
	}
	if len(q.due.slots) > 0 && (q.alarm.at == 0 || q.alarm.at > q.due.top().rank) {
		t.Fatalf("the alarm is set for %d, the first delayed key is due at %d", q.alarm.at, q.due.top().rank)
	}
}

// chain is a list's length, by following it.
func chain[K comparable](t testing.TB, l *list[K], inOrder bool) (n int) {
	t.Helper()
	var prev *entry[K]
	for e := l.head; e != nil; e = e.links[l.which].next {
		if e.links[l.which].prev != prev {
			t.Fatalf("%v does not point back", e.key)
		}
		if inOrder && prev != nil && !prev.before(e) {
			t.Fatalf("%v stands before %v", prev.key, e.key)
		}
		prev = e
		n++
	}
	if l.tail != prev {
		t.Fatal("the tail is not the last")
	}
	return n
}

// ordered is a heap's length, after a look at every parent.
func ordered[K comparable](t testing.TB, h *heap[K]) int {
	t.Helper()
	for i := range h.slots {
		s := &h.slots[i]
		if s.entry.index != i || s.rank != s.entry.rank || s.seq != s.entry.seq {
			t.Fatalf("slot %d and the entry of %v disagree", i, s.entry.key)
		}
		if i > 0 && s.before(&h.slots[(i-1)/2]) {
			t.Fatalf("slot %d comes before its parent", i)
		}
	}
	return len(h.slots)
}
