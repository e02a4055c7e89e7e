package rawwatch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// script puts changes, written as "+a1 ~a2 -a", into a coalescing queue and
// returns what comes out. A "!" takes one out in between; "S" is a Synced.
func script(q *coalescing[val], steps string) (out []string) {
	known := map[string]*Item[val]{}
	for i, step := range strings.Fields(steps) {
		sequence := uint64(i + 1)
		r := record[val]{first: sequence, at: time.Unix(int64(i), 0), change: Change[val]{Sequence: sequence}}
		c := &r.change
		switch step[0] {
		case '!':
			taken := q.take()
			out = append(out, text(taken.change))
			continue
		case 'S':
			c.Type = Synced
		default:
			name := step[1:2]
			c.Type = map[byte]EventType{'+': Added, '~': Modified, '-': Deleted}[step[0]]
			c.Old = known[name]
			c.Item = &Item[val]{Identity: decode.Identity{Name: name}}
			fmt.Sscan(step[2:], &c.Item.Value.N)
			known[name] = c.Item
			if c.Type == Deleted {
				delete(known, name)
			}
		}
		q.offer(r)
	}
	for q.size() > 0 {
		out = append(out, text(q.take().change))
	}
	return out
}

func TestCoalesce(t *testing.T) {
	for _, c := range []struct{ steps, want, merged string }{
		{steps: "+a1 ~a2 ~a3", want: "ADDED a 3"},
		{steps: "+a1 ! ~a2 ~a3", want: "ADDED a 1, MODIFIED a 3 was 1"},
		{steps: "+a1 -a2", want: ""},
		{steps: "+a1 ~a2 -a3 +b4", want: "ADDED b 4"},
		{steps: "+a1 ! -a2", want: "ADDED a 1, DELETED a 2"},
		{steps: "+a1 ! ~a2 -a3", want: "ADDED a 1, DELETED a 3"},
		{steps: "+a1 ! -a2 +a3", want: "ADDED a 1, DELETED a 2, ADDED a 3", merged: "ADDED a 1, MODIFIED a 3 was 1"},
		{steps: "+a1 ! -a2 +a3 ~a4", want: "ADDED a 1, DELETED a 2, ADDED a 4", merged: "ADDED a 1, MODIFIED a 4 was 1"},
		{steps: "+a1 ! -a2 +a3 -a4", want: "ADDED a 1, DELETED a 2", merged: "ADDED a 1, DELETED a 4"},
		{steps: "+a1 ! -a2 +a3 ! ~a4", want: "ADDED a 1, DELETED a 2, ADDED a 4", merged: "ADDED a 1, MODIFIED a 3 was 1, MODIFIED a 4 was 3"},
		{steps: "+a1 ! -a2 +b3 +a4", want: "ADDED a 1, DELETED a 2, ADDED a 4, ADDED b 3", merged: "ADDED a 1, MODIFIED a 4 was 1, ADDED b 3"},
		{steps: "+a1 +b2 ~a3 +c4 ~b5", want: "ADDED a 3, ADDED b 5, ADDED c 4"},
		{steps: "+a1 +b2 -a3 +a4", want: "ADDED b 2, ADDED a 4"},
		{steps: "+a1 S ~a2 +b3", want: "ADDED a 2, SYNCED, ADDED b 3"},
		{steps: "S +a1 S", want: "ADDED a 1, SYNCED"},
		{steps: "+a1 S ! ! S", want: "ADDED a 1, SYNCED, SYNCED"},
	} {
		if c.merged == "" {
			c.merged = c.want
		}
		for merge, want := range map[bool]string{false: c.want, true: c.merged} {
			q := &coalescing[val]{mergeBirth: merge}
			if got := strings.Join(script(q, c.steps), ", "); got != want {
				t.Errorf("%s, merging the recreated %t:\n got %s\nwant %s", c.steps, merge, got, want)
			}
			if q.head != nil || q.tail != nil || len(q.byKey) != 0 || q.synced != nil {
				t.Errorf("%s: the empty queue is not empty", c.steps)
			}
		}
	}
}

// TestCoalesceFirst: the head's first is the least of all, whatever is taken out
// of the middle.
func TestCoalesceFirst(t *testing.T) {
	q := &coalescing[val]{}
	out := script(q, "+a1 +b2 +c3 ! ! !")
	expect(t, "taken", out, "ADDED a 1", "ADDED b 2", "ADDED c 3")
	item := func(name string) *Item[val] { return &Item[val]{Identity: decode.Identity{Name: name}} }
	for i, c := range []Change[val]{
		{Type: Modified, Item: item("a"), Old: item("a")},
		{Type: Deleted, Item: item("b"), Old: item("b")},
		{Type: Added, Item: item("b")},
	} {
		q.offer(record[val]{change: c, first: uint64(10 + i)})
	}
	r, ok := q.takeKey(decode.Key{Name: "b"})
	if !ok || r.change.Type != Deleted || r.first != 11 {
		t.Errorf("took %v, %v", r, ok)
	}
	if first, _, _ := q.peek(); first != 10 || q.size() != 2 {
		t.Errorf("first %d of %d", first, q.size())
	}
	if r := q.take(); r.change.Type != Added || r.change.Item.Name != "b" || r.first > 10 {
		t.Errorf("then %v", r)
	}
	if r := q.take(); r.change.Item.Name != "a" {
		t.Errorf("then %v", r)
	}
}

// TestCoalesceTakesPlace: only what follows on what was taken takes its place, and
// the rest of the key comes next, in its order.
func TestCoalesceTakesPlace(t *testing.T) {
	item := func(name, uid string) *Item[val] {
		return &Item[val]{Identity: decode.Identity{Name: name, UID: uid}}
	}
	key := decode.Key{Name: "b"}
	begin := func(stood knowledge, merge bool) *coalescing[val] {
		q := &coalescing[val]{mergeBirth: merge}
		for i, r := range []record[val]{
			{change: Change[val]{Type: Modified, Item: item("a", "s"), Old: item("a", "s")}},
			{change: Change[val]{Type: Deleted, Item: item("b", "t"), Old: item("b", "t")}, stood: stood},
			{change: Change[val]{Type: Added, Item: item("b", "u"), ResourceVersion: "7"}},
		} {
			r.first, r.at, r.change.Sequence = uint64(10+i), time.Unix(int64(i), 0), uint64(10+i)
			q.offer(r)
		}
		return q
	}
	rest := func(q *coalescing[val], of string) (all []string) {
		if q.waits(key) != strings.Contains(of, "b") {
			t.Errorf("%s: that something waits is %t", of, q.waits(key))
		}
		for last := uint64(0); q.size() > 0; {
			r := q.take()
			if all = append(all, string(r.change.Type)+" "+r.change.Item.UID); r.first < last {
				t.Errorf("%s: first falls from %d to %d", of, last, r.first)
			}
			last = r.first
		}
		return all
	}

	q := begin(shown, false)
	if r, ok := q.takeKey(key); ok {
		t.Errorf("took %v, which has a past of its own", r)
	}
	expect(t, "nothing taken", rest(q, "a and b"), "MODIFIED s", "DELETED t", "ADDED u")

	q = begin(0, false)
	q.offer(record[val]{change: Change[val]{Type: Deleted, Item: item("b", "v"), Old: item("b", "v")}, first: 13, stood: shown})
	if r, ok := q.takeKey(key); !ok || r.change.Type != Deleted || r.change.Item.UID != "t" || r.first != 11 {
		t.Errorf("took %v, %t", r, ok)
	}
	if first, at, _ := q.peek(); first != 10 || !at.Equal(time.Unix(0, 0)) {
		t.Errorf("in front is %d of %v", first, at)
	}
	expect(t, "the rest", rest(q, "b and a"), "ADDED u", "DELETED v", "MODIFIED s")

	q = begin(0, true)
	if q.size() != 2 || q.merged() != 1 {
		t.Errorf("%d wait, %d merged", q.size(), q.merged())
	}
	r, ok := q.takeKey(key)
	if c := r.change; !ok || c.Type != Deleted || c.Item.UID != "t" || c.Old != c.Item || c.Sequence != 11 || c.ResourceVersion != "" || r.first != 11 {
		t.Errorf("took %v, %t", r, ok)
	}
	if q.size() != 2 || q.merged() != 0 {
		t.Errorf("%d wait, %d merged", q.size(), q.merged())
	}
	expect(t, "the new one", rest(q, "b and a"), "ADDED u", "MODIFIED s")
}

// TestSupersededByAnother: who has failed with an object is told that it is gone, and
// then of the one that has its name, as it stands to that.
func TestSupersededByAnother(t *testing.T) {
	for _, merge := range []bool{false, true} {
		for stood, want := range map[knowledge]string{0: "ADDED b", shown: "MODIFIED b", hidden: "ADDED b", maybe: "ADDED b"} {
			synctest.Test(t, func(t *testing.T) {
				w := newFan(t)
				var got []string
				s := w.subscribe(func(_ context.Context, c Change[val]) error {
					if got = append(got, string(c.Type)+" "+c.Item.UID); len(got) == 1 {
						return errTest
					}
					return nil
				}, SubscriptionOptions[val]{
					Delivery: Coalesce, MergeRecreated: merge, Attempts: RetryForever, Backoff: even,
					Filter: func(i *Item[val]) bool { return i.Value.Group != 9 },
				})
				item := func(uid string) *Item[val] {
					return &Item[val]{Identity: decode.Identity{Namespace: "ns", Name: "a", UID: uid}}
				}
				offer := func(sequence uint64, stood knowledge, c Change[val]) {
					c.Sequence = sequence
					s.offer(&record[val]{change: c, first: sequence, at: time.Now(), stood: stood})
					signal(s.wake)
					synctest.Wait()
				}
				offer(1, 0, Change[val]{Type: Added, Item: item("a")})
				offer(2, 0, Change[val]{Type: Deleted, Item: item("a"), Old: item("a")})
				if c := (Change[val]{Type: Modified, Item: item("b"), Old: item("b")}); stood == 0 {
					c.Type, c.Old = Added, nil
					offer(3, stood, c)
				} else {
					offer(3, stood, c)
				}
				if s.Acknowledged() != 0 {
					t.Errorf("acknowledged %d before it was taken", s.Acknowledged())
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				expect(t, fmt.Sprintf("known as %q, merging %t", stood, merge), got, "ADDED a", "DELETED a", want)
				if s.Acknowledged() != 3 {
					t.Errorf("acknowledged %d", s.Acknowledged())
				}
				w.stop()
			})
		}
	}
}

// TestCoalesceShrinks: what a burst needed is given back once it is over.
func TestCoalesceShrinks(t *testing.T) {
	q := &coalescing[val]{}
	for i := range 3 * keepMap {
		q.offer(record[val]{change: Change[val]{Type: Added, Item: &Item[val]{Identity: decode.Identity{Name: fmt.Sprint(i)}}}})
	}
	for q.size() > 0 {
		q.take()
	}
	if q.byKey != nil || q.free != nil {
		t.Error("the map or the free list is still there")
	}
}
