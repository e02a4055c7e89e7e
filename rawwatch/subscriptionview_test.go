package rawwatch

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestFilter: the view through a filter is consistent.
func TestFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var got recorder
		s := w.subscribe(got.handle, SubscriptionOptions[val]{Filter: func(i *Item[val]) bool { return i.Value.Group == 1 }})
		for i, group := range []uint32{0, 1, 1, 0, 0, 1} {
			typ := Modified
			if i == 0 {
				typ = Added
			}
			w.event(typ, "a", "u", group)
		}
		w.event(Deleted, "a", "u", 0) // its last state does not pass, but the one that was seen did
		w.event(Added, "b", "u", 0)
		w.event(Deleted, "b", "u", 1)
		w.sync()
		synctest.Wait()
		expect(t, "filtered", got.take(), "ADDED a 2", "MODIFIED a 3 was 2", "DELETED a 3", "ADDED a 6", "DELETED a 7", "SYNCED")
		if stats := s.Stats(); stats.Filtered != 4 || stats.Delivered != 6 || stats.Acknowledged != 10 {
			t.Errorf("%+v", stats)
		}
		w.stop()
	})
}

// TestPredicates: they are asked about each Modified, and only those.
func TestPredicates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var group, both, any, same recorder
		ofGroup := Changed(func(v val) uint32 { return v.Group })
		odd := func(old, item *Item[val]) bool { return item.Value.N%2 == 1 }
		w.subscribe(group.handle, SubscriptionOptions[val]{Predicates: []Predicate[val]{ofGroup}})
		w.subscribe(both.handle, SubscriptionOptions[val]{Predicates: []Predicate[val]{ofGroup, odd}})
		w.subscribe(any.handle, SubscriptionOptions[val]{Predicates: []Predicate[val]{AnyOf(ofGroup, odd)}})
		w.subscribe(same.handle, SubscriptionOptions[val]{Predicates: []Predicate[val]{ChangedFunc(func(a, b val) bool { return a.Group == b.Group })}})
		w.event(Added, "a", "u", 1)
		for _, g := range []uint32{1, 1, 2, 3} {
			w.event(Modified, "a", "u", g)
		}
		w.event(Deleted, "a", "u", 3)
		synctest.Wait()
		expect(t, "group", group.take(), "ADDED a 1", "MODIFIED a 4 was 3", "MODIFIED a 5 was 4", "DELETED a 6")
		expect(t, "equal", same.take(), "ADDED a 1", "MODIFIED a 4 was 3", "MODIFIED a 5 was 4", "DELETED a 6")
		expect(t, "both", both.take(), "ADDED a 1", "MODIFIED a 5 was 4", "DELETED a 6")
		expect(t, "any", any.take(), "ADDED a 1", "MODIFIED a 3 was 2", "MODIFIED a 4 was 3", "MODIFIED a 5 was 4", "DELETED a 6")
		w.stop()
	})
}

// TestLabelsChanged compares sets of labels.
func TestLabelsChanged(t *testing.T) {
	item := func(labels ...string) *Item[val] { return &Item[val]{more: &itemMore{labels: labels}} }
	changed := LabelsChanged[val]()
	for _, c := range []struct {
		old, new *Item[val]
		want     bool
	}{
		{item("a", "1", "b", "2"), item("a", "1", "b", "2"), false},
		{item("a", "1"), item("a", "2"), true},
		{item("a", "1"), item("b", "1"), true},
		{item("a", "1"), item("a", "1", "b", "2"), true},
		{item(), &Item[val]{}, false},
		{nil, item(), true},
	} {
		if got := changed(c.old, c.new); got != c.want {
			t.Errorf("%v to %v: %t", c.old, c.new, got)
		}
	}
}

// TestResync: everything is told again in time, in step with what changes, and
// never older than what was told before.
func TestResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var got recorder
		causes := map[Cause]int{}
		w.subscribe(func(ctx context.Context, c Change[val]) error {
			causes[c.Cause]++
			if c.Cause == CauseResync && c.Old != c.Item {
				t.Errorf("%s: Old is not Item", text(c))
			}
			return got.handle(ctx, c)
		}, SubscriptionOptions[val]{
			Resync:     time.Minute,
			Filter:     func(i *Item[val]) bool { return i.Value.Group == 0 },
			Predicates: []Predicate[val]{Changed(func(v val) uint32 { return v.Group })},
		})
		w.add("a")
		w.event(Added, "hidden", "u", 1)
		w.add("b")
		time.Sleep(59 * time.Second)
		got.take()
		time.Sleep(time.Second + 6*time.Second)
		synctest.Wait()
		expect(t, "after a minute and a tenth", got.take(), "MODIFIED a 1 was 1", "MODIFIED b 3 was 3")
		time.Sleep(time.Hour)
		w.stop()
		if n := causes[CauseResync]; n < 2*55 || n > 2*61 {
			t.Errorf("%d resyncs in an hour", n)
		}
	})
}

// TestResyncInStep: with a slow handler the states of an object never go back,
// whenever the resync comes.
func TestResyncInStep(t *testing.T) {
	for _, delivery := range []Delivery{PushBack, Coalesce} {
		synctest.Test(t, func(t *testing.T) {
			w := newFan(t)
			last, resyncs := map[string]uint32{}, 0
			w.subscribe(func(_ context.Context, c Change[val]) error {
				time.Sleep(300 * time.Millisecond)
				if n := c.Item.Value.N; n < last[c.Item.Name] {
					t.Errorf("%v: %s after %d", delivery, text(c), last[c.Item.Name])
				} else {
					last[c.Item.Name] = n
				}
				if c.Cause == CauseResync {
					resyncs++
				}
				return nil
			}, SubscriptionOptions[val]{Delivery: delivery, QueueSize: 3, Resync: time.Second})
			w.add("a")
			w.add("b")
			w.add("c")
			for i := range 400 {
				w.modify([]string{"a", "b", "c"}[i*i%7%3])
				time.Sleep(time.Duration(i%11) * 50 * time.Millisecond)
			}
			time.Sleep(time.Minute)
			w.stop()
			if resyncs < 10 {
				t.Errorf("%v: %d resyncs", delivery, resyncs)
			}
		})
	}
}

// TestResyncBornAndGone: what was cancelled out while a resync waits for its
// turn is not in the resync.
func TestResyncBornAndGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var got recorder
		w.subscribe(func(ctx context.Context, c Change[val]) error {
			time.Sleep(2 * time.Second)
			return got.handle(ctx, c)
		}, SubscriptionOptions[val]{Delivery: Coalesce, Resync: time.Second})
		w.add("x")
		time.Sleep(time.Second / 2)
		w.add("a")
		w.add("b")
		time.Sleep(2 * time.Second) // the snapshot with b is taken; a is in hand
		w.remove("b")
		time.Sleep(7 * time.Second)
		got.mu.Lock()
		expect(t, "with a resync", got.got[:4], "ADDED x 1", "ADDED a 2", "MODIFIED a 2 was 2", "MODIFIED x 1 was 1")
		got.mu.Unlock()
		w.stop()
	})
}

// TestBatches: a batch goes when it is full or its first change has waited long
// enough.
func TestBatches(t *testing.T) {
	for _, delivery := range []Delivery{PushBack, Coalesce} {
		synctest.Test(t, func(t *testing.T) {
			w := newFan(t)
			var sizes []string
			begin := time.Now()
			w.batches(func(_ context.Context, batch []Change[val]) error {
				sizes = append(sizes, fmt.Sprintf("%d at %v", len(batch), time.Since(begin)))
				return nil
			}, SubscriptionOptions[val]{Delivery: delivery, BatchSize: 4, BatchDelay: 10 * time.Second})
			for i := range 6 {
				w.add(fmt.Sprint(i))
				time.Sleep(time.Second)
			}
			time.Sleep(time.Minute)
			for i := range 9 {
				w.add(fmt.Sprint("more-", i))
			}
			synctest.Wait()
			expect(t, delivery.String(), sizes, "4 at 3s", "2 at 14s", "4 at 1m6s", "4 at 1m6s")
			w.stop()
		})
	}
}

// TestBatchReplay: what a late one begins with comes in batches, too.
func TestBatchReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		for i := range 10 {
			w.add(fmt.Sprint(i))
		}
		w.sync()
		var sizes []int
		w.batches(func(_ context.Context, batch []Change[val]) error {
			sizes = append(sizes, len(batch))
			return nil
		}, SubscriptionOptions[val]{BatchSize: 4, BatchDelay: time.Hour})
		synctest.Wait()
		if fmt.Sprint(sizes) != "[4 4 3]" {
			t.Errorf("%v", sizes)
		}
		w.stop()
	})
}
