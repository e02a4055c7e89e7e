package rawwatch

import (
	"testing"
	"testing/synctest"
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
