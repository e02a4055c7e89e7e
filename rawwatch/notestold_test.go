package rawwatch_test

import (
	"context"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestKilledAndLagging: a server that says nothing for seconds has not told all that
// happened meanwhile, where it was ahead of that.
func TestKilledAndLagging(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := new(checkpointtest.Memory)
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(2 * time.Second)
		first.take()
		w.touch(pods, "n", "a", "1")
		first.heard("MODIFIED stream n/a")
		memory = first.kill(memory)
		w.pausing(map[int]time.Duration{1: 3 * time.Second})
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(10 * time.Second)
		second.heard("SYNCED checkpoint")
	})
}

// TestNotedUntilSaved: that an object is gone of which only the subscriber knew stays
// noted until a state is saved that says so.
func TestNotedUntilSaved(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		w.create(pods, "n", "b", onNode("x"))
		memory := new(checkpointtest.Memory)
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(2 * time.Second)
		first.take()
		w.touch(pods, "n", "a", "1")
		w.create(pods, "n", "c", onNode("x"))
		first.heard("MODIFIED stream n/a", "ADDED stream n/c")
		memory = first.kill(memory)
		w.delete(pods, "n", "c")
		// The stream breaks after one frame; one server of several has no history.
		w.server.Inject(watchtest.Fault{Verb: "watch", Resource: "pods", Cut: watchtest.Truncate, AfterFrames: 1, Count: 1})
		w.server.Inject(watchtest.Fault{Verb: "watch", Resource: "pods", Status: watchtest.Expired(), Count: 1})
		o := rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(memory, rawwatch.CheckpointOptions[pod]{Interval: 10 * time.Second})}
		second := w.agent(memory, all, o, changesOnly)
		// Somebody else is slow, and holds up the stream in the midst of the event.
		stuck := func(ctx context.Context, c rawwatch.Change[pod]) error { <-ctx.Done(); return nil }
		if _, err := second.Subscribe(stuck, rawwatch.SubscriptionOptions[pod]{QueueSize: 2, Name: "slow"}); err != nil {
			t.Fatal(err)
		}
		second.begin()
		w.pass(20 * time.Second)

		second.heard("DELETED relist n/c", "SYNCED relist")
		memory = second.kill(memory)
		third := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(5 * time.Second)
		third.heard("SYNCED checkpoint")
	})
}

// TestKilledThenResync: nobody is brought back to what was saved by a resync.
func TestKilledThenResync(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("old"))
		w.create(pods, "n", "b", onNode("x"))
		memory := new(checkpointtest.Memory)
		know := states{}
		first, _ := w.hearing(memory, changesOnly, know.take)
		first.begin()
		w.pass(2 * time.Second)
		first.take()
		w.moveTo("a", "new")
		w.delete(pods, "n", "b")
		first.heard("MODIFIED stream n/a", "DELETED stream n/b")
		memory = first.kill(memory)
		hold := w.server.Inject(watchtest.Fault{Drop: true, Count: -1})
		o := changesOnly
		o.Resync = 10 * time.Second
		second, _ := w.hearing(memory, o, know.take)
		second.begin()
		w.pass(15 * time.Second)
		hold.Remove()
		w.pass(40 * time.Second)
		if lines := second.take(); len(lines) < 2 || lines[0] != "MODIFIED resync n/a" || lines[1] != "SYNCED checkpoint" {
			t.Errorf("heard %v", lines)
		}
		if _, there := know["n/b"]; there || know["n/a"] != "new" {
			t.Errorf("the subscriber knows %v, the store %s", know, held(second.Informer))
		}
	})
}

// TestForeignWithFilter: of a state that cannot be used, who has a filter is told
// that an object does not pass any more, which may have passed.
func TestForeignWithFilter(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*world)
		then      []string
	}{
		"deleted":         {func(w *world) { w.delete(pods, "n", "a") }, []string{"ADDED list n/b", "DELETED relist n/a", "SYNCED list"}},
		"left the filter": {func(w *world) { w.moveTo("a", "y") }, []string{"DELETED list n/a", "ADDED list n/b", "SYNCED list"}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				w.create(pods, "n", "a", onNode("x"))
				w.create(pods, "n", "b", onNode("x"))
				memory := new(checkpointtest.Memory)
				o := changesOnly
				o.Filter = passesX
				w.agent(memory, all, rawwatch.InformerOptions[pod]{}, o).begin().stop()
				c.meanwhile(w)
				memory = memory.Reopen()
				second := w.agent(memory, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(memory, rawwatch.CheckpointOptions[pod]{Schema: "2"})}, o).begin()
				w.pass(5 * time.Second)
				second.heard(c.then...)
			})
		})
	}
}

// TestKilledWithSupersededName: of a name that was used twice, the first that took it
// is acknowledged with the second.
func TestKilledWithSupersededName(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("1"))
		w.create(pods, "n", "z", onNode("x"))
		memory := new(checkpointtest.Memory)
		know := states{}
		slow := false
		h := func(r *run, ctx context.Context, c rawwatch.Change[pod]) error {
			if slow && c.Item != nil && c.Item.Name == "z" {
				time.Sleep(100 * time.Millisecond)
			}
			return know.take(r, ctx, c)
		}
		o := rawwatch.SubscriptionOptions[pod]{Delivery: rawwatch.Coalesce}
		first, _ := w.hearing(memory, o, h)
		first.begin()
		w.pass(2 * time.Second)
		first.take()
		slow = true
		w.touch(pods, "n", "z", "1")
		w.settle()
		w.delete(pods, "n", "a")
		w.create(pods, "n", "a", onNode("2"))
		w.delete(pods, "n", "a")
		w.create(pods, "n", "a", onNode("3"))
		w.pass(200 * time.Millisecond) // before the next save
		first.heard("MODIFIED stream n/z", "DELETED stream n/a", "ADDED stream n/a")
		memory = first.kill(memory)
		slow = false
		w.pausing(map[int]time.Duration{4: time.Millisecond, 5: time.Millisecond}) // between the frames
		second, _ := w.hearing(memory, o, h)
		second.begin()
		w.pass(5 * time.Second)
		if know["n/a"] != "3" {
			t.Errorf("the subscriber knows %v, the store %s", know, held(second.Informer))
		}
	})
}
