package rawwatch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// newestOf is who coalesces, in batches.
func newestOf(filter func(*rawwatch.Item[pod]) bool) rawwatch.SubscriptionOptions[pod] {
	o := changesOnly
	o.Durable, o.Delivery, o.Filter = true, rawwatch.Coalesce, filter
	return o
}

// taking is an agent whose handler takes a time for each change, in which others
// coalesce; 0 is for ever: it never acknowledges. A batch waits a moment to fill.
func (w *world) taking(m *checkpointtest.Memory, each time.Duration, o rawwatch.SubscriptionOptions[pod]) *run {
	w.Helper()
	i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(m, rawwatch.CheckpointOptions[pod]{})})
	if err != nil {
		w.Fatal(err)
	}
	r := &run{world: w, Informer: i, audience: new(audience)}
	o.BatchSize, o.BatchDelay = 8, 100*time.Millisecond
	if each > 0 {
		o.BatchSize = 1
	}
	_, err = i.SubscribeBatch(func(ctx context.Context, batch []rawwatch.Change[pod]) error {
		for _, c := range batch {
			if err := r.handle(ctx, c); err != nil {
				return err
			}
		}
		if each == 0 && batch[0].Item != nil {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		time.Sleep(each)
		return nil
	}, o)
	if err != nil {
		w.Fatal(err)
	}
	return r.begin()
}

// TestCoalescedAwayAndSaved: what came and went while the handler was slow is not
// told, and does not count as known to it when something in between is saved.
func TestCoalescedAwayAndSaved(t *testing.T) {
	for name, c := range map[string]struct {
		filter     func(*rawwatch.Item[pod]) bool
		come, went func(*world)
		meanwhile  func(*world)
		then       []string
	}{
		"born and gone": {
			come: func(w *world) { w.create(pods, "n", "c", onNode("x")) },
			went: func(w *world) { w.delete(pods, "n", "c") },
			then: []string{"MODIFIED checkpoint n/b", "SYNCED checkpoint"},
		},
		"in the filter and out of it": {
			filter: passesX,
			come:   func(w *world) { w.moveTo("y", "x") },
			went:   func(w *world) { w.moveTo("y", "z") },
			then:   []string{"MODIFIED checkpoint n/b", "SYNCED checkpoint"},
		},
		"in the filter, out of it and in again": {
			filter:    passesX,
			come:      func(w *world) { w.moveTo("y", "x") },
			went:      func(w *world) { w.moveTo("y", "z") },
			meanwhile: func(w *world) { w.moveTo("y", "x"); w.compact() },
			then:      []string{"MODIFIED relist n/b", "ADDED relist n/y", "SYNCED relist"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				w.create(pods, "n", "a", onNode("x"))
				w.create(pods, "n", "b", onNode("x"))
				w.create(pods, "n", "y", onNode("y"))
				o := newestOf(c.filter)
				memory := new(checkpointtest.Memory)
				w.agent(memory, all, rawwatch.InformerOptions[pod]{}, o).begin().stop()
				memory = memory.Reopen()

				first := w.taking(memory, 10*time.Second, o)
				w.pass(20 * time.Second)
				first.heard("SYNCED checkpoint")
				w.touch(pods, "n", "a", "1") // in hand for ten seconds
				w.pass(time.Second)
				c.come(w)
				w.touch(pods, "n", "b", "1")
				c.went(w)
				w.pass(12 * time.Second) // b is in hand, and what came before it is saved
				first.heard("MODIFIED stream n/a", "MODIFIED stream n/b")
				memory = first.kill(memory)
				if c.meanwhile != nil {
					c.meanwhile(w)
				}
				second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, o).begin()
				w.pass(5 * time.Second)
				second.heard(c.then...)
			})
		})
	}
}

// TestFailedAtComingAndGoing: a handler that fails when an object begins to pass the
// filter, and again when it no longer does, does not know it when it passes once more.
func TestFailedAtComingAndGoing(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "y", onNode("y"))
		i := w.informer(all, rawwatch.InformerOptions[pod]{})
		a, failing := new(audience), true // set while the handler does not run
		if _, err := i.Subscribe(func(ctx context.Context, c rawwatch.Change[pod]) error {
			if err := a.handle(ctx, c); err != nil || !failing || c.Item == nil {
				return err
			}
			return errors.New("not now")
		}, rawwatch.SubscriptionOptions[pod]{
			Delivery: rawwatch.Coalesce, Filter: passesX, Attempts: rawwatch.RetryForever,
			Backoff: resume.Backoff{Min: time.Minute, Max: time.Minute},
		}); err != nil {
			t.Fatal(err)
		}
		w.heard(a, "SYNCED store")
		for _, step := range []struct{ node, told string }{
			{"x", "ADDED stream n/y"}, {"z", "DELETED stream n/y"}, {"x", "ADDED stream n/y"},
		} {
			w.moveTo("y", step.node)
			w.pass(2 * time.Minute)
			got := a.take()
			if len(got) == 0 || got[len(got)-1] != step.told {
				t.Errorf("on node %s: told %q, want %s in the end", step.node, got, step.told)
			}
		}
	})
}

// TestCoalescedAwayAndSucceeded: an object came and went while the handler was slow,
// and another took its name, which the handler acknowledged. The next process does not
// tell of the first one: who keeps objects by name would take it for the newer one, and
// would then be told that it is gone, and nothing else.
func TestCoalescedAwayAndSucceeded(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		o := newestOf(nil)
		memory := new(checkpointtest.Memory)
		w.agent(memory, all, rawwatch.InformerOptions[pod]{}, o).begin().stop()
		memory = memory.Reopen()

		first := w.taking(memory, 300*time.Millisecond, o)
		w.pass(20 * time.Second)
		first.heard("SYNCED checkpoint")
		w.touch(pods, "n", "a", "1") // in hand for a moment
		w.pass(100 * time.Millisecond)
		w.create(pods, "n", "c", onNode("x"))
		w.delete(pods, "n", "c")
		w.create(pods, "n", "c", onNode("x"))
		w.pass(550 * time.Millisecond) // c is acknowledged, and nothing is saved
		first.heard("MODIFIED stream n/a", "ADDED stream n/c")
		memory = first.kill(memory)
		w.pausing(map[int]time.Duration{3: quietFor / 2}) // the first c is there, for a while
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, o).begin()
		w.pass(5 * time.Second)
		second.heard("SYNCED checkpoint")
	})
}
