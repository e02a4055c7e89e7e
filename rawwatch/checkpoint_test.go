package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// run is one process of an agent with a checkpoint.
type run struct {
	*world
	*rawwatch.Informer[pod]
	*audience
	stop func()
}

// agent makes an informer with a checkpoint. begin runs it.
func (w *world) agent(c *checkpointtest.Memory, q rawwatch.Query, o rawwatch.InformerOptions[pod], s rawwatch.SubscriptionOptions[pod]) *run {
	w.Helper()
	if o.Checkpoint == nil {
		o.Checkpoint = rawwatch.CheckpointIn(c, rawwatch.CheckpointOptions[pod]{})
	}
	i, err := rawwatch.NewInformer(w.client, q, o)
	if err != nil {
		w.Fatal(err)
	}
	r := &run{world: w, Informer: i, audience: new(audience)}
	s.Durable = true
	if _, err := i.Subscribe(r.handle, s); err != nil {
		w.Fatal(err)
	}
	return r
}

func (r *run) begin() *run {
	r.world.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			r.Errorf("Run returned %v", err)
		}
	}
	r.Cleanup(r.stop)
	r.settle()
	return r
}

func (r *run) heard(want ...string) {
	r.world.Helper()
	r.world.heard(r.audience, want...)
}

var all = rawwatch.Pods.Query()

// changesOnly is what an agent subscribes with that keeps a state of its own.
var changesOnly = rawwatch.SubscriptionOptions[pod]{ChangesOnly: true}

// kubeSystem makes the server a cluster of its own.
func (w *world) kubeSystem() {
	w.create(watchtest.Namespaces, "", "kube-system")
}

// TestCheckpointResumes: the second process has its state before the network,
// goes on without a list, and hears what happened meanwhile.
func TestCheckpointResumes(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		w.create(pods, "n", "b", onNode("y"))
		w.create(pods, "n", "c", onNode("y"))
		var memory checkpointtest.Memory
		first := w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, rawwatch.SubscriptionOptions[pod]{}).begin()
		first.heard("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "SYNCED list")
		w.pass(2 * time.Second)
		w.touch(pods, "n", "a", "1")
		w.settle()
		first.heard("MODIFIED stream n/a")
		first.stop()

		w.touch(pods, "n", "b", "1")
		w.delete(pods, "n", "c")
		w.create(pods, "n", "d", onNode("z"))
		w.server.ClearJournal()
		hold := w.server.Inject(watchtest.Fault{Verb: "get", Hold: true, Count: 1})
		second := w.agent(memory.Reopen(), all, rawwatch.InformerOptions[pod]{}, rawwatch.SubscriptionOptions[pod]{}).begin()
		if got := held(second.Informer); got != "n/a=x n/b=y n/c=y" {
			t.Errorf("before the network: %s", got)
		}
		second.heard("ADDED checkpoint n/a", "ADDED checkpoint n/b", "ADDED checkpoint n/c")
		if s := second.Status(); !s.Checkpoint.Unconfirmed || s.Synced || s.Checkpoint.Restored != 3 || s.AsOf.After(time.Now()) {
			t.Errorf("status: %+v %+v", s, s.Checkpoint)
		}
		late := w.subscribe(second.Informer, rawwatch.SubscriptionOptions[pod]{})
		w.heard(late, "ADDED checkpoint n/a", "ADDED checkpoint n/b", "ADDED checkpoint n/c")
		hold.Remove()
		want := []string{"MODIFIED checkpoint n/b", "DELETED checkpoint n/c", "ADDED checkpoint n/d", "SYNCED checkpoint"}
		w.pass(2 * time.Second)
		second.heard(want...)
		w.heard(late, want...)
		if s := second.Status(); s.Checkpoint.Unconfirmed || !s.Synced || len(s.Watches) != 1 || s.Watches[0].Lists != 0 {
			t.Errorf("status: %+v", s)
		}
		w.touch(pods, "n", "a", "2")
		second.heard("MODIFIED stream n/a")
		if got := held(second.Informer); got != "n/a=x n/b=y n/d=z" {
			t.Errorf("in the end: %s", got)
		}
	})
}

// TestCheckpointAfterGap: where the history is gone, a relist tells exact
// differences.
func TestCheckpointAfterGap(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		for i := range 10 {
			w.create(pods, "n", fmt.Sprint("p", i), onNode("x"))
		}
		var memory checkpointtest.Memory
		w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
		w.touch(pods, "n", "p3", "1")
		w.delete(pods, "n", "p4")
		w.delete(pods, "n", "p5")
		w.create(pods, "n", "p5", onNode("z"))
		w.create(pods, "n", "q", onNode("z"))
		w.server.Compact(w.server.Revision())
		again := memory.Reopen()
		second := w.agent(again, all, rawwatch.InformerOptions[pod]{ListWatch: rawwatch.ListWatchOptions{PageLimit: 3}}, changesOnly).begin()
		w.pass(10 * time.Second)
		second.heard("MODIFIED relist n/p3", "DELETED relist n/p4", "DELETED relist n/p5", "ADDED relist n/p5", "ADDED relist n/q", "SYNCED relist")
		second.stop()
		third := w.agent(again.Reopen(), all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(3 * time.Second)
		third.heard("SYNCED checkpoint")

	})
}

// TestCheckpointTellsUnacknowledged: what was not acknowledged is told again,
// what was is not.
func TestCheckpointTellsUnacknowledged(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		w.create(pods, "n", "b", onNode("x"))
		var memory checkpointtest.Memory
		i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(&memory, rawwatch.CheckpointOptions[pod]{})})
		if err != nil {
			t.Fatal(err)
		}
		r := &run{world: w, Informer: i, audience: new(audience)}
		var waiting []rawwatch.Change[pod]
		sub, err := i.Subscribe(func(_ context.Context, c rawwatch.Change[pod]) error {
			if c.Item != nil {
				waiting = append(waiting, c)
			}
			return nil
		}, rawwatch.SubscriptionOptions[pod]{Durable: true, ManualAck: true, ChangesOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		r.begin()
		for _, c := range waiting {
			if err := sub.Ack(c.Item.Key(), c.Sequence); err != nil {
				t.Fatal(err)
			}
		}
		waiting = nil
		w.pass(3 * time.Second)
		w.touch(pods, "n", "a", "1")
		w.touch(pods, "n", "b", "1")
		w.delete(pods, "n", "a")
		w.pass(5 * time.Second)
		if s := i.Status().Checkpoint; s.Unsaved != 3 {
			t.Errorf("%d changes unsaved", s.Unsaved)
		}
		// The second change is acknowledged, the first is not.
		if err := sub.Ack(waiting[1].Item.Key(), waiting[1].Sequence); err != nil {
			t.Fatal(err)
		}
		r.stop()
		again := memory.Reopen()
		second := w.agent(again, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(3 * time.Second)
		second.heard("MODIFIED checkpoint n/a", "DELETED checkpoint n/a", "SYNCED checkpoint")
		second.stop()
		third := w.agent(again.Reopen(), all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(3 * time.Second)
		third.heard("SYNCED checkpoint")
	})
}

// TestCheckpointOfAnother: a state that cannot be gone on from is set aside, and
// what is gone is told where identities allow.
func TestCheckpointOfAnother(t *testing.T) {
	for name, c := range map[string]struct {
		options   rawwatch.CheckpointOptions[pod]
		query     rawwatch.Query
		meanwhile func(*world)
		served    string
		told      []string
		why       string
	}{
		"cluster": {
			query: all, served: "n/a=x n/b=x",
			meanwhile: func(w *world) { w.delete(watchtest.Namespaces, "", "kube-system"); w.kubeSystem() },
			told:      []string{"DELETED relist n/a", "ADDED relist n/c", "SYNCED relist"},
			why:       "another cluster",
		},
		"selector": {
			query: all.WithField("metadata.name!=b"),
			told:  []string{"ADDED list n/c", "DELETED relist n/a", "DELETED relist n/b", "SYNCED list"},
			why:   "another FieldSelector",
		},
		"schema": {
			query: all, options: rawwatch.CheckpointOptions[pod]{Schema: "2"},
			told: []string{"ADDED list n/b", "ADDED list n/c", "DELETED relist n/a", "SYNCED list"},
			why:  "another Schema",
		},
		"history": {
			query: all, served: "n/a=x n/b=x",
			meanwhile: func(w *world) {
				if err := w.server.Rollback(w.server.Revision() - 5); err != nil {
					w.Fatal(err)
				}
				w.delete(pods, "n", "a")
				w.create(pods, "n", "c", onNode("x"))
			},
			told: []string{"DELETED relist n/a", "MODIFIED relist n/b", "ADDED relist n/c", "SYNCED relist"},
			why:  "history was rewritten",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				w.create(pods, "n", "a", onNode("x"))
				w.create(pods, "n", "b", onNode("x"))
				for i := range 5 {
					w.touch(pods, "n", "b", fmt.Sprint(i))
				}
				var memory checkpointtest.Memory
				w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
				if name != "history" {
					w.delete(pods, "n", "a")
					w.create(pods, "n", "c", onNode("x"))
				}
				if c.meanwhile != nil {
					c.meanwhile(w)
				}
				again := memory.Reopen()
				hold := w.server.Inject(watchtest.Fault{Hold: true, Count: 1})
				second := w.agent(again, c.query, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(again, c.options)}, changesOnly).begin()
				if got := held(second.Informer); got != c.served {
					t.Errorf("serves %q", got)
				}
				hold.Remove()
				w.pass(5 * time.Second)
				second.heard(c.told...)
				asides := again.Asides()
				if len(asides) != 1 || asides[0].Objects != 2 || !strings.Contains(asides[0].Reason, c.why) {
					t.Errorf("set aside: %+v", asides)
				}
				second.stop()
				third := again.Reopen()
				last := w.agent(third, c.query, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(third, c.options)}, changesOnly).begin()
				w.pass(5 * time.Second)
				last.heard("SYNCED checkpoint")
				if got, want := held(last.Informer), held(second.Informer); got != want {
					t.Errorf("goes on with %q, not %q", got, want)
				}
			})
		})
	}
}

// TestCheckpointOffline: without a network there is the state, and the wish for
// more.
func TestCheckpointOffline(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		var memory checkpointtest.Memory
		w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
		cut := w.server.Inject(watchtest.Fault{Drop: true, Count: -1})
		second := w.agent(memory.Reopen(), all, rawwatch.InformerOptions[pod]{MaxStaleness: time.Hour}, changesOnly).begin()
		w.pass(50 * time.Minute)
		s := second.Status()
		if held(second.Informer) != "n/a=x" || s.Synced || s.Stale || s.Watches[0].LastError == nil || s.Watches[0].Failures == 0 {
			t.Errorf("after 50 minutes: %+v", s)
		}
		w.pass(20 * time.Minute)
		if s := second.Status(); !s.Stale {
			t.Errorf("after 70 minutes: %+v", s)
		}
		cut.Remove()
		w.pass(2 * time.Minute)
		if s := second.Status(); !s.Synced || s.Stale || s.Checkpoint.Unconfirmed {
			t.Errorf("with a network: %+v", s)
		}
		second.heard("SYNCED checkpoint")
	})
}

// TestCheckpointOnQuietWatch: bookmarks move the saved version, so that a
// restart does not need the history of other resources' changes.
func TestCheckpointOnQuietWatch(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		var memory checkpointtest.Memory
		first := w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.server.Advance(1000)
		w.pass(5 * time.Minute)
		first.stop()
		saved, err := memory.Reopen().Load(t.Context(), "pods")
		if err != nil || saved.ResourceVersion != fmt.Sprint(w.server.Revision()) {
			t.Errorf("saved %v %v, the server is at %d", saved, err, w.server.Revision())
		}
	})
}

// TestCheckpointFails: a checkpoint that does not work is visible, costs
// nothing else, and is whole again once it works.
func TestCheckpointFails(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		broken := errors.New("broken")
		var fails atomic.Bool
		fails.Store(true)
		memory := checkpointtest.Memory{Fail: func(string, string) error {
			if fails.Load() {
				return broken
			}
			return nil
		}}
		first := w.agent(&memory, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(&memory, rawwatch.CheckpointOptions[pod]{MaxUnacknowledged: 10})}, changesOnly).begin()
		if err := first.Status().Checkpoint.Err; err != broken {
			t.Errorf("after a load that failed: %v", err)
		}
		for i := range 100 {
			w.touch(pods, "n", "a", fmt.Sprint(i))
			w.pass(time.Second)
		}
		if lines := first.take(); len(lines) != 102 {
			t.Errorf("%d changes told", len(lines))
		}
		if s := first.Status().Checkpoint; s.Err != broken || !s.LastSave.IsZero() {
			t.Errorf("while it fails: %+v", s)
		}
		fails.Store(false)
		w.pass(time.Minute)
		if s := first.Status().Checkpoint; s.Err != nil || s.Unsaved != 0 || s.LastSave.IsZero() {
			t.Errorf("when it works: %+v", s)
		}
		first.stop()
		second := w.agent(memory.Reopen(), all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(3 * time.Second)
		second.heard("SYNCED checkpoint")
		if got := held(second.Informer); got != "n/a=x" {
			t.Error(got)
		}
	})
}

// TestCheckpointPushesBack: what is not acknowledged is bounded; then the stream
// waits, and nothing is lost.
func TestCheckpointPushesBack(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		var memory checkpointtest.Memory
		i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{
			Checkpoint: rawwatch.CheckpointIn(&memory, rawwatch.CheckpointOptions[pod]{MaxUnacknowledged: 5}),
		})
		if err != nil {
			t.Fatal(err)
		}
		r := &run{world: w, Informer: i, audience: new(audience)}
		sub, err := i.Subscribe(r.handle, rawwatch.SubscriptionOptions[pod]{Durable: true, ManualAck: true})
		if err != nil {
			t.Fatal(err)
		}
		r.begin()
		if err := sub.Ack(decode.Key{Namespace: "n", Name: "a"}, 1); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			w.touch(pods, "n", "a", fmt.Sprint(i))
		}
		w.pass(10 * time.Second)
		if lines := r.take(); len(lines) != 2+5 {
			t.Errorf("%d changes are delivered", len(lines))
		}
		for range 10 {
			if err := sub.Ack(decode.Key{Namespace: "n", Name: "a"}, 1000); err != nil {
				t.Fatal(err)
			}
			w.pass(time.Second)
		}
		if lines := r.take(); len(lines) != 15 || slices.ContainsFunc(lines, func(s string) bool { return s != "MODIFIED stream n/a" }) {
			t.Errorf("then %v", lines)
		}
	})
}

// TestCheckpointOfNamespaces: each namespace goes on by itself, all are in sync
// together.
func TestCheckpointOfNamespaces(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "one", "a", onNode("x"))
		w.create(pods, "two", "b", onNode("y"))
		o := rawwatch.InformerOptions[pod]{Namespaces: []string{"one", "two"}}
		var memory checkpointtest.Memory
		w.agent(&memory, all, o, changesOnly).begin().stop()
		w.touch(pods, "one", "a", "1")
		w.delete(pods, "two", "b")
		o.Checkpoint = nil
		second := w.agent(memory.Reopen(), all, o, changesOnly).begin()
		w.pass(3 * time.Second)
		got := second.take()
		slices.Sort(got)
		if want := []string{"DELETED checkpoint two/b", "MODIFIED checkpoint one/a", "SYNCED checkpoint"}; !slices.Equal(got, want) {
			t.Errorf("heard %v", got)
		}
		if got := held(second.Informer); got != "one/a=x" {
			t.Error(got)
		}
	})
}

// TestCheckpointClaimed: of two informers that would save the same watch in one
// checkpoint the second does not run, until the first has ended; the first goes on.
func TestCheckpointClaimed(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		var memory checkpointtest.Memory
		first := w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		second := w.agent(&memory, all.InNamespace("n"), rawwatch.InformerOptions[pod]{}, changesOnly)
		var wrong *rawwatch.OptionError
		if err := second.Run(w.Context()); !errors.As(err, &wrong) || wrong.Option != "CheckpointOptions.Watch" || !strings.Contains(err.Error(), `"pods"`) {
			t.Errorf("the second: %v", err)
		}
		other := w.agent(&memory, all, rawwatch.InformerOptions[pod]{
			Checkpoint: rawwatch.CheckpointIn(&memory, rawwatch.CheckpointOptions[pod]{Watch: "other"}),
		}, changesOnly).begin()
		w.touch(pods, "n", "a", "1")
		for _, r := range []*run{first, other} {
			r.heard("ADDED list n/a", "SYNCED list", "MODIFIED stream n/a")
			r.stop()
		}
		w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
	})
}

// TestCheckpointNotClaimed: a checkpoint of a type that cannot be compared is used
// all the same.
func TestCheckpointNotClaimed(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		store := struct {
			resume.Checkpoint
			_ []int
		}{Checkpoint: new(checkpointtest.Memory)}
		r := w.agent(nil, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[pod]{})}, changesOnly).begin()
		r.heard("ADDED list n/a", "SYNCED list")
		r.stop()
		if _, err := store.Load(t.Context(), "pods"); err != nil {
			t.Error(err)
		}
	})
}
