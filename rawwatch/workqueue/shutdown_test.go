package workqueue

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestDrainFinishesWhatIsQueuedAndDiscardsTheRest(t *testing.T) {
	var runs atomic.Int32
	var discarded []Failure[int]
	o := Options[int]{Failed: func(f Failure[int]) { discarded = append(discarded, f) }}
	reconcile := func(_ context.Context, key int) (Result, error) {
		time.Sleep(time.Second)
		runs.Add(1)
		switch key {
		case 3:
			return Result{}, errors.New("too late to be retried")
		case 4:
			return Result{RequeueAfter: time.Hour}, nil
		}
		return Result{}, nil
	}
	within(t, o, 2, reconcile, func(t *testing.T, q *Queue[int]) {
		for key := range 10 {
			must(t, q.Add(key))
		}
		must(t, q.AddAfter(100, time.Second/2))
		synctest.Wait()
		must(t, q.Add(0)) // is in work: once more
		start := time.Now()
		must(t, q.ShutDownWithDrain(t.Context()))
		if took := time.Since(start); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("drained in %v, eleven runs of a second in two workers", took)
		}
		s := q.Stats()
		if runs.Load() != 11 || s.Keys != 0 || s.Counts.Discarded != 3 || !s.ShuttingDown || !q.ShuttingDown() {
			t.Errorf("%d runs, stats %+v", runs.Load(), s)
		}
		if len(discarded) != 1 || discarded[0].Verdict != Discarded || discarded[0].Key != 3 {
			t.Errorf("failures: %+v", discarded)
		}
		synctest.Wait()
		if s := q.Stats(); s.Workers != 0 {
			t.Errorf("%d workers after the end", s.Workers)
		}
	})
}

func TestDrainIsBoundedByItsContext(t *testing.T) {
	var block chan struct{} // made in the bubble of virtual time
	reconcile := func(context.Context, int) (Result, error) { <-block; return Result{}, nil }
	synctest.Test(t, func(t *testing.T) {
		block = make(chan struct{})
		q := mustNew(t, Options[int]{})
		finished := make(chan error)
		go func() { finished <- q.Run(t.Context(), 1, reconcile) }()
		must(t, q.Add(1))
		must(t, q.Add(2))
		synctest.Wait()
		must(t, q.Add(1))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		drain, ok := errors.AsType[*DrainError](q.ShutDownWithDrain(ctx))
		if !ok || drain.Queued != 2 || drain.InFlight != 1 || !errors.Is(drain, context.DeadlineExceeded) {
			t.Errorf("got %+v, want 2 queued and 1 in work", drain)
		}
		close(block)
		must(t, <-finished)
		must(t, q.ShutDownWithDrain(t.Context()))
	})
}

func TestEndOfRunCutsShortAndKeepsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done []int
		q := mustNew(t, Options[int]{
			Done:   func(key int, _ error) { done = append(done, key) },
			Failed: func(f Failure[int]) { t.Errorf("a failure: %+v", f) },
		})
		stop := errors.New("stopped by the test")
		ctx, cancel := context.WithCancelCause(t.Context())
		for key := range 5 {
			must(t, q.Add(key))
		}
		finished := make(chan error)
		go func() {
			finished <- q.Run(ctx, 2, func(ctx context.Context, key int) (Result, error) {
				if key < 2 {
					return Result{}, nil
				}
				<-ctx.Done()
				return Result{}, ctx.Err()
			})
		}()
		synctest.Wait()
		cancel(stop)
		if err := <-finished; !errors.Is(err, stop) {
			t.Errorf("Run: %v, want the context's cause", err)
		}
		if s := q.Stats(); s.Queued != 3 || s.InFlight != 0 || len(done) != 2 {
			t.Errorf("%v done, stats %+v", done, s)
		}
		q.ShutDown()
		must(t, q.Run(t.Context(), 1, func(context.Context, int) (Result, error) { return Result{}, nil }))
		if len(done) != 5 {
			t.Errorf("%v done after the second Run", done)
		}
	})
}

func TestMisuseIsATypedError(t *testing.T) {
	nothing := func(context.Context, int) (Result, error) { return Result{}, nil }
	q := mustNew(t, Options[int]{})
	for _, c := range []struct {
		err  error
		want string
	}{
		{q.Run(t.Context(), 0, nothing), "workers is less than one"},
		{q.Run(t.Context(), -1, nothing), "workers is less than one"},
		{q.Run(t.Context(), 1, nil), "reconcile is nil"},
	} {
		if _, ok := errors.AsType[*OptionError](c.err); !ok || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
	if _, ok := errors.AsType[*NotInWorkError](q.Done(1)); !ok {
		t.Error("Done without Get is accepted")
	}
	var inside, doneInside error
	must(t, q.Add(1))
	must(t, q.Run(t.Context(), 1, func(ctx context.Context, key int) (Result, error) {
		inside = q.Run(ctx, 1, nothing)
		doneInside = q.Done(key)
		q.ShutDown()
		return Result{}, nil
	}))
	if e, ok := errors.AsType[*RunningError](inside); !ok || e.Workers != 1 {
		t.Errorf("a second Run: %v", inside)
	}
	if e, ok := errors.AsType[*NotInWorkError](doneInside); !ok || !e.ByRun {
		t.Errorf("Done in reconcile: %v", doneInside)
	}
	q.ShutDown() // again, harmless
	_, get := q.Get(t.Context())
	_, retry := q.Retry(1)
	for op, err := range map[string]error{"add": q.Add(1), "get": get, "retry": retry, "run": q.Run(t.Context(), 1, nothing)} {
		if e, ok := errors.AsType[*ShutDownError](err); !ok || e.Op != op {
			t.Errorf("%s after shutdown: %v", op, err)
		}
	}
	q.check(t)
}

// A worker that waits while the last key is in work, and owed another run, must
// not be sent home.
func TestShutDownKeepsWorkersForWhatIsOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := mustNew(t, Options[int]{})
		must(t, q.Add(1))
		_, err := q.Get(t.Context())
		must(t, err)
		must(t, q.Add(1))
		q.ShutDown()
		type answer struct {
			key int
			err error
		}
		answers := make(chan answer)
		for range 2 {
			go func() {
				key, err := q.Get(t.Context())
				answers <- answer{key, err}
			}()
		}
		synctest.Wait()
		must(t, q.Done(1))
		var got, sentHome int
		for range 2 {
			if a := <-answers; a.err == nil {
				got += a.key
			} else if _, ok := errors.AsType[*ShutDownError](a.err); ok {
				sentHome++
			}
		}
		if got != 1 || sentHome != 1 {
			t.Errorf("got key %d, %d workers were sent home", got, sentHome)
		}
		must(t, q.Done(1))
		must(t, q.ShutDownWithDrain(t.Context()))
	})
}
