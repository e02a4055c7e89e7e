package queuebench

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch/workqueue"
)

// queue is what the two have in common.
type queue interface {
	add(key decode.Key)
	addAfter(key decode.Key, delay time.Duration)
	get() decode.Key
	done(key decode.Key)
	// run starts the workers; the function that it returns drains the queue and
	// waits for them.
	run(workers int, work func(decode.Key)) (finish func())
	close()
}

var queues = []struct {
	name string
	make func() queue
}{
	{"rawwatch", func() queue { return newOurs() }},
	{"client-go", func() queue { return newTheirs() }},
}

type ours struct{ *workqueue.Queue[decode.Key] }

func newOurs() ours {
	q, err := workqueue.New(workqueue.Options[decode.Key]{})
	check(err)
	return ours{q}
}

func (q ours) add(key decode.Key)                       { check(q.Add(key)) }
func (q ours) addAfter(key decode.Key, d time.Duration) { check(q.AddAfter(key, d)) }
func (q ours) done(key decode.Key)                      { check(q.Done(key)) }
func (q ours) close()                                   { q.ShutDown() }

func (q ours) get() decode.Key {
	key, err := q.Get(context.Background())
	check(err)
	return key
}

func (q ours) run(workers int, work func(decode.Key)) (finish func()) {
	var running sync.WaitGroup
	running.Go(func() {
		check(q.Run(context.Background(), workers, func(_ context.Context, key decode.Key) (workqueue.Result, error) {
			work(key)
			return workqueue.Result{}, nil
		}))
	})
	return func() {
		check(q.ShutDownWithDrain(context.Background()))
		running.Wait()
	}
}

type theirs struct {
	clientgo.TypedRateLimitingInterface[decode.Key]
}

func newTheirs() theirs {
	return theirs{clientgo.NewTypedRateLimitingQueue(clientgo.DefaultTypedControllerRateLimiter[decode.Key]())}
}

func (q theirs) add(key decode.Key)                       { q.Add(key) }
func (q theirs) addAfter(key decode.Key, d time.Duration) { q.AddAfter(key, d) }
func (q theirs) done(key decode.Key)                      { q.Done(key) }
func (q theirs) close()                                   { q.ShutDown() }

func (q theirs) get() decode.Key {
	key, _ := q.Get()
	return key
}

func (q theirs) run(workers int, work func(decode.Key)) (finish func()) {
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				work(key)
				q.Forget(key)
				q.Done(key)
			}
		})
	}
	return func() {
		q.ShutDownWithDrain()
		running.Wait()
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func keys(n int) []decode.Key {
	all := make([]decode.Key, n)
	for i := range all {
		all[i] = decode.Key{Namespace: "edge", Name: fmt.Sprintf("camera-%06d", i)}
	}
	return all
}

// each runs a benchmark for both.
func each(b *testing.B, bench func(b *testing.B, q queue)) {
	for _, candidate := range queues {
		b.Run("queue="+candidate.name, func(b *testing.B) {
			q := candidate.make()
			defer q.close()
			b.ReportAllocs()
			bench(b, q)
		})
	}
}

// BenchmarkAddGetDone passes one key at a time through a queue of a thousand.
func BenchmarkAddGetDone(b *testing.B) {
	each(b, func(b *testing.B, q queue) {
		all := keys(1001)
		for _, key := range all[:1000] {
			q.add(key)
		}
		next := all[1000]
		for b.Loop() {
			q.add(next)
			next = q.get()
			q.done(next)
		}
	})
}

// BenchmarkAddQueued adds what is queued already.
func BenchmarkAddQueued(b *testing.B) {
	each(b, func(b *testing.B, q queue) {
		all := keys(1000)
		for i := 0; b.Loop(); i++ {
			q.add(all[i%len(all)])
		}
	})
}

// BenchmarkAddAfter delays each of a thousand keys, again and again and always
// a little less.
func BenchmarkAddAfter(b *testing.B) {
	each(b, func(b *testing.B, q queue) {
		all := keys(1000)
		delay := 1000 * time.Hour
		for i := 0; b.Loop(); i++ {
			delay--
			q.addAfter(all[i%len(all)], delay)
		}
	})
}

// BenchmarkWorkers adds keys while workers take them and do nothing.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			each(b, func(b *testing.B, q queue) {
				var runs atomic.Int64
				finish := q.run(workers, func(decode.Key) { runs.Add(1) })
				all := keys(1000)
				for i := 0; b.Loop(); i++ {
					q.add(all[i%len(all)])
				}
				finish()
				b.ReportMetric(float64(runs.Load())/b.Elapsed().Seconds(), "runs/s")
			})
		})
	}
}

// BenchmarkBacklog queues ten thousand keys and has them worked off, without
// additions beside it. The time is that of one key from Add to Done.
func BenchmarkBacklog(b *testing.B) {
	for _, workers := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			all := keys(10_000)
			for _, candidate := range queues {
				b.Run("queue="+candidate.name, func(b *testing.B) {
					b.ReportAllocs()
					for done := 0; done < b.N; done += len(all) {
						q := candidate.make()
						var runs atomic.Int64
						some := all[:min(len(all), b.N-done)]
						for _, key := range some {
							q.add(key)
						}
						q.run(workers, func(decode.Key) { runs.Add(1) })()
						if int(runs.Load()) != len(some) {
							b.Fatalf("%d runs for %d keys", runs.Load(), len(some))
						}
					}
				})
			}
		})
	}
}

// BenchmarkBurst queues a hundred thousand keys, works them off with four
// workers, and measures what the queue still holds of it.
func BenchmarkBurst(b *testing.B) {
	for _, candidate := range queues {
		b.Run("queue="+candidate.name, func(b *testing.B) {
			all := keys(100_000)
			var peak, left int64
			for b.Loop() {
				q := candidate.make()
				before := heapBytes()
				for _, key := range all {
					q.add(key)
				}
				peak = heapBytes() - before
				var done sync.WaitGroup
				done.Add(len(all))
				finish := q.run(4, func(decode.Key) { done.Done() })
				done.Wait()
				left = heapBytes() - before
				finish()
			}
			b.ReportMetric(float64(peak)/float64(len(all)), "peak-B/key")
			b.ReportMetric(float64(left)/float64(len(all)), "left-B/key")
		})
	}
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBothQueuesDoTheSame keeps the comparison honest: every key that was added
// is worked on, by both.
func TestBothQueuesDoTheSame(t *testing.T) {
	for _, candidate := range queues {
		q := candidate.make()
		var mu sync.Mutex
		seen := map[decode.Key]bool{}
		finish := q.run(4, func(key decode.Key) {
			mu.Lock()
			defer mu.Unlock()
			seen[key] = true
		})
		all := keys(500)
		for i := range 5000 {
			q.add(all[i%len(all)])
		}
		finish()
		if len(seen) != len(all) {
			t.Errorf("%s worked on %d of %d keys", candidate.name, len(seen), len(all))
		}
	}
}
