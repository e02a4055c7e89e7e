package rawwatch_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// hearing is agent with a handler of its own.
func (w *world) hearing(m *checkpointtest.Memory, s rawwatch.SubscriptionOptions[pod], h func(*run, context.Context, rawwatch.Change[pod]) error) (*run, *rawwatch.Subscription[pod]) {
	w.Helper()
	i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(m, rawwatch.CheckpointOptions[pod]{})})
	if err != nil {
		w.Fatal(err)
	}
	r := &run{world: w, Informer: i, audience: new(audience)}
	s.Durable, s.ChangesOnly = true, true
	sub, err := i.Subscribe(func(ctx context.Context, c rawwatch.Change[pod]) error { return h(r, ctx, c) }, s)
	if err != nil {
		w.Fatal(err)
	}
	return r, sub
}

func passesX(i *rawwatch.Item[pod]) bool { return i.Value.Spec.NodeName == "x" }

// TestAckBehindWhatIsTold: the older of two changes is acknowledged. That the object
// may be known again since is not forgotten, nor what was acknowledged.
func TestAckBehindWhatIsTold(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		o := rawwatch.SubscriptionOptions[pod]{ManualAck: true, Filter: func(i *rawwatch.Item[pod]) bool { return i.Value.Spec.NodeName == "x" }}
		memory := new(checkpointtest.Memory)
		var mu sync.Mutex
		var got []rawwatch.Change[pod]
		h := func(r *run, ctx context.Context, c rawwatch.Change[pod]) error {
			mu.Lock()
			defer mu.Unlock()
			if c.Item != nil {
				got = append(got, c)
			}
			return r.handle(ctx, c)
		}
		first, sub := w.hearing(memory, o, h)
		first.begin()
		_ = sub.Ack(got[0].Item.Key(), got[0].Sequence)
		w.pass(2 * time.Second)
		first.take()
		got = nil
		w.moveTo("a", "y")
		w.settle()
		w.moveTo("a", "x")
		first.heard("DELETED stream n/a", "ADDED stream n/a")
		if err := sub.Ack(got[0].Item.Key(), got[0].Sequence); err != nil { // the DELETED
			t.Fatal(err)
		}
		memory = first.kill(memory)
		second, _ := w.hearing(memory, o, h)
		second.begin()
		w.pass(5 * time.Second)
		second.heard("ADDED checkpoint n/a", "SYNCED checkpoint")
	})
}

// TestAckKeepsWhatIsTold: an object that may be known again since the change that is
// acknowledged is told to be gone when it is.
func TestAckKeepsWhatIsTold(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		o := rawwatch.SubscriptionOptions[pod]{ManualAck: true, Filter: passesX}
		memory := new(checkpointtest.Memory)
		var got []rawwatch.Change[pod]
		h := func(r *run, ctx context.Context, c rawwatch.Change[pod]) error {
			if c.Item != nil {
				got = append(got, c)
			}
			return r.handle(ctx, c)
		}
		first, sub := w.hearing(memory, o, h)
		first.begin()
		w.pass(2 * time.Second)
		first.take()
		w.create(pods, "n", "a", onNode("x"))
		w.settle()
		w.moveTo("a", "y")
		w.settle()
		w.moveTo("a", "x")
		first.heard("ADDED stream n/a", "DELETED stream n/a", "ADDED stream n/a")
		if err := sub.Ack(got[1].Item.Key(), got[1].Sequence); err != nil { // the DELETED
			t.Fatal(err)
		}
		memory = first.kill(memory)
		w.delete(pods, "n", "a")
		w.compact()
		second, _ := w.hearing(memory, o, h)
		second.begin()
		w.pass(5 * time.Second)
		second.heard("DELETED relist n/a", "SYNCED relist")
	})
}

// TestOneNoteFails: what could not be noted is with the next that can be.
func TestOneNoteFails(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "b", onNode("x"))
		fails := false
		memory := &checkpointtest.Memory{}
		memory.Fail = func(operation, watch string) error {
			if fails && operation == "note" {
				return errors.New("not now")
			}
			return nil
		}
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(2 * time.Second)
		first.take()
		fails = true
		w.create(pods, "n", "a", onNode("x"))
		first.heard("ADDED stream n/a")
		fails = false
		w.touch(pods, "n", "b", "1") // this note is written
		first.heard("MODIFIED stream n/b")
		memory = first.kill(memory)
		w.delete(pods, "n", "a")
		w.compact()
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(5 * time.Second)
		second.heard("DELETED relist n/a", "SYNCED relist")
	})
}

// TestAckAfterClose: an acknowledgement that comes after the checkpoint was closed
// says that it is not kept.
func TestAckAfterClose(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := new(checkpointtest.Memory)
		var got []rawwatch.Change[pod]
		first, sub := w.hearing(memory, rawwatch.SubscriptionOptions[pod]{ManualAck: true}, func(_ *run, _ context.Context, c rawwatch.Change[pod]) error {
			got = append(got, c)
			return nil
		})
		first.begin().stop()
		memory.Reopen() // nothing is saved any more
		if err := sub.Ack(got[0].Item.Key(), got[0].Sequence); !errors.Is(err, resume.ErrCheckpointClosed) {
			t.Errorf("too late: %v", err)
		}
	})
}

// TestKilledRecreatedAndGone: one DELETED that stands for two objects of one name
// acknowledges both.
func TestKilledRecreatedAndGone(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("1"))
		w.create(pods, "n", "z", onNode("x"))
		o := rawwatch.SubscriptionOptions[pod]{Delivery: rawwatch.Coalesce, MergeRecreated: true}
		memory := new(checkpointtest.Memory)
		slow := false
		h := func(r *run, ctx context.Context, c rawwatch.Change[pod]) error {
			if slow && c.Item != nil && c.Item.Name == "z" {
				time.Sleep(100 * time.Millisecond)
			}
			return r.handle(ctx, c)
		}
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
		w.pass(200 * time.Millisecond) // before the next save
		first.heard("MODIFIED stream n/z", "DELETED stream n/a")
		memory = first.kill(memory)
		slow = false
		second, _ := w.hearing(memory, o, h)
		second.begin()
		w.pass(5 * time.Second)
		second.heard("SYNCED checkpoint")
	})
}
