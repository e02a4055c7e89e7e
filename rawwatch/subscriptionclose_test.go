package rawwatch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// TestCloseWaits: Close returns when the handler has, or when its context is
// done.
func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		s := w.subscribe(func(context.Context, Change[val]) error {
			time.Sleep(time.Minute) // does not look at its context
			return nil
		}, SubscriptionOptions[val]{})
		w.add("a")
		w.add("b")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Close(ctx); err != context.DeadlineExceeded {
			t.Errorf("close: %v", err)
		}
		if err := s.Close(t.Context()); err != ErrSubscriptionClosed {
			t.Errorf("close again: %v", err)
		}
		<-s.Done()
		if stats := s.Stats(); stats.Delivered != 1 || stats.QueueLength != 0 || stats.Acknowledged != 1 {
			t.Errorf("%+v", stats)
		}
		w.stop()
	})
}

// TestCloseInside: handlers may close their own subscription, each other's, and
// stop everything, with a context that never ends.
func TestCloseInside(t *testing.T) {
	forever := context.Background()
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var s, first, second *Subscription[val]
		var got recorder
		s = w.subscribe(func(ctx context.Context, c Change[val]) error {
			_ = got.handle(ctx, c)
			if err := s.Close(forever); err != nil {
				t.Errorf("own: %v", err)
			}
			return nil
		}, SubscriptionOptions[val]{})
		w.add("a")
		w.add("b")
		<-s.Done()
		expect(t, "after its close", got.take(), "ADDED a 1")

		ready := make(chan struct{})
		first = w.subscribe(func(context.Context, Change[val]) error {
			<-ready
			_ = second.Close(forever)
			return nil
		}, SubscriptionOptions[val]{})
		second = w.subscribe(func(context.Context, Change[val]) error {
			<-ready
			_ = first.Close(forever)
			return nil
		}, SubscriptionOptions[val]{})
		synctest.Wait()
		close(ready)
		<-first.Done()
		<-second.Done()

		last := w.subscribe(func(context.Context, Change[val]) error {
			if err := w.subs.stop(forever); err != nil {
				t.Errorf("stop: %v", err)
			}
			return nil
		}, SubscriptionOptions[val]{})
		<-last.Done()
		if len(w.subs.joining) != 0 || len(w.subs.asking) != 0 {
			t.Error("ended subscriptions are still listed")
		}
	})
}

// TestCloseFreesPublisher: closing who pushes back lets the stream go on.
func TestCloseFreesPublisher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		s := w.subscribe(func(ctx context.Context, _ Change[val]) error {
			<-ctx.Done()
			return nil
		}, SubscriptionOptions[val]{QueueSize: 1})
		go func() {
			time.Sleep(time.Hour)
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		begin := time.Now()
		for _, name := range []string{"a", "b", "c", "d"} {
			w.add(name)
		}
		if took := time.Since(begin); took != time.Hour {
			t.Errorf("held up for %v", took)
		}
		if stats := s.Stats(); stats.Blocking || stats.Blocked != time.Hour {
			t.Errorf("%+v", stats)
		}
		w.stop()
	})
}

// TestCloseInBackoff: neither a wait between attempts nor one for
// acknowledgements outlasts the subscription.
func TestCloseInBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		w.subscribe(func(context.Context, Change[val]) error { return errTest },
			SubscriptionOptions[val]{Attempts: RetryForever, Backoff: resume.Backoff{Min: time.Hour}})
		w.add("a")
		w.add("b")
		w.subscribe(func(context.Context, Change[val]) error { return nil },
			SubscriptionOptions[val]{ManualAck: true, MaxUnacknowledged: 1}) // stuck in what it begins with
		synctest.Wait()
		begin := time.Now()
		w.stop()
		if time.Since(begin) != 0 {
			t.Error("stop had to wait")
		}
	})
}

// TestStopTimesOut: stop says that handlers are still running.
func TestStopTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		w.subscribe(func(context.Context, Change[val]) error { time.Sleep(time.Minute); return nil }, SubscriptionOptions[val]{})
		w.add("a")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.subs.stop(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "have not returned") {
			t.Errorf("stop: %v", err)
		}
		if _, err := w.subs.subscribe(func(context.Context, Change[val]) error { return nil }, SubscriptionOptions[val]{}); err != ErrInformerStopped {
			t.Errorf("subscribe after stop: %v", err)
		}
		w.stop()
	})
}

// TestSubscriptionOptions: what makes no sense is refused, by name.
func TestSubscriptionOptions(t *testing.T) {
	w := newFan(t)
	type options = SubscriptionOptions[val]
	nothing := func(context.Context, []Change[val]) error { return nil }
	for want, o := range map[string]options{
		"Delivery":          {Delivery: 7},
		"QueueSize":         {QueueSize: -1},
		"BatchSize":         {BatchSize: -1},
		"BatchSize ":        {BatchSize: 20, QueueSize: 10},
		"BatchDelay":        {BatchDelay: -1},
		"Resync":            {Resync: time.Millisecond},
		"Resync ":           {Resync: -time.Hour},
		"Attempts":          {Attempts: -2},
		"MaxUnacknowledged": {MaxUnacknowledged: -1},
		"Predicates":        {Predicates: []Predicate[val]{nil}},
	} {
		_, err := w.subs.subscribeBatch(nothing, o)
		var option *OptionError
		if !errors.As(err, &option) || option.Option != "SubscriptionOptions."+strings.TrimSpace(want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	var backoff *resume.OptionError
	if _, err := w.subs.subscribeBatch(nothing, options{Backoff: resume.Backoff{Factor: 0.1}}); !errors.As(err, &backoff) {
		t.Errorf("backoff: %v", err)
	}
	var option *OptionError
	if _, err := w.subs.subscribe(nil, options{}); !errors.As(err, &option) || option.Option != "handler" {
		t.Errorf("nil handler: %v", err)
	}
	if _, err := w.subs.subscribeBatch(nil, options{}); !errors.As(err, &option) || option.Option != "handler" {
		t.Errorf("nil batch handler: %v", err)
	}
	if len(w.subs.list) != 0 || len(w.subs.alive) != 0 {
		t.Error("a refused subscription is listed")
	}
}
