package workqueue

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// benchKeys are as an informer hands them out: the strings exist already.
func benchKeys(n int) []decode.Key {
	keys := make([]decode.Key, n)
	for i := range keys {
		keys[i] = decode.Key{Namespace: "edge", Name: fmt.Sprintf("camera-%04d", i)}
	}
	return keys
}

// BenchmarkAddGetDone is one key at a time through a queue that holds a
// thousand others.
func BenchmarkAddGetDone(b *testing.B) {
	for _, priorities := range []int{1, 2, 16} {
		b.Run(fmt.Sprintf("priorities=%d", priorities), func(b *testing.B) {
			q := mustNew(b, Options[decode.Key]{})
			keys := benchKeys(1001)
			for i, key := range keys[:1000] {
				if err := q.AddWith(key, AddOptions{Priority: i % priorities}); err != nil {
					b.Fatal(err)
				}
			}
			ctx := b.Context()
			next := keys[1000]
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := q.AddWith(next, AddOptions{Priority: i % priorities}); err != nil {
					b.Fatal(err)
				}
				key, err := q.Get(ctx)
				if err != nil {
					b.Fatal(err)
				}
				if err := q.Done(key); err != nil {
					b.Fatal(err)
				}
				next = key
			}
		})
	}
}

// BenchmarkAddQueued is the addition of a key that is queued already: what most
// additions are in a burst.
func BenchmarkAddQueued(b *testing.B) {
	q := mustNew(b, Options[decode.Key]{})
	keys := benchKeys(1000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := q.Add(keys[i%len(keys)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAddAfter delays keys and moves them forward, among a thousand.
func BenchmarkAddAfter(b *testing.B) {
	q := mustNew(b, Options[int]{})
	b.ReportAllocs()
	delay := 1000 * time.Hour
	for i := 0; b.Loop(); i++ {
		delay--
		if err := q.AddAfter(i%1000, delay); err != nil {
			b.Fatal(err)
		}
	}
	q.ShutDown()
}

// BenchmarkRun is the whole runner: one goroutine adds, workers reconcile
// nothing.
func BenchmarkRun(b *testing.B) {
	for _, workers := range []int{1, 4, 16} {
		for _, priorities := range []int{1, 2} {
			b.Run(fmt.Sprintf("workers=%d/priorities=%d", workers, priorities), func(b *testing.B) {
				q := mustNew(b, Options[decode.Key]{})
				keys := benchKeys(1000)
				var runs atomic.Int64
				var running sync.WaitGroup
				running.Go(func() {
					err := q.Run(context.Background(), workers, func(context.Context, decode.Key) (Result, error) {
						runs.Add(1)
						return Result{}, nil
					})
					if err != nil {
						b.Error(err)
					}
				})
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := q.AddWith(keys[i%len(keys)], AddOptions{Priority: i % priorities}); err != nil {
						b.Fatal(err)
					}
				}
				if err := q.ShutDownWithDrain(context.Background()); err != nil {
					b.Fatal(err)
				}
				running.Wait()
				b.ReportMetric(float64(runs.Load())/b.Elapsed().Seconds(), "runs/s")
			})
		}
	}
}

// BenchmarkRetry is a failure of one of a thousand keys, and its end.
func BenchmarkRetry(b *testing.B) {
	q := mustNew(b, Options[int]{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := q.Retry(i % 1000); err != nil {
			b.Fatal(err)
		}
		q.Forget(i % 1000)
	}
	q.ShutDown()
}
