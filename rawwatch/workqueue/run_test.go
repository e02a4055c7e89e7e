package workqueue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func TestNoKeyIsInTwoWorkersAndNoChangeIsMissed(t *testing.T) {
	const keys, adders, changes = 50, 8, 4000
	q := mustNew(t, Options[int]{Limiter: rate.NewLimiter(rate.Inf, 0), Backoff: Backoff{Base: time.Microsecond, Max: time.Millisecond}})
	var states, seen [keys]atomic.Int64
	var busy [keys]atomic.Bool
	var runs atomic.Int64
	finished := make(chan error)
	go func() {
		finished <- q.Run(t.Context(), 16, func(_ context.Context, key int) (Result, error) {
			if !busy[key].CompareAndSwap(false, true) {
				t.Errorf("key %d is in two workers", key)
			}
			defer busy[key].Store(false)
			seen[key].Store(states[key].Load())
			runtime.Gosched()
			switch runs.Add(1) % 13 {
			case 0:
				return Result{}, errors.New("now and then")
			case 1:
				panic("now and then")
			case 2:
				return Result{RequeueAfter: time.Microsecond}, nil
			}
			return Result{}, nil
		})
	}()
	var adding sync.WaitGroup
	for adder := range adders {
		adding.Go(func() {
			for i := range changes {
				key := (i*7 + adder) % keys
				states[key].Add(1)
				if err := q.AddWith(key, AddOptions{Priority: i % 3}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	adding.Wait()
	if err := q.ShutDownWithDrain(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-finished; err != nil {
		t.Errorf("Run: %v", err)
	}
	for key := range keys {
		if got, want := seen[key].Load(), states[key].Load(); got != want {
			t.Errorf("key %d was last seen in state %d of %d", key, got, want)
		}
	}
	q.check(t)
}

// within runs a queue's workers in a bubble of virtual time until the test ends.
func within[K comparable](t *testing.T, o Options[K], workers int, reconcile Reconcile[K], test func(t *testing.T, q *Queue[K])) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := mustNew(t, o)
		ctx, cancel := context.WithCancel(t.Context())
		finished := make(chan error)
		go func() { finished <- q.Run(ctx, workers, reconcile) }()
		synctest.Wait()
		test(t, q)
		synctest.Wait()
		q.check(t)
		cancel()
		if err := <-finished; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFailuresBackOffAndSuccessForgetsThem(t *testing.T) {
	var at []time.Duration
	var start time.Time
	reconcile := func(context.Context, string) (Result, error) {
		at = append(at, time.Since(start))
		if len(at)%5 != 0 {
			return Result{}, errors.New("not yet")
		}
		return Result{}, nil
	}
	o := Options[string]{Backoff: Backoff{Base: time.Second, Max: 3 * time.Second, Jitter: -1}}
	within(t, o, 1, reconcile, func(t *testing.T, q *Queue[string]) {
		start = time.Now()
		must(t, q.Add("a"))
		time.Sleep(time.Minute)
		synctest.Wait()
		must(t, q.Add("a"))
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if got, want := fmt.Sprint(at), "[0s 1s 3s 6s 9s 1m0s 1m1s]"; got != want {
			t.Errorf("runs at %s, want %s", got, want)
		}
		if got := q.Failures("a"); got != 2 {
			t.Errorf("%d failures remembered, want 2", got)
		}
	})
}

func TestPanicsAndGoexitAreFailures(t *testing.T) {
	cause := errors.New("cause")
	ways := []func(){func() { panic("words") }, func() { panic(cause) }, runtime.Goexit}
	var run int
	var failures []Failure[string]
	var log bytes.Buffer
	o := Options[string]{
		Failed: func(f Failure[string]) { failures = append(failures, f) },
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	reconcile := func(context.Context, string) (Result, error) {
		if run++; run <= len(ways) {
			ways[run-1]()
		}
		return Result{}, nil
	}
	within(t, o, 1, reconcile, func(t *testing.T, q *Queue[string]) {
		must(t, q.Add("a"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if run != 4 || len(failures) != 3 {
			t.Fatalf("%d runs and %d failures, want 4 and 3", run, len(failures))
		}
		words, ok := errors.AsType[*PanicError](failures[0].Err)
		if !ok || words.Value != "words" || !bytes.Contains(words.Stack, []byte("run_test.go")) || strings.Contains(words.Error(), "words") {
			t.Errorf("first failure: %#v", failures[0].Err)
		}
		if !errors.Is(failures[1].Err, cause) {
			t.Errorf("second failure: %v", failures[1].Err)
		}
		if _, ok := errors.AsType[*GoexitError](failures[2].Err); !ok || failures[2].Failures != 3 || failures[2].Verdict != Retried {
			t.Errorf("third failure: %+v", failures[2])
		}
		if s := q.Stats(); s.Counts.Panics != 2 || s.Keys != 0 {
			t.Errorf("stats: %+v", s)
		}
	})
	if got := strings.Count(log.String(), "level=ERROR msg=\"reconcile failed\" key=a"); got != 3 {
		t.Errorf("%d errors logged, want 3:\n%s", got, log.String())
	}
}

func TestCallbacksThatPanicHoldNoKey(t *testing.T) {
	var log bytes.Buffer
	var runs int
	o := Options[string]{
		MaxRetries: 1,
		Failed:     func(Failure[string]) { panic("failed") },
		Done:       func(string, error) { panic("done") },
		Started:    func(string) { panic("started") },
		Logger:     slog.New(slog.NewTextHandler(&log, nil)),
	}
	reconcile := func(context.Context, string) (Result, error) { runs++; return Result{}, nil }
	within(t, o, 2, reconcile, func(t *testing.T, q *Queue[string]) {
		must(t, q.Add("a"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := q.Stats(); s.Keys != 0 || s.Counts.HandedOut != 2 || s.Counts.Dropped != 1 || s.Counts.Panics != 5 || runs != 0 {
			t.Errorf("%d runs, stats: %+v", runs, s)
		}
	})
	for _, line := range []string{"Options.Failed panicked", "Options.Done panicked"} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("not logged: %s", line)
		}
	}
}

func TestRetryLimitAndTerminalErrors(t *testing.T) {
	var report []string
	o := Options[string]{
		MaxRetries: 2,
		Backoff:    Backoff{Base: time.Second, Jitter: -1},
		Failed: func(f Failure[string]) {
			report = append(report, fmt.Sprintf("%s %d %s %v", f.Key, f.Failures, f.Verdict, f.RetryIn))
		},
		Done: func(key string, err error) { report = append(report, fmt.Sprintf("%s done: %v", key, err)) },
	}
	reconcile := func(_ context.Context, key string) (Result, error) {
		if key == "b" {
			return Result{}, fmt.Errorf("wrapped: %w", Terminal(errors.New("hopeless")))
		}
		return Result{}, errors.New("no")
	}
	within(t, o, 1, reconcile, func(t *testing.T, q *Queue[string]) {
		must(t, q.Add("a"))
		time.Sleep(time.Minute)
		synctest.Wait()
		must(t, q.Add("b"))
		time.Sleep(time.Minute)
		synctest.Wait()
		want := "[a 1 retried 1s a 2 retried 2s a 3 dropped 0s a done: no b 1 dropped 0s b done: wrapped: hopeless]"
		if got := fmt.Sprint(report); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if s := q.Stats(); s.Counts.Dropped != 2 || s.Keys != 0 {
			t.Errorf("stats: %+v", s)
		}
	})
	if Terminal(nil) != nil {
		t.Error("Terminal(nil) is an error")
	}
}

func TestStartedAndDoneAreABracketPerRun(t *testing.T) {
	var q *Queue[string]
	var story []string
	o := Options[string]{
		Started: func(key string) { story = append(story, "started") },
		Done:    func(key string, err error) { story = append(story, fmt.Sprint("done ", err)) },
		Backoff: Backoff{Base: time.Second},
	}
	runs := 0
	reconcile := func(_ context.Context, key string) (Result, error) {
		runs++
		story = append(story, fmt.Sprint("run ", runs))
		switch runs {
		case 1:
			return Result{}, q.Add(key) // a change during the run
		case 2:
			return Result{}, errors.New("retried, so not done")
		case 3:
			return Result{RequeueAfter: time.Second}, nil
		}
		return Result{}, nil
	}
	within(t, o, 3, reconcile, func(t *testing.T, running *Queue[string]) {
		q = running
		must(t, q.Add("a"))
		time.Sleep(time.Minute)
		synctest.Wait()
		want := "started,run 1,done <nil>,started,run 2,started,run 3,done <nil>,started,run 4,done <nil>"
		if got := strings.Join(story, ","); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestResultPriority(t *testing.T) {
	var order []string
	var hold chan struct{} // made in the bubble of virtual time
	first := true
	reconcile := func(_ context.Context, key string) (Result, error) {
		if key == "hold" {
			<-hold
			return Result{}, nil
		}
		order = append(order, key)
		if first && key == "a" {
			first = false
			return Result{RequeueAfter: time.Second, Priority: new(7)}, nil
		}
		return Result{}, nil
	}
	within(t, Options[string]{}, 1, reconcile, func(t *testing.T, q *Queue[string]) {
		hold = make(chan struct{})
		must(t, q.Add("a"))
		synctest.Wait()
		must(t, q.Add("hold"))
		synctest.Wait()
		must(t, q.Add("b"))
		must(t, q.AddWith("c", AddOptions{Priority: 6}))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		close(hold)
		synctest.Wait()
		if got := fmt.Sprint(order); got != "[a a c b]" {
			t.Errorf("order %s, want [a a c b]", got)
		}
	})
}
