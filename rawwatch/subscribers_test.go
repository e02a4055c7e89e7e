package rawwatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// TestLateSubscriber: one that comes when the stream has long begun gets what
// there is, a Synced, and then what follows.
func TestLateSubscriber(t *testing.T) {
	for _, delivery := range []Delivery{PushBack, Coalesce} {
		t.Run(delivery.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newFan(t)
				var early, late recorder
				w.subscribe(early.handle, SubscriptionOptions[val]{Delivery: delivery})
				w.cause = CauseList
				w.add("a")
				w.add("b")
				synctest.Wait()
				expect(t, "before the list is complete", early.take())
				w.sync()
				synctest.Wait()
				w.cause = CauseStream
				w.modify("a")
				synctest.Wait()
				w.remove("b")
				synctest.Wait()
				expect(t, "early", early.take(), "ADDED a 1", "ADDED b 2", "SYNCED", "MODIFIED a 4 was 1", "DELETED b 5")
				s := w.subscribe(late.handle, SubscriptionOptions[val]{Delivery: delivery})
				synctest.Wait()
				w.modify("a")
				synctest.Wait()
				expect(t, "late", late.take(), "ADDED a 4", "SYNCED", "MODIFIED a 6 was 4")
				if got := s.Acknowledged(); got != w.subs.sequence {
					t.Errorf("acknowledged %d of %d", got, w.subs.sequence)
				}
				w.stop()
			})
		})
	}
}

// TestSubscribeWhileTold: a subscription that begins while a relist is told
// begins with all of it, and gets none of the rest again.
func TestSubscribeWhileTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var late recorder
		var second *Subscription[val]
		w.subscribe(func(ctx context.Context, c Change[val]) error {
			if c.Item != nil && c.Item.Name == "a" {
				second = w.subscribe(late.handle, SubscriptionOptions[val]{})
				time.Sleep(time.Minute) // the publisher is held up all the while
			}
			return nil
		}, SubscriptionOptions[val]{QueueSize: 1})
		w.cause = CauseList
		for _, name := range []string{"a", "b", "c", "d"} {
			w.add(name)
		}
		start := time.Now()
		go func() {
			time.Sleep(time.Second)
			expect(t, "while the other holds up the stream", late.take(), "ADDED a 1", "ADDED b 2", "ADDED c 3", "ADDED d 4", "SYNCED")
		}()
		w.sync()
		if time.Since(start) < time.Minute {
			t.Error("a full queue did not push back")
		}
		w.cause = CauseStream
		w.remove("d")
		synctest.Wait()
		expect(t, "afterwards", late.take(), "DELETED d 6")
		if got := second.Acknowledged(); got != w.subs.sequence {
			t.Errorf("acknowledged %d of %d", got, w.subs.sequence)
		}
		w.stop()
	})
}

// TestSubscribeWithinApply: code of users that runs while the store changes may
// subscribe; it is served after the change.
func TestSubscribeWithinApply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *fanWorld
		var got recorder
		w = newFan(t)
		begun := false
		w.store.transform = func(_ decode.Identity, _ *val) error {
			if !begun {
				begun = true
				w.subscribe(got.handle, SubscriptionOptions[val]{})
			}
			return nil
		}
		w.add("a")
		w.modify("a")
		synctest.Wait()
		expect(t, "a subscriber that came within", got.take(), "ADDED a 1", "MODIFIED a 2 was 1")
		w.stop()
	})
}

// TestUnchanged: the same state again is no change, and bookmarks are not told.
func TestUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var got recorder
		s := w.subscribe(got.handle, SubscriptionOptions[val]{})
		w.add("a")
		w.version--
		w.modify("a")
		w.event(Bookmark, "", "", 0)
		synctest.Wait()
		expect(t, "a no-op", got.take(), "ADDED a 1")
		if s.Acknowledged() != 1 || w.subs.resourceVersion != "2" {
			t.Errorf("acknowledged %d, version %s", s.Acknowledged(), w.subs.resourceVersion)
		}
		w.stop()
	})
}

// TestPublishCanceled: a full queue does not outlast the informer's context.
func TestPublishCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		s := w.subscribe(func(ctx context.Context, _ Change[val]) error {
			<-ctx.Done()
			return ctx.Err()
		}, SubscriptionOptions[val]{QueueSize: 1})
		w.add("a")
		synctest.Wait()
		w.add("b")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.subs.publish(ctx, w.make(Added, "c", "u", 0)); err != context.DeadlineExceeded {
			t.Errorf("publish: %v", err)
		}
		if stats := s.Stats(); !stats.Blocking || stats.Blocked != time.Second || stats.QueueLength != 1 || stats.InHand != 1 || stats.Lag != time.Second {
			t.Errorf("%+v", stats)
		}
		w.stop()
	})
}
