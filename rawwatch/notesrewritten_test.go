package rawwatch_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// states is a subscriber's state by key, in all its lives.
type states map[string]string

func (s states) take(r *run, ctx context.Context, c rawwatch.Change[pod]) error {
	if c.Item != nil {
		if c.Type == rawwatch.Deleted {
			delete(s, c.Item.Key().String())
		} else {
			s[c.Item.Key().String()] = c.Item.Value.Spec.NodeName
		}
	}
	return r.handle(ctx, c)
}

// TestRewrittenAndKilledAgain: the process that has seen that the history was
// rewritten is killed as well. The next one does not believe the versions that were
// noted before, though the server is ahead of them by then.
func TestRewrittenAndKilledAgain(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		w.create(pods, "n", "b", onNode("x"))
		memory := new(checkpointtest.Memory)
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(2 * time.Second)
		first.take()
		w.touch(pods, "n", "b", "1")
		w.touch(pods, "n", "b", "2")
		w.settle()
		w.touch(pods, "n", "a", "1")
		w.settle()
		first.take()
		memory = first.kill(memory)
		w.rollback(3)
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		second.heard() // it knows by now that the history was rewritten
		memory = second.kill(memory)
		w.touch(pods, "n", "a", "other") // older than the note says, by its number
		w.touch(pods, "n", "b", "other")
		w.touch(pods, "n", "b", "other still")
		w.touch(pods, "n", "b", "and another")
		third := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(5 * time.Second)
		third.heard("MODIFIED checkpoint n/a", "MODIFIED checkpoint n/b", "MODIFIED checkpoint n/b", "MODIFIED checkpoint n/b", "SYNCED checkpoint")
	})
}

// TestRewrittenAndListed: what is as it was saved, and not as the subscriber knows
// it, is told again also from a list.
func TestRewrittenAndListed(t *testing.T) {
	for name, saved := range map[string]bool{"the server is behind the notes": false, "the server is behind what is saved": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				w.create(pods, "n", "a", onNode("x"))
				w.create(pods, "n", "b", onNode("x"))
				memory := new(checkpointtest.Memory)
				writes := uint64(3)
				if saved {
					w.create(watchtest.Namespaces, "", "other") // the saved version is newer than all pods
					writes++
				}
				first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(2 * time.Second)
				first.take()
				w.touch(pods, "n", "a", "1")
				w.delete(pods, "n", "b")
				w.create(pods, "n", "c", onNode("x"))
				first.heard("MODIFIED stream n/a", "DELETED stream n/b", "ADDED stream n/c")
				memory = first.kill(memory)
				w.rollback(writes)
				if !saved {
					w.server.Inject(watchtest.Fault{Verb: "watch", Resource: "pods", Status: watchtest.Expired(), Count: 1})
				}
				second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(5 * time.Second)
				second.heard("DELETED relist n/c", "ADDED relist n/a", "ADDED relist n/b", "SYNCED relist")
			})
		})
	}
}

// TestRewrittenForAll: a history that was rewritten shows in the notes of one
// subscription; those of the other do not hold either.
func TestRewrittenForAll(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		w.create(pods, "n", "b", onNode("x"))
		memory := new(checkpointtest.Memory)
		begin := func(stuckAt string) (*run, *audience) {
			one, two := changesOnly, changesOnly
			one.Name, two.Name, two.Durable = "one", "two", true
			r := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, one)
			a := new(audience)
			if _, err := r.Subscribe(func(ctx context.Context, c rawwatch.Change[pod]) error {
				if c.Item != nil && c.Item.Name == stuckAt && c.Type == rawwatch.Modified {
					<-ctx.Done()
					return context.Cause(ctx)
				}
				return a.handle(ctx, c)
			}, two); err != nil {
				t.Fatal(err)
			}
			return r.begin(), a
		}
		first, two := begin("a")
		w.pass(2 * time.Second)
		first.take()
		two.take()
		w.touch(pods, "n", "b", "1")
		w.settle()
		w.touch(pods, "n", "a", "1")
		first.heard("MODIFIED stream n/b", "MODIFIED stream n/a")
		w.heard(two, "MODIFIED stream n/b")
		memory = first.kill(memory)
		w.rollback(2)
		w.touch(pods, "n", "b", "other")
		second, two := begin("")
		w.pass(5 * time.Second)
		second.heard("MODIFIED checkpoint n/b", "ADDED checkpoint n/a", "SYNCED checkpoint")
		w.heard(two, "MODIFIED checkpoint n/b", "SYNCED checkpoint")
	})
}

// TestRewrittenName: a name was used again, and that is taken back.
func TestRewrittenName(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := new(checkpointtest.Memory)
		uids := map[string]string{}
		h := func(r *run, ctx context.Context, c rawwatch.Change[pod]) error {
			if c.Item != nil {
				if c.Type == rawwatch.Deleted {
					delete(uids, c.Item.UID)
				} else {
					uids[c.Item.UID] = c.Item.Value.Spec.NodeName
				}
			}
			return r.handle(ctx, c)
		}
		first, _ := w.hearing(memory, changesOnly, h)
		first.begin()
		w.pass(2 * time.Second)
		first.take()
		w.delete(pods, "n", "a")
		w.settle()
		w.create(pods, "n", "a", onNode("y"))
		first.heard("DELETED stream n/a", "ADDED stream n/a")
		memory = first.kill(memory)
		w.rollback(2)
		second, _ := w.hearing(memory, changesOnly, h)
		second.begin()
		w.pass(5 * time.Second)
		second.heard("DELETED checkpoint n/a", "ADDED checkpoint n/a", "SYNCED checkpoint")
		if len(uids) != 1 {
			t.Errorf("the subscriber knows %v, the store %s", uids, held(second.Informer))
		}
	})
}

// TestKilledWithAnotherSchema: when a T means something else, everything is told
// anew, whatever was acknowledged.
func TestKilledWithAnotherSchema(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		w.create(pods, "n", "b", onNode("x"))
		memory := new(checkpointtest.Memory)
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(2 * time.Second)
		first.take()
		w.touch(pods, "n", "a", "1")
		first.heard("MODIFIED stream n/a")
		memory = first.kill(memory)
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(memory, rawwatch.CheckpointOptions[pod]{Schema: "2"})}, changesOnly).begin()
		w.pass(5 * time.Second)
		second.heard("ADDED list n/a", "ADDED list n/b", "SYNCED list")
	})
}

// TestRewrittenWhileRunning: a process that sees its history rewritten, and is killed
// before its subscriber has taken that in, has noted it.
func TestRewrittenWhileRunning(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("0"))
		w.create(pods, "n", "b", onNode("x"))
		memory := new(checkpointtest.Memory)
		know := states{}
		stuck := false
		i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(memory, rawwatch.CheckpointOptions[pod]{Interval: 10 * time.Minute})})
		if err != nil {
			t.Fatal(err)
		}
		first := &run{world: w, Informer: i, audience: new(audience)}
		o := changesOnly
		o.Durable = true
		if _, err := i.Subscribe(func(ctx context.Context, c rawwatch.Change[pod]) error {
			if stuck {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return know.take(first, ctx, c)
		}, o); err != nil {
			t.Fatal(err)
		}
		first.begin()
		w.pass(20 * time.Minute)
		first.take()
		for n := range 5 {
			w.moveTo("a", fmt.Sprint("old", n))
		}
		w.settle()
		first.take()
		stuck = true
		w.rollback(5)
		w.moveTo("a", "new")
		w.pass(5 * time.Minute)
		memory = first.kill(memory)
		for n := range 10 {
			w.touch(pods, "n", "b", fmt.Sprint(n))
		}
		second, _ := w.hearing(memory, changesOnly, know.take)
		second.begin()
		w.pass(5 * time.Second)
		if know["n/a"] != "new" {
			t.Errorf("the subscriber knows %v, the store %s", know, held(second.Informer))
		}
	})
}

// TestRewrittenAndRefused: the server does not say at once where it stands.
func TestRewrittenAndRefused(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := new(checkpointtest.Memory)
		know := states{}
		first, _ := w.hearing(memory, changesOnly, know.take)
		first.begin()
		w.pass(2 * time.Second)
		for n := range 5 {
			w.moveTo("a", fmt.Sprint("old", n))
		}
		w.settle()
		memory = first.kill(memory)
		w.rollback(5)
		w.moveTo("a", "new")
		w.server.Inject(watchtest.Fault{Verb: "list", Resource: "pods", Status: watchtest.TooManyRequests(1), Count: 1})
		second, _ := w.hearing(memory, changesOnly, know.take)
		second.begin()
		w.pass(5 * time.Second)
		if know["n/a"] != "new" {
			t.Errorf("the subscriber knows %v, the store %s", know, held(second.Informer))
		}
	})
}
