package workqueue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// choices is where a random run takes its decisions from: a generator, or the
// bytes of a fuzzer. ok is false at the end.
type choices func(n int) (choice int, ok bool)

// duel runs a queue and its model side by side.
type duel struct {
	t       testing.TB
	q       *Queue[int]
	m       *model
	history []string
}

const duelKeys = 12

func newDuel(t testing.TB, patience, retries int) *duel {
	q := mustNew(t, Options[int]{
		Patience: patience, MaxRetries: retries,
		Limiter: rate.NewLimiter(rate.Inf, 0), Backoff: Backoff{Base: time.Millisecond, Max: 100 * time.Millisecond, Jitter: -1},
	})
	return &duel{t: t, q: q, m: &model{keys: map[int]*modelKey{}, patience: patience, retries: retries}}
}

func (d *duel) fatalf(format string, args ...any) {
	d.t.Helper()
	first := max(0, len(d.history)-60)
	d.t.Fatalf("%s\nhistory, step %d on: %q", fmt.Sprintf(format, args...), first, d.history[first:])
}

func (d *duel) note(format string, args ...any) {
	d.history = append(d.history, fmt.Sprintf(format, args...))
}

// step does one operation on both; false when the choices are used up.
func (d *duel) step(choose choices) bool {
	op, _ := choose(16)
	key, _ := choose(duelKeys)
	arg, ok := choose(256)
	if !ok {
		return false
	}
	delay := time.Duration(arg) * time.Millisecond / 4
	switch {
	case op < 3:
		d.add(key, 0, 0)
	case op < 5:
		d.add(key, arg%5-2, 0)
	case op < 7:
		d.add(key, arg%3, delay)
	case op < 11:
		d.get()
	case op < 13:
		d.done(key)
	case op == 13:
		d.retry(key)
	case op == 14:
		d.note("forget %d", key)
		d.q.Forget(key)
		d.m.forget(key)
	default:
		d.sleep(delay)
	}
	d.compare()
	return true
}

func (d *duel) add(key, priority int, after time.Duration) {
	d.note("add %d priority %d after %v", key, priority, after)
	err := d.q.AddWith(key, AddOptions{Priority: priority, After: after})
	if accepted := d.m.add(key, priority, after); accepted != (err == nil) {
		d.fatalf("AddWith: %v, the model says accepted = %v", err, accepted)
	}
}

func (d *duel) get() {
	want, ready := d.m.get()
	if !ready && !d.m.closed && d.m.nextDue() <= d.m.now+1 {
		return // would race with the timeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), 1)
	defer cancel()
	got, err := d.q.Get(ctx)
	d.note("get: %d, %v", got, err)
	switch {
	case ready && (err != nil || got != want):
		d.fatalf("Get: %d, %v; the model says %d", got, err, want)
	case !ready && err == nil:
		d.fatalf("Get: %d; the model says that nothing is ready", got)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		d.m.advance(1)
	}
}

func (d *duel) done(key int) {
	err := d.q.Done(key)
	d.note("done %d: %v", key, err)
	if was := d.m.done(key); was != (err == nil) {
		d.fatalf("Done(%d): %v, the model says in work = %v", key, err, was)
	}
}

func (d *duel) retry(key int) {
	if d.m.closed {
		return
	}
	got, err := d.q.Retry(key)
	d.note("retry %d: %v, %v", key, got, err)
	want, retried := d.m.retry(key, func(failures int) time.Duration {
		return min(time.Millisecond<<min(failures-1, 10), 100*time.Millisecond)
	})
	if got != want || retried != (err == nil) {
		d.fatalf("Retry(%d): %v, %v; the model says %v, %v", key, got, err, want, retried)
	}
}

func (d *duel) sleep(delay time.Duration) {
	d.note("sleep %v", delay)
	time.Sleep(delay)
	synctest.Wait()
	d.m.advance(delay)
}

// compare looks at everything that both know.
func (d *duel) compare() {
	d.q.check(d.t)
	all := d.q.Snapshot()
	if len(all) != len(d.m.keys) {
		d.fatalf("%d keys, the model has %d", len(all), len(d.m.keys))
	}
	for _, got := range all {
		k := d.m.keys[got.Key]
		if k == nil {
			d.fatalf("the queue remembers %+v, the model does not", got)
		}
		want := KeyStatus[int]{Key: k.key, Queued: k.waits == "ready" || k.waits == "behind", InFlight: k.work, Priority: k.priority, Failures: k.failures}
		if k.waits == "" {
			want.Priority = k.workPrio
		}
		if k.waits == "delayed" {
			want.ReadyIn = k.due - d.m.now
		}
		if got != want {
			d.fatalf("%+v, the model says %+v", got, want)
		}
	}
	s := d.q.Stats()
	if s.Queued != len(d.m.those("ready")) || s.Queued != d.q.Len() || s.Delayed != len(d.m.those("delayed")) || s.Keys != len(all) {
		d.fatalf("stats %+v do not fit the model", s)
	}
}

// finish shuts both down and works until nothing is left.
func (d *duel) finish() {
	d.note("shut down")
	d.q.ShutDown()
	d.m.shutDown()
	d.compare()
	for len(d.m.those("ready"))+len(d.m.those("behind")) > 0 {
		for _, k := range d.m.keys {
			if k.work {
				d.done(k.key)
			}
		}
		d.get()
		d.compare()
	}
	for key := range duelKeys {
		d.done(key)
	}
	if err := d.q.ShutDownWithDrain(d.t.Context()); err != nil {
		d.fatalf("not drained: %v", err)
	}
	if _, err := d.q.Get(d.t.Context()); err == nil {
		d.fatalf("a key after the end")
	}
	d.compare()
}

func TestQueueAgainstTheModel(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			d := newDuel(t, []int{-1, 1, 3, 10}[seed%4], int(seed%3)*2)
			for range 1000 {
				d.step(func(n int) (int, bool) { return random.IntN(n), true })
			}
			d.finish()
		})
	}
}

func FuzzQueueAgainstTheModel(f *testing.F) {
	f.Add([]byte("\x01adding, getting, retrying, and forgetting"))
	f.Add(bytes.Repeat([]byte("MA0"), 50)) // fails so often that doubling overflows
	f.Add([]byte{2, 0, 1, 0, 0, 2, 0, 7, 0, 0, 13, 1, 0, 0, 1, 9, 11, 1, 0, 15, 0, 255, 7, 0, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		synctest.Test(t, func(t *testing.T) {
			d := newDuel(t, 1+len(script)%4, len(script)%3)
			for d.step(func(n int) (int, bool) {
				if len(script) == 0 {
					return 0, false
				}
				choice := int(script[0]) % n
				script = script[1:]
				return choice, true
			}) {
			}
			d.finish()
		})
	})
}
