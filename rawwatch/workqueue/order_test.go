package workqueue

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// get is the next key; there must be one.
func get[K comparable](t testing.TB, q *Queue[K]) K {
	t.Helper()
	key, err := q.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Done(key); err != nil {
		t.Fatal(err)
	}
	return key
}

func TestHigherPrioritiesFirstAndInOrderOfArrival(t *testing.T) {
	q := mustNew(t, Options[string]{Patience: -1})
	for _, add := range []struct {
		key      string
		priority int
	}{{"low", -100}, {"a", 0}, {"high", 5}, {"b", 0}, {"c", 0}, {"b", 3}, {"low", -200}, {"c", 5}, {"a", -1}} {
		must(t, q.AddWith(add.key, AddOptions{Priority: add.priority}))
	}
	var order []string
	for q.Len() > 0 {
		order = append(order, get(t, q))
	}
	// c was raised to high's priority but came later; b was raised over a.
	if got, want := fmt.Sprint(order), "[high c b a low]"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	must(t, q.Add("low")) // the old priority is gone
	if s := q.Snapshot(); s[0].Priority != 0 {
		t.Errorf("priority %d outlives the run", s[0].Priority)
	}
}

// TestLowPrioritiesAreNotStarved keeps a queue full of new keys of a high
// priority. The rule: a key with n older ones before it is handed out within
// (n+1)*(patience+1) hand-outs.
func TestLowPrioritiesAreNotStarved(t *testing.T) {
	const low, patience = 20, 4
	q := mustNew(t, Options[int]{Patience: patience})
	for key := range low {
		must(t, q.AddWith(key, AddOptions{Priority: -100}))
	}
	next := low
	var served int
	for handOut := 1; served < low; handOut++ {
		for range 2 {
			must(t, q.AddWith(next, AddOptions{Priority: 100}))
			next++
		}
		key := get(t, q)
		if key >= low {
			continue
		}
		if key != served {
			t.Fatalf("low key %d came before %d", key, served)
		}
		if bound := (key + 1) * (patience + 1); handOut > bound {
			t.Fatalf("low key %d was handed out as number %d, promised within %d", key, handOut, bound)
		}
		served++
	}
	strict := mustNew(t, Options[int]{Patience: -1})
	must(t, strict.AddWith(-1, AddOptions{Priority: -100}))
	for key := range 1000 {
		must(t, strict.Add(key))
		if got := get(t, strict); got != key {
			t.Fatalf("with strict priorities, key %d came before %d", got, key)
		}
	}
}

func TestTheEarlierTimeWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := mustNew(t, Options[string]{})
		start := time.Now()
		must(t, q.AddAfter("a", time.Hour))
		must(t, q.AddAfter("a", time.Minute))
		must(t, q.AddAfter("a", 2*time.Hour))
		must(t, q.AddAfter("b", time.Second))
		must(t, q.AddAfter("never", 1<<63-1))
		if q.Len() != 0 {
			t.Errorf("Len %d, delayed keys are not queued", q.Len())
		}
		for _, want := range []struct {
			key string
			at  time.Duration
		}{{"b", time.Second}, {"a", time.Minute}} {
			if key := get(t, q); key != want.key || time.Since(start) != want.at {
				t.Errorf("%s after %v, want %s after %v", key, time.Since(start), want.key, want.at)
			}
		}
		must(t, q.AddAfter("a", time.Hour))
		must(t, q.Add("a"))
		get(t, q)
		if s := q.Stats(); s.Delayed != 1 {
			t.Errorf("the addition did not take the delayed one with it: %+v", s)
		}
		q.ShutDown()
	})
}

func TestGetEndsWithItsContextAndLosesNoKey(t *testing.T) {
	q := mustNew(t, Options[int]{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, q.Add(1))
	if _, err := q.Get(ended); err == nil {
		t.Error("Get with an ended context returns a key")
	}
	get(t, q)
	// Two wait, one key comes, and one of the two gives up at that moment: the
	// other must have the key, unless the first took it.
	for key := range 2000 {
		patient := make(chan int, 1)
		go func() {
			key, _ := q.Get(t.Context())
			patient <- key
		}()
		ctx, cancel := context.WithCancel(t.Context())
		hasty := make(chan bool)
		go func() {
			_, err := q.Get(ctx)
			hasty <- err == nil
		}()
		go cancel()
		must(t, q.Add(key))
		if <-hasty {
			must(t, q.Done(key))
			must(t, q.Add(key))
		}
		select {
		case <-patient:
			must(t, q.Done(key))
		case <-time.After(time.Minute):
			t.Fatal("the key lies there and a waiter was not woken")
		}
	}
	q.check(t)
}

// TestAWakeUpIsPassedOn wakes a waiter and ends its context before it can look.
func TestAWakeUpIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, wakeFirst := range []bool{true, false} {
			q := mustNew(t, Options[int]{})
			patient := make(chan error, 1)
			go func() {
				_, err := q.Get(t.Context())
				patient <- err
			}()
			synctest.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			hasty := make(chan error, 1)
			go func() { // the last to fall asleep, the first to be woken
				_, err := q.Get(ctx)
				hasty <- err
			}()
			synctest.Wait()
			q.mu.Lock()
			if !wakeFirst {
				cancel()
			}
			q.want(q.entries.obtain(1), AddOptions{})
			cancel()
			q.unlock()
			synctest.Wait()
			select {
			case err := <-patient:
				must(t, err)
			default:
				t.Fatalf("the key lies there and nobody was woken (woken first: %v)", wakeFirst)
			}
			if err := <-hasty; err == nil {
				t.Error("Get with an ended context returns a key")
			}
		}
	})
}
