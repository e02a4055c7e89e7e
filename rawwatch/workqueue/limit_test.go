package workqueue

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func TestRetriesShareATokenBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := mustNew(t, Options[int]{Limiter: rate.NewLimiter(10, 5), Backoff: Backoff{Base: time.Millisecond, Jitter: -1}})
		for key := range 25 {
			wait, err := q.Retry(key)
			must(t, err)
			want := time.Millisecond
			if key >= 5 {
				want = time.Duration(key-4) * 100 * time.Millisecond
			}
			if diff := wait - want; diff < 0 || diff > time.Microsecond {
				t.Errorf("retry %d waits %v, want %v", key, wait, want)
			}
		}
		must(t, q.Add(100)) // takes no token
		if q.Len() != 1 {
			t.Errorf("Len %d, want 1", q.Len())
		}
		before := q.options.Limiter.Tokens()
		if wait, err := q.Retry(100); wait != 0 || err != nil || q.options.Limiter.Tokens() != before {
			t.Errorf("the retry of a queued key waits %v, %v, or took a token", wait, err)
		}
		q.ShutDown()
	})
}

func TestLimitAllBoundsHandOuts(t *testing.T) {
	var at []time.Duration
	var start time.Time
	o := Options[int]{Limiter: rate.NewLimiter(10, 3), LimitAll: true}
	reconcile := func(_ context.Context, key int) (Result, error) {
		at = append(at, time.Since(start))
		return Result{}, nil
	}
	within(t, o, 4, reconcile, func(t *testing.T, q *Queue[int]) {
		start = time.Now()
		for key := range 23 {
			must(t, q.Add(key))
		}
		must(t, q.ShutDownWithDrain(t.Context()))
		synctest.Wait()
		if len(at) != 23 {
			t.Fatalf("%d runs, want 23", len(at))
		}
		for i, got := range at {
			want := max(0, time.Duration(i-2)*100*time.Millisecond)
			if diff := got - want; diff < 0 || diff > 100*time.Microsecond {
				t.Errorf("run %d at %v, want %v", i, got, want)
			}
		}
	})
}

func TestALimiterThatIsTurnedOffAndOn(t *testing.T) {
	limiter := rate.NewLimiter(1, 1)
	runs := 0
	o := Options[int]{Limiter: limiter, LimitAll: true}
	reconcile := func(_ context.Context, key int) (Result, error) { runs++; return Result{}, nil }
	within(t, o, 2, reconcile, func(t *testing.T, q *Queue[int]) {
		must(t, q.Add(1))
		synctest.Wait()
		limiter.SetLimit(0)
		must(t, q.Add(2))
		time.Sleep(time.Hour)
		synctest.Wait()
		if runs != 1 {
			t.Errorf("%d runs with a limit of 0", runs)
		}
		limiter.SetLimit(rate.Inf)
		time.Sleep(maxTokenWait)
		synctest.Wait()
		if runs != 2 {
			t.Errorf("%d runs after the limit was lifted", runs)
		}
	})
	for _, never := range []func(*rate.Limiter){
		func(l *rate.Limiter) { l.SetLimit(0); l.AllowN(time.Now(), 1) },
		func(l *rate.Limiter) { l.SetBurst(0) },
	} {
		limiter := rate.NewLimiter(1, 1)
		q := mustNew(t, Options[int]{Limiter: limiter, Backoff: Backoff{Max: time.Minute}})
		never(limiter)
		if wait, err := q.Retry(1); err != nil || wait < 59*time.Second || wait > time.Minute {
			t.Errorf("a retry that gets no token waits %v, %v", wait, err)
		}
		q.ShutDown()
	}
}

func TestBackoff(t *testing.T) {
	b := Backoff{Base: time.Second, Max: 100 * time.Second, Jitter: 0.5}.withDefaults()
	for failures, want := range map[int]time.Duration{1: 1, 2: 2, 7: 64, 8: 100, 63: 100, 64: 100, math.MaxInt: 100} {
		if got := b.wait(failures, 0); got != want*time.Second {
			t.Errorf("wait after %d failures: %v, want %v", failures, got, want*time.Second)
		}
		if got := b.wait(failures, 0.5); got != want*time.Second*3/4 {
			t.Errorf("with jitter, wait after %d failures: %v, want %v", failures, got, want*time.Second*3/4)
		}
	}
	longest := Backoff{Base: time.Hour, Max: math.MaxInt64, Jitter: -1}.withDefaults()
	for failures := 1; failures < 100; failures++ {
		if got := longest.wait(failures, 0.9); got < time.Hour || got < longest.wait(max(1, failures-1), 0.9) {
			t.Errorf("wait after %d failures: %v", failures, got)
		}
	}
	if got := (Backoff{}).withDefaults(); got.Max != DefaultBackoffMax || got.Base != DefaultBackoffBase || got.Jitter != DefaultBackoffJitter {
		t.Errorf("defaults: %+v", got)
	}
}

func TestOptionsThatCannotBeMeant(t *testing.T) {
	for option, o := range map[string]Options[int]{
		"Backoff.Base":   {Backoff: Backoff{Base: -1}},
		"Backoff.Max":    {Backoff: Backoff{Base: 2, Max: 1}},
		"Backoff.Jitter": {Backoff: Backoff{Jitter: 1.5}},
		"MaxRetries":     {MaxRetries: -1},
		"LimitAll":       {LimitAll: true},
		"Limiter":        {Limiter: rate.NewLimiter(0, 1)},
		"Hooks":          {Hooks: []any{struct{}{}}},
	} {
		_, err := New(o)
		if e, ok := errors.AsType[*OptionError](err); !ok || e.Option != option {
			t.Errorf("%s: got %v", option, err)
		}
	}
	for option, o := range map[string]Options[int]{
		"Backoff.Max":    {Backoff: Backoff{Max: -1}},
		"Backoff.Jitter": {Backoff: Backoff{Jitter: math.NaN()}},
		"Limiter":        {Limiter: rate.NewLimiter(1, 0)},
		"Hooks":          {Hooks: []any{nil}},
	} {
		_, err := New(o)
		if e, ok := errors.AsType[*OptionError](err); !ok || e.Option != option {
			t.Errorf("%s: got %v", option, err)
		}
	}
	if _, err := New(Options[struct{ a [1]float32 }]{}); err == nil {
		t.Error("a key that may be NaN is accepted")
	}
	if _, err := New(Options[struct{ a any }]{}); err == nil {
		t.Error("a key that may be a slice is accepted: adding one would panic with the lock held")
	}
}

// TestTokensFindTheWorkersThatAreFree has runs that take longer than tokens
// need to come: the workers that wait must begin one after the other.
func TestTokensFindTheWorkersThatAreFree(t *testing.T) {
	var started, at atomic.Int64
	start := time.Now()
	o := Options[int]{Limiter: rate.NewLimiter(10, 1), LimitAll: true}
	reconcile := func(context.Context, int) (Result, error) {
		at.Store(int64(time.Since(start)))
		started.Add(1)
		time.Sleep(time.Minute)
		return Result{}, nil
	}
	within(t, o, 4, reconcile, func(t *testing.T, q *Queue[int]) {
		start = time.Now()
		for key := range 4 {
			must(t, q.Add(key))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if last := time.Duration(at.Load()); started.Load() != 4 || last < 300*time.Millisecond || last > 301*time.Millisecond {
			t.Errorf("%d runs, the last began after %v; want 4 and 300ms", started.Load(), last)
		}
	})
}
