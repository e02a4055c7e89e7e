// Package workqueue is the queue between events and the code that reacts to
// them: events add keys, workers bring the object behind each key to the state
// that it should have. It imports nothing else of rawwatch, so it serves any
// key; a [Queue] of decode.Key is the usual one.
//
//	queue, err := workqueue.New(workqueue.Options[decode.Key]{})
//	...
//	go func() {
//		for event, err := range client.ListWatch(ctx, query, rawwatch.ListWatchOptions{}) {
//			...
//			queue.Add(event.Object.Key())
//		}
//	}()
//	err = queue.Run(ctx, 4, func(ctx context.Context, key decode.Key) (workqueue.Result, error) {
//		// Read the object from the store, compare, act.
//		return workqueue.Result{}, nil
//	})
//
// # The life of a key
//
// A key is in the queue once, however often it is added. It waits in one of
// three ways, or not at all:
//
//	         AddAfter, Retry              time is up
//	(none) ------------------> delayed -----------------> queued ---> in work
//	   |                          |        Add              ^            |
//	   |                          +-------------------------+            |
//	   +---------- Add --------------------------------------+            |
//	                                                         |  added in  |
//	                                                         | the mean-  |
//	                                                         +-- time ----+
//
// While a key is in work no other worker gets it. Added meanwhile, it runs once
// more afterwards: so the last change is never missed, and a thousand changes
// during one run cost one more run.
//
// When a key that waits is added again, the earlier of the two times and the
// higher of the two priorities count. So an event does not wait for a backoff;
// and it takes a pending RequeueAfter with it, which reconcile then asks for
// again. Both are as in controller-runtime's priority queue.
//
// # Failures
//
// An error or a panic of reconcile queues the key again after its [Backoff],
// 5 ms doubling to 1000 s, and not before [Options].Limiter has a token for it,
// by default ten a second after a hundred at once. Success forgets the failures.
// [Options].MaxRetries and [Terminal] give a key up; [Options].Failed hears of
// every failure and of what becomes of the key.
//
// A key that fails and is added all the time runs each time that it is added.
// [Options].LimitAll bounds that too: then the token bucket stands before every
// run.
//
// # Order and fairness
//
// A higher priority goes first, keys of the same priority in order of arrival.
// So that lower ones are not starved, the key that has waited longest is passed
// over [Options].Patience times in a row at most, ten by default, and is the
// next then. A key with n older ones before it is therefore handed out within
// (n+1)*(Patience+1) hand-outs, whatever else is added. Queues with one priority
// are first in, first out.
//
// # The end
//
// [Queue.ShutDownWithDrain] refuses new keys, discards what is delayed, has
// everything that is queued or in work finished, and makes Run return nil. To
// stop sooner, end the context of Run: it returns when what is in work has
// returned, and what was queued stays so.
//
// # Acknowledging
//
// Options.Started and Options.Done stand around each run like brackets, for a
// checkpoint that must not forget an event before its key was reconciled: see
// [Options].Done.
//
// # Memory
//
// Memory is in proportion to the keys that wait, are in work, or have failures
// remembered; [Stats].Keys counts them. It goes back after a burst. A queue in
// steady use allocates nothing per key. It has one timer and no goroutine.
//
// # From client-go
//
// Names are client-go's where the meaning is the same. What differs:
//
//   - Add after ShutDown is a [*ShutDownError], not silence.
//   - Get takes a context.
//   - AddRateLimited is [Queue.Retry], NumRequeues is [Queue.Failures]. Neither
//     they nor Forget are needed with [Queue.Run].
//   - Backoffs have jitter.
//   - A delayed key that is added runs once, not a second time when its delay
//     is over.
//   - ShutDownWithDrain has a context, and waits for what is queued too.
package workqueue
