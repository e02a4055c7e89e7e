package workqueue

import (
	"context"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

func TestBurstOfAMillionAddsOfAThousandKeys(t *testing.T) {
	const adds, keys = 1_000_000, 1000
	q := mustNew(t, Options[int]{})
	var runs atomic.Int64
	var newest, seen [keys]atomic.Int64
	finished := make(chan error)
	go func() {
		finished <- q.Run(t.Context(), 4, func(_ context.Context, key int) (Result, error) {
			runs.Add(1)
			seen[key].Store(newest[key].Load())
			return Result{}, nil
		})
	}()
	most := 0
	for i := range adds {
		key := i % keys * 7919 % keys // also where an int has 32 bits
		newest[key].Store(int64(i))
		if err := q.AddWith(key, AddOptions{Priority: i % 2}); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 {
			most = max(most, q.Stats().Keys)
		}
	}
	must(t, q.ShutDownWithDrain(t.Context()))
	must(t, <-finished)
	s := q.Stats()
	if most > keys || s.Keys != 0 {
		t.Errorf("%d keys at most and %d at the end, for %d distinct keys", most, s.Keys, keys)
	}
	if s.Counts.Added != adds || s.Counts.HandedOut != uint64(runs.Load()) || s.Counts.Added != s.Counts.Merged+s.Counts.HandedOut {
		t.Errorf("%d runs, but %+v", runs.Load(), s.Counts)
	}
	for key := range keys {
		if seen[key].Load() != newest[key].Load() {
			t.Errorf("key %d: the last change was not seen", key)
		}
	}
}

// TestMemoryGoesBackAfterABurst queues many keys in each place of the queue and
// measures what is left of it.
func TestMemoryGoesBackAfterABurst(t *testing.T) {
	const keys = 30_000
	for name, o := range map[string]func(i int) AddOptions{
		"in line": func(int) AddOptions { return AddOptions{} },
		"in heap": func(i int) AddOptions { return AddOptions{Priority: i} },
		"delayed": func(i int) AddOptions { return AddOptions{After: time.Duration(i + 1)} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := mustNew(t, Options[decode.Key]{})
				ctx, before := t.Context(), heapBytes()
				for i := range keys {
					if err := q.AddWith(decode.Key{Name: strconv.Itoa(i)}, o(i)); err != nil {
						t.Fatal(err)
					}
				}
				peak := heapBytes() - before
				time.Sleep(time.Second)
				for range q.Len() {
					key, _ := q.Get(ctx)
					if err := q.Done(key); err != nil {
						t.Fatal(err)
					}
				}
				left := heapBytes() - before
				q.check(t)
				t.Logf("%.1f MB for %d keys, %.2f MB after", float64(peak)/1e6, keys, float64(left)/1e6)
				if peak < keys*50 || left > 256<<10 {
					t.Errorf("%d bytes at the peak, %d are left", peak, left)
				}
			})
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
