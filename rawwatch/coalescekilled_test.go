package rawwatch_test

import (
	"context"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestCoalesceAfterKill: while the next process's handler is busy with the first
// object, what an earlier one has noted of several objects of one name waits in one
// queue.
func TestCoalesceAfterKill(t *testing.T) {
	type change = rawwatch.Change[pod]
	onX := func(i *rawwatch.Item[pod]) bool { return i.Value.Spec.NodeName == "x" }
	listed := func(c change) bool { return c.Cause == rawwatch.CauseList }
	leftAndUsedAgain := func(w *world) {
		w.touch(pods, "n", "0", "1")
		w.moveTo("a", "y")
		w.settle()
		w.delete(pods, "n", "a")
		w.settle()
		w.create(pods, "n", "a", onNode("x"))
	}
	for name, c := range map[string]struct {
		filter    func(*rawwatch.Item[pod]) bool
		acks      func(change) bool
		node      string // of a
		before    func(*world)
		told      []string
		meanwhile func(*world)
		then      []string
	}{
		"a name used again, told but not acknowledged, and used again": {
			acks: listed, node: "x",
			before: func(w *world) {
				w.touch(pods, "n", "0", "1")
				w.settle()
				w.delete(pods, "n", "a")
				w.settle()
				w.create(pods, "n", "a", onNode("x"))
			},
			told:      []string{"MODIFIED stream n/0", "DELETED stream n/a", "ADDED stream n/a"},
			meanwhile: func(w *world) { w.delete(pods, "n", "a"); w.create(pods, "n", "a", onNode("x")) },
			then:      []string{"MODIFIED checkpoint n/0", "DELETED checkpoint n/a", "DELETED checkpoint n/a", "ADDED checkpoint n/a", "SYNCED checkpoint"},
		},
		"two of one name are gone, of which the second is known": {
			filter: onX, acks: func(change) bool { return true }, node: "y",
			before: func(w *world) { w.delete(pods, "n", "a"); w.settle(); w.create(pods, "n", "a", onNode("x")) },
			told:   []string{"ADDED stream n/a"},
			meanwhile: func(w *world) {
				w.delete(pods, "n", "a")
				w.touch(pods, "n", "0", "1")
				w.compact()
			},
			then: []string{"MODIFIED relist n/0", "DELETED relist n/a", "SYNCED relist"},
		},
		"one has left the filter, the next is known": {
			filter: onX, acks: func(c change) bool { return listed(c) || c.Item.Name == "a" }, node: "x",
			before:    leftAndUsedAgain,
			told:      []string{"MODIFIED stream n/0", "DELETED stream n/a", "ADDED stream n/a"},
			meanwhile: func(w *world) { w.touch(pods, "n", "a", "1") },
			then:      []string{"MODIFIED checkpoint n/0", "MODIFIED checkpoint n/a", "SYNCED checkpoint"},
		},
		"one has left the filter, the next is known and leaves it": {
			filter: onX, acks: func(c change) bool { return listed(c) || c.Item.Name == "a" }, node: "x",
			before:    leftAndUsedAgain,
			told:      []string{"MODIFIED stream n/0", "DELETED stream n/a", "ADDED stream n/a"},
			meanwhile: func(w *world) { w.moveTo("a", "y") },
			then:      []string{"MODIFIED checkpoint n/0", "DELETED checkpoint n/a", "SYNCED checkpoint"},
		},
	} {
		for _, merge := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inProtobufWorld(t, watchtest.Options{}, func(w *world) {
					w.kubeSystem()
					w.create(pods, "n", "0", onNode("x"))
					w.create(pods, "n", "a", onNode(c.node))
					busy := time.Duration(0)
					start := func(m *checkpointtest.Memory) *run {
						i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(m, rawwatch.CheckpointOptions[pod]{})})
						if err != nil {
							w.Fatal(err)
						}
						r := &run{world: w, Informer: i, audience: new(audience)}
						var sub *rawwatch.Subscription[pod]
						sub, err = i.Subscribe(func(ctx context.Context, change change) error {
							if change.Item != nil && c.acks(change) {
								_ = sub.Ack(change.Item.Key(), change.Sequence)
							}
							if change.Item != nil && change.Item.Name == "0" {
								time.Sleep(busy)
							}
							return r.handle(ctx, change)
						}, rawwatch.SubscriptionOptions[pod]{
							Durable: true, ChangesOnly: true, ManualAck: true, Filter: c.filter,
							Delivery: rawwatch.Coalesce, MergeRecreated: merge,
						})
						if err != nil {
							w.Fatal(err)
						}
						return r.begin()
					}
					memory := new(checkpointtest.Memory)
					first := start(memory)
					w.pass(2 * time.Second)
					first.take()
					c.before(w)
					first.heard(c.told...)
					memory = first.kill(memory)
					c.meanwhile(w)
					busy = 5 * time.Second
					second := start(memory)
					w.pass(20 * time.Second)
					second.heard(c.then...)
				})
			})
		}
	}
}
