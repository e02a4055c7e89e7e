package rawwatch

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// TestBlockedHandlers: two handlers block for a minute while 100,000 updates of
// 1,000 objects arrive. The one that coalesces holds 1,000 states, the one that
// pushes back holds its queue, and both say so; a third goes on.
func TestBlockedHandlers(t *testing.T) {
	const objects, updates = 1000, 100_000
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		for i := range objects {
			w.add(fmt.Sprint(i))
		}
		w.sync()
		released := make(chan struct{})
		var seen []map[string]uint32
		blocked := func() Handler[val] {
			states := map[string]uint32{}
			seen = append(seen, states)
			return func(_ context.Context, c Change[val]) error {
				if c.Type == Modified {
					<-released
				}
				if c.Item != nil {
					states[c.Item.Name] = c.Item.Value.N
				}
				return nil
			}
		}
		coalesce := w.subscribe(blocked(), SubscriptionOptions[val]{Delivery: Coalesce})
		free := 0
		calm := w.subscribe(func(context.Context, Change[val]) error { free++; return nil }, SubscriptionOptions[val]{Delivery: Coalesce})
		synctest.Wait()
		w.modify("0")
		synctest.Wait()
		for i := range updates {
			w.modify(fmt.Sprint(i % objects))
			if i%100 == 0 && coalesce.Stats().QueueLength > objects {
				t.Fatalf("%+v", coalesce.Stats())
			}
		}
		for i := range 10 { // born and gone, and gone that was seen
			w.add(fmt.Sprint("new-", i))
			w.remove(fmt.Sprint("new-", i))
			w.remove(fmt.Sprint(i))
		}
		time.Sleep(time.Minute)
		stats := coalesce.Stats()
		if stats.QueueLength != objects || stats.InHand != 1 || stats.Lag != time.Minute || stats.Blocked != 0 || stats.Coalesced < updates-objects {
			t.Errorf("coalescing: %+v", stats)
		}
		t.Logf("coalescing, blocked: %+v", stats)

		push := w.subscribe(blocked(), SubscriptionOptions[val]{QueueSize: 100})
		synctest.Wait()
		go func() {
			for i := range 30 {
				time.Sleep(2 * time.Second)
				if stats := push.Stats(); i > 0 && (!stats.Blocking || stats.QueueLength != 100 || stats.InHand != 1) {
					t.Errorf("pushing back: %+v", stats)
				}
			}
			t.Logf("pushing back, blocked: %+v", push.Stats())
			close(released)
		}()
		begin := time.Now()
		for i := range updates / 10 {
			w.modify(fmt.Sprint(10 + i%(objects-10)))
		}
		synctest.Wait()
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("the stream was held up for %v", took)
		}
		if stats := push.Stats(); stats.Blocking || stats.Blocked != time.Minute || stats.Lag != 0 {
			t.Errorf("pushing back, afterwards: %+v", stats)
		}
		if stats := calm.Stats(); stats.QueueLength != 0 || stats.Blocked != 0 {
			t.Errorf("calm: %+v", stats)
		}
		w.stop()
		for key, item := range w.store.All() {
			for i, states := range seen {
				if states[key.Name] != item.Value.N {
					t.Errorf("%d saw %s last as %d, it is %d", i, key, states[key.Name], item.Value.N)
				}
			}
		}
		if free == 0 {
			t.Error("the calm one got nothing")
		}
	})
}

// TestSubscriptionsLeaveNothing: a subscription that is over holds neither
// objects nor a goroutine.
func TestSubscriptionsLeaveNothing(t *testing.T) {
	w := newFan(t)
	for i := range 100 {
		w.add(fmt.Sprint(i))
	}
	for i := range 200 {
		s := w.subscribe(func(context.Context, Change[val]) error { return nil },
			SubscriptionOptions[val]{Delivery: Delivery(i % 2), Resync: time.Hour})
		w.modify(fmt.Sprint(i % 100))
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.stop()
	goleak.VerifyNone(t)
	w.subs.mu.Lock()
	defer w.subs.mu.Unlock()
	if n := len(w.subs.list) + len(w.subs.alive) + len(w.subs.running) + len(w.subs.joining) + len(w.subs.asking) + len(w.subs.skipping); n != 0 {
		t.Errorf("%d entries about subscriptions are left", n)
	}
}
