package rawwatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestLateWakeUp: who is left for later sleeps until wakeLate, and gets all of
// it then; a full queue wakes its handler at once.
func TestLateWakeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var all, few recorder
		w.subscribe(all.handle, SubscriptionOptions[val]{})
		w.subscribe(few.handle, SubscriptionOptions[val]{QueueSize: 2})
		w.sync()
		synctest.Wait()
		expect(t, "in sync", all.take(), "SYNCED")
		expect(t, "in sync", few.take(), "SYNCED")
		w.cause, w.subs.lazy = CauseStream, true
		w.add("a")
		w.add("b")
		synctest.Wait()
		expect(t, "before wakeLate", all.take())
		expect(t, "before wakeLate, not full", few.take())
		w.add("c")
		synctest.Wait()
		expect(t, "still before wakeLate", all.take())
		expect(t, "one that was full", few.take(), "ADDED a 2", "ADDED b 3", "ADDED c 4")
		w.subs.wakeLate()
		synctest.Wait()
		expect(t, "after wakeLate", all.take(), "ADDED a 2", "ADDED b 3", "ADDED c 4")
		w.stop()
	})
}

// TestGatheringStream: a stream on which frames come fast gathers them until a
// connection was read, or for the delay, or until it is closed.
func TestGatheringStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		settled := 0
		s := &stream{client: &Client{options: ClientOptions{BusyDelay: time.Minute}}, x: &exchange{ctx: ctx, cancel: cancel}}
		s.body.before = func() { settled++ }
		if s.gather() || settled > 0 {
			t.Fatal("a calm stream gathers")
		}
		s.pace.busy = true
		gathered := func(want time.Duration, during func()) {
			t.Helper()
			began := time.Now()
			go during()
			if !s.gather() || time.Since(began) != want {
				t.Errorf("gathered for %v, want %v", time.Since(began), want)
			}
			synctest.Wait()
		}
		gathered(time.Minute, func() {})
		gathered(time.Second, func() { time.Sleep(time.Second); s.client.traffic.batches.strike() })
		gathered(2*time.Second, func() { time.Sleep(2 * time.Second); cancel(context.Canceled) })
		if settled != 3 {
			t.Errorf("what was left for later was settled %d times, want 3", settled)
		}
	})
}
