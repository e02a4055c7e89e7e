package rawwatch

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

var errTest = errors.New("the disk is full")

// even is a backoff of whole seconds.
var even = resume.Backoff{Min: time.Second, Max: 4 * time.Second, Jitter: -1}

// TestRetry: a failing handler gets the change again, each time later, and the
// rest waits; others go on.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var calm, got recorder
		var failures []error
		failing := 3
		begin := time.Now()
		s := w.subscribe(func(ctx context.Context, c Change[val]) error {
			_ = got.handle(ctx, c)
			if failing--; failing >= 0 {
				return errTest
			}
			return nil
		}, SubscriptionOptions[val]{Name: "disk", Backoff: even, OnError: func(err error) { failures = append(failures, err) }})
		w.subscribe(calm.handle, SubscriptionOptions[val]{})
		w.add("a")
		w.add("b")
		synctest.Wait()
		expect(t, "the calm one", calm.take(), "ADDED a 1", "ADDED b 2")
		expect(t, "the failing one", got.take(), "ADDED a 1")
		if s.Acknowledged() != 0 {
			t.Error("a failure counts as acknowledged")
		}
		time.Sleep(time.Hour)
		expect(t, "the failing one", got.take(), "ADDED a 1", "ADDED a 1", "ADDED a 1", "ADDED b 2")
		stats := s.Stats()
		if stats.Retried != 3 || stats.Delivered != 2 || stats.Dropped != 0 || stats.Lag != 0 || s.Acknowledged() != 2 {
			t.Errorf("%+v", stats)
		}
		if waited := stats.LastErrorTime.Sub(begin); waited != 3*time.Second {
			t.Errorf("the third failure came after %v, want 1s + 2s", waited)
		}
		var failure *HandlerError
		if len(failures) != 3 || !errors.As(failures[2], &failure) || !errors.Is(failure, errTest) || failure.Attempt != 3 || failure.Key != nsKey("a") {
			t.Errorf("reported: %v", failures)
		}
		if want := "subscription disk: handler of ns/a, attempt 3: the disk is full"; failure.Error() != want {
			t.Errorf("got  %s\nwant %s", failure, want)
		}
		w.stop()
	})
}

// TestDropped: what failed too often is given up, said, and acknowledged.
func TestDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var log bytes.Buffer
		w.subs.log = slog.New(slog.NewTextHandler(&log, nil))
		for _, manual := range []bool{false, true} {
			calls := 0
			s := w.batches(func(_ context.Context, batch []Change[val]) error {
				calls++
				return errTest
			}, SubscriptionOptions[val]{Attempts: 3, ManualAck: manual, BatchDelay: time.Second})
			w.add("a")
			w.add("b")
			time.Sleep(time.Hour)
			stats := s.Stats()
			if calls%3 != 0 || stats.Dropped == 0 || stats.Delivered != 0 || stats.Acknowledged != w.subs.sequence || stats.Unacknowledged != 0 {
				t.Errorf("manual %t, %d calls: %+v", manual, calls, stats)
			}
			if !strings.Contains(stats.LastError.Error(), "attempt 3, dropped: the disk is full") {
				t.Error(stats.LastError)
			}
		}
		w.stop()
		if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "dropped=true") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// TestSupersededAttempts: a newer state has attempts of its own, but not without
// end.
func TestSupersededAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var got recorder
		calls := 0 // of the handler alone
		s := w.subscribe(func(ctx context.Context, c Change[val]) error {
			_ = got.handle(ctx, c)
			if calls++; calls == 3 {
				return nil
			}
			return errTest
		}, SubscriptionOptions[val]{Delivery: Coalesce, Attempts: 2, Backoff: resume.Backoff{Min: time.Second, Max: time.Second, Jitter: -1}})
		w.add("a")
		synctest.Wait()
		w.modify("a")
		time.Sleep(time.Minute)
		expect(t, "healed", got.take(), "ADDED a 1", "ADDED a 2", "ADDED a 2")
		if stats := s.Stats(); stats.Dropped != 0 || stats.Delivered != 1 {
			t.Errorf("%+v", stats)
		}
		for range 20 {
			w.modify("a")
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		if stats := s.Stats(); stats.Dropped < 3 || stats.Delivered != 1 || stats.Acknowledged != 22 {
			t.Errorf("%+v", stats)
		}
		w.stop()
	})
}

// TestPanics: a panic anywhere in a subscriber's code is contained, and shows
// where it was but not with what.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		const secret = "hunter2"
		var got, calm recorder
		var failures []*HandlerError
		boom := func() bool { panic(secret) }
		w.subscribe(func(ctx context.Context, c Change[val]) error {
			_ = got.handle(ctx, c)
			if c.Item.Name == "b" {
				_ = []int{}[c.Item.Value.Group]
			}
			boom()
			return nil
		}, SubscriptionOptions[val]{
			Attempts:   1,
			Filter:     func(i *Item[val]) bool { return i.Name != "a" || boom() },
			Predicates: []Predicate[val]{func(_, _ *Item[val]) bool { return boom() }},
			OnError: func(err error) {
				failures = append(failures, err.(*HandlerError))
				boom()
			},
		})
		w.subscribe(calm.handle, SubscriptionOptions[val]{})
		w.add("a")
		w.add("b")
		w.modify("b")
		synctest.Wait()
		expect(t, "the calm one", calm.take(), "ADDED a 1", "ADDED b 2", "MODIFIED b 3 was 2")
		expect(t, "the other one", got.take(), "ADDED a 1", "ADDED b 2", "MODIFIED b 3 was 2")
		var funcs []string
		for _, f := range failures {
			funcs = append(funcs, f.Func)
			var contained *PanicError
			if !errors.As(f, &contained) || strings.Contains(f.Error(), secret) || !strings.Contains(string(f.Stack), "TestPanics") || bytes.Contains(f.Stack, []byte(secret)) {
				t.Errorf("%v\n%s", f, f.Stack)
			}
		}
		expect(t, "failures", funcs, "filter", "handler", "handler", "predicate", "handler")
		if got := failures[2].Error(); !strings.HasSuffix(got, "panic: runtime error: index out of range [0] with length 0") {
			t.Error(got)
		}
		if got := failures[1].Error(); !strings.HasSuffix(got, "panic: a value of type string") {
			t.Error(got)
		}
		w.stop()
	})
}

// TestGoexit: a handler that ends its goroutine ends its subscription, and
// nobody waits for it.
func TestGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		s := w.subscribe(func(context.Context, Change[val]) error {
			runtime.Goexit()
			return nil
		}, SubscriptionOptions[val]{QueueSize: 1})
		for range 3 {
			w.add("a")
			w.remove("a")
		}
		<-s.Done()
		if err := s.Close(t.Context()); err != ErrSubscriptionClosed {
			t.Errorf("close: %v", err)
		}
		w.stop()
	})
}

// TestSuperseded: where changes coalesce, a newer state heals what failed.
func TestSuperseded(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(w *fanWorld)
		want []string
	}{
		{"a newer state", func(w *fanWorld) { w.modify("a") }, []string{"ADDED a 1", "ADDED a 2"}},
		{"gone", func(w *fanWorld) { w.remove("a") }, []string{"ADDED a 1", "DELETED a 2"}},
		{"gone and back", func(w *fanWorld) { w.remove("a"); w.event(Added, "a", "other", 0) }, []string{"ADDED a 1", "DELETED a 2", "ADDED a 3"}},
		{"out of the filter", func(w *fanWorld) { w.event(Modified, "a", "u-a", 9) }, []string{"ADDED a 1", "DELETED a 1"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newFan(t)
			var got recorder
			s := w.subscribe(func(ctx context.Context, c Change[val]) error {
				_ = got.handle(ctx, c)
				if c.Item.Value.N == 1 && c.Type == Added {
					return errTest
				}
				return nil
			}, SubscriptionOptions[val]{
				Delivery: Coalesce, Attempts: RetryForever, Backoff: even,
				Filter: func(i *Item[val]) bool { return i.Value.Group != 9 },
			})
			w.add("a")
			synctest.Wait()
			c.then(w)
			synctest.Wait()
			if s.Acknowledged() != 0 {
				t.Errorf("%s: acknowledged %d before it was taken", c.name, s.Acknowledged())
			}
			time.Sleep(time.Minute)
			expect(t, c.name, got.take(), c.want...)
			if s.Acknowledged() != w.subs.sequence {
				t.Errorf("%s: acknowledged %d of %d", c.name, s.Acknowledged(), w.subs.sequence)
			}
			w.stop()
		})
	}
}
