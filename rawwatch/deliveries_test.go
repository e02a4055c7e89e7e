package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// kill leaves of a process what its checkpoint holds at this moment.
func (r *run) kill(m *checkpointtest.Memory) *checkpointtest.Memory {
	r.world.Helper()
	r.settle()
	again := m.Reopen() // nothing is saved in m any more
	r.stop()
	return again
}

func (w *world) moveTo(name, node string) {
	w.Helper()
	if _, err := w.server.Patch(pods, "n", name, fmt.Sprintf(`{"spec":{"nodeName":%q}}`, node)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) compact() { w.server.Compact(w.server.Revision()) }

// TestKilledWithUnsaved: a process is killed in the second before its next save.
// The one that follows repeats nothing of what was acknowledged, and tells what is
// gone, also where nobody but the subscriber knows that it was there.
func TestKilledWithUnsaved(t *testing.T) {
	onX := changesOnly
	onX.Filter = func(item *rawwatch.Item[pod]) bool { return item.Value.Spec.NodeName == "x" }
	coalesce := changesOnly
	coalesce.Delivery = rawwatch.Coalesce
	for name, c := range map[string]struct {
		as        rawwatch.SubscriptionOptions[pod]
		before    func(*world) // told, and acknowledged, unsaved
		told      []string
		meanwhile func(*world)
		then      []string
	}{
		"the history is there": {
			before: func(w *world) {
				w.touch(pods, "n", "a", "1")
				w.delete(pods, "n", "b")
				w.create(pods, "n", "c", onNode("x"))
			},
			told: []string{"MODIFIED stream n/a", "DELETED stream n/b", "ADDED stream n/c"},
			then: []string{"SYNCED checkpoint"},
		},
		"the history is gone": {
			before: func(w *world) {
				w.touch(pods, "n", "a", "1")
				w.delete(pods, "n", "b")
				w.create(pods, "n", "c", onNode("x"))
			},
			told:      []string{"MODIFIED stream n/a", "DELETED stream n/b", "ADDED stream n/c"},
			meanwhile: (*world).compact,
			then:      []string{"SYNCED relist"},
		},
		"more has happened": {
			before: func(w *world) { w.touch(pods, "n", "a", "1"); w.create(pods, "n", "c", onNode("x")) },
			told:   []string{"MODIFIED stream n/a", "ADDED stream n/c"},
			meanwhile: func(w *world) {
				w.touch(pods, "n", "a", "2")
				w.touch(pods, "n", "b", "2")
				w.delete(pods, "n", "c")
			},
			then: []string{"MODIFIED checkpoint n/a", "MODIFIED checkpoint n/b", "DELETED checkpoint n/c", "SYNCED checkpoint"},
		},
		"more has happened, the history is gone": {
			before: func(w *world) { w.touch(pods, "n", "a", "1"); w.create(pods, "n", "c", onNode("x")) },
			told:   []string{"MODIFIED stream n/a", "ADDED stream n/c"},
			meanwhile: func(w *world) {
				w.touch(pods, "n", "a", "2")
				w.touch(pods, "n", "b", "2")
				w.delete(pods, "n", "c")
				w.compact()
			},
			then: []string{"MODIFIED relist n/a", "MODIFIED relist n/b", "DELETED relist n/c", "SYNCED relist"},
		},
		"born and gone": {
			before:    func(w *world) { w.create(pods, "n", "c", onNode("x")); w.settle(); w.delete(pods, "n", "c") },
			told:      []string{"ADDED stream n/c", "DELETED stream n/c"},
			meanwhile: (*world).compact,
			then:      []string{"SYNCED relist"},
		},
		"a name used again": {
			before: func(w *world) { w.delete(pods, "n", "a"); w.create(pods, "n", "a", onNode("y")) },
			told:   []string{"DELETED stream n/a", "ADDED stream n/a"},
			meanwhile: func(w *world) {
				w.delete(pods, "n", "a")
				w.create(pods, "n", "a", onNode("z"))
			},
			then: []string{"DELETED checkpoint n/a", "ADDED checkpoint n/a", "SYNCED checkpoint"},
		},
		"a name used again, the history is gone": {
			before: func(w *world) { w.delete(pods, "n", "a"); w.create(pods, "n", "a", onNode("y")) },
			told:   []string{"DELETED stream n/a", "ADDED stream n/a"},
			meanwhile: func(w *world) {
				w.delete(pods, "n", "a")
				w.compact()
			},
			then: []string{"DELETED relist n/a", "SYNCED relist"},
		},
		"a name used twice again, the history is gone": {
			before: func(w *world) { w.delete(pods, "n", "a"); w.create(pods, "n", "a", onNode("y")) },
			told:   []string{"DELETED stream n/a", "ADDED stream n/a"},
			meanwhile: func(w *world) {
				w.delete(pods, "n", "a")
				w.create(pods, "n", "a", onNode("z"))
				w.compact()
			},
			then: []string{"DELETED relist n/a", "ADDED relist n/a", "SYNCED relist"},
		},
		"a new name used again, the history is gone": {
			before: func(w *world) { w.create(pods, "n", "c", onNode("x")) },
			told:   []string{"ADDED stream n/c"},
			meanwhile: func(w *world) {
				w.delete(pods, "n", "c")
				w.create(pods, "n", "c", onNode("z"))
				w.compact()
			},
			then: []string{"DELETED relist n/c", "ADDED relist n/c", "SYNCED relist"},
		},
		"a name used again, as the history tells": {
			before: func(w *world) {
				w.create(pods, "n", "c", onNode("x"))
				w.settle()
				w.delete(pods, "n", "c")
				w.create(pods, "n", "c", onNode("y"))
			},
			told: []string{"ADDED stream n/c", "DELETED stream n/c", "ADDED stream n/c"},
			then: []string{"SYNCED checkpoint"},
		},
		"coalescing": {
			as:     coalesce,
			before: func(w *world) { w.touch(pods, "n", "a", "1"); w.create(pods, "n", "c", onNode("x")) },
			told:   []string{"MODIFIED stream n/a", "ADDED stream n/c"},
			meanwhile: func(w *world) {
				w.touch(pods, "n", "c", "2")
				w.delete(pods, "n", "b")
			},
			then: []string{"MODIFIED checkpoint n/c", "DELETED checkpoint n/b", "SYNCED checkpoint"},
		},
		"it has left the filter": {
			as:        onX,
			before:    func(w *world) { w.moveTo("a", "y") },
			told:      []string{"DELETED stream n/a"},
			meanwhile: func(w *world) { w.moveTo("a", "z"); w.compact() },
			then:      []string{"SYNCED relist"},
		},
		"it has left the filter, and is deleted": {
			as:        onX,
			before:    func(w *world) { w.moveTo("a", "y") },
			told:      []string{"DELETED stream n/a"},
			meanwhile: func(w *world) { w.delete(pods, "n", "a"); w.compact() },
			then:      []string{"SYNCED relist"},
		},
		"it has come into the filter, and is deleted": {
			as:        onX,
			before:    func(w *world) { w.moveTo("y", "x") },
			told:      []string{"ADDED stream n/y"},
			meanwhile: func(w *world) { w.delete(pods, "n", "y"); w.compact() },
			then:      []string{"DELETED relist n/y", "SYNCED relist"},
		},
		"it has come into the filter, and left it": {
			as:        onX,
			before:    func(w *world) { w.moveTo("y", "x") },
			told:      []string{"ADDED stream n/y"},
			meanwhile: func(w *world) { w.moveTo("y", "z"); w.compact() },
			then:      []string{"DELETED relist n/y", "SYNCED relist"},
		},
		"a new one, and left the filter": {
			as:        onX,
			before:    func(w *world) { w.create(pods, "n", "c", onNode("x")) },
			told:      []string{"ADDED stream n/c"},
			meanwhile: func(w *world) { w.moveTo("c", "z"); w.compact() },
			then:      []string{"DELETED relist n/c", "SYNCED relist"},
		},
		"the history is rewritten, and nothing happens in the new one": {
			before: func(w *world) {
				w.touch(pods, "n", "a", "1")
				w.delete(pods, "n", "b")
				w.create(pods, "n", "c", onNode("x"))
			},
			told:      []string{"MODIFIED stream n/a", "DELETED stream n/b", "ADDED stream n/c"},
			meanwhile: func(w *world) { w.rollback(3) },
			then:      []string{"DELETED checkpoint n/c", "ADDED checkpoint n/a", "ADDED checkpoint n/b", "SYNCED checkpoint"},
		},
		"the history is rewritten": {
			before:    func(w *world) { w.touch(pods, "n", "a", "1"); w.create(pods, "n", "c", onNode("x")) },
			told:      []string{"MODIFIED stream n/a", "ADDED stream n/c"},
			meanwhile: func(w *world) { w.rollback(2); w.touch(pods, "n", "a", "other") },
			then:      []string{"MODIFIED checkpoint n/a", "DELETED checkpoint n/c", "SYNCED checkpoint"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				w.create(pods, "n", "a", onNode("x"))
				w.create(pods, "n", "b", onNode("x"))
				w.create(pods, "n", "y", onNode("y"))
				if c.as.Durable = true; !c.as.ChangesOnly {
					c.as.ChangesOnly = true
				}
				memory := new(checkpointtest.Memory)
				first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, c.as).begin()
				w.pass(2 * time.Second)
				first.take()
				c.before(w)
				first.heard(c.told...)
				memory = first.kill(memory)
				if c.meanwhile != nil {
					c.meanwhile(w)
				}
				second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, c.as).begin()
				w.pass(5 * time.Second)
				second.heard(c.then...)
				memory = second.kill(memory)
				third := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, c.as).begin()
				w.pass(5 * time.Second)
				third.heard("SYNCED checkpoint")
				third.stop()
				saved, err := memory.Load(t.Context(), "pods#deliveries")
				if err != nil {
					t.Fatal(err)
				}
				for r := range saved.Objects {
					t.Errorf("a note is left of %s", r.Meta.UID)
				}
			})
		})
	}
}

// rollback takes the last writes back.
func (w *world) rollback(writes uint64) {
	w.Helper()
	if err := w.server.Rollback(w.server.Revision() - writes); err != nil {
		w.Fatal(err)
	}
	for { // the server's process is another; the client finds out with its next request
		if _, err := w.client.GetDocument(w.Context(), "version", rawwatch.DocumentOptions{}); err == nil {
			return
		}
		time.Sleep(time.Second) // virtual
	}
}

// TestKilledAtOnce: before the first list is saved there is nothing but the notes.
func TestKilledAtOnce(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		for _, name := range []string{"a", "b", "c"} {
			w.create(pods, "n", name, onNode("x"))
		}
		memory := new(checkpointtest.Memory)
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		first.heard("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "SYNCED list")
		memory = first.kill(memory)
		if _, err := memory.Load(t.Context(), "pods"); !errors.Is(err, resume.ErrNothingSaved) {
			t.Fatalf("saved already: %v", err)
		}
		w.delete(pods, "n", "a")
		w.touch(pods, "n", "b", "1")
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		second.heard("ADDED list n/b", "DELETED relist n/a", "SYNCED list")
		memory = second.kill(memory)
		third := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		third.heard("SYNCED list")
	})
}

// TestKilledAtOnceRewritten: so the notes alone show that the history was rewritten
// since, and a version in them may be another state by now.
func TestKilledAtOnceRewritten(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := new(checkpointtest.Memory)
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.touch(pods, "n", "a", "1")
		w.create(pods, "n", "b", onNode("x"))
		first.heard("ADDED list n/a", "SYNCED list", "MODIFIED stream n/a", "ADDED stream n/b")
		memory = first.kill(memory)
		w.rollback(2)
		w.touch(pods, "n", "a", "other")
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		second.heard("ADDED list n/a", "DELETED relist n/b", "SYNCED list")
	})
}

// TestKilledInTheHandler: what the handler had in hand is told again, and that it
// is gone when it is.
func TestKilledInTheHandler(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*world)
		then      []string
	}{
		"still there":                       {func(*world) {}, []string{"ADDED checkpoint n/c", "ADDED checkpoint n/d", "SYNCED checkpoint"}},
		"still there, the history is gone":  {(*world).compact, []string{"ADDED relist n/c", "ADDED relist n/d", "SYNCED relist"}},
		"both are gone, as is the history":  {func(w *world) { w.delete(pods, "n", "c"); w.delete(pods, "n", "d"); w.compact() }, []string{"DELETED relist n/c", "SYNCED relist"}},
		"changed, and the history is there": {func(w *world) { w.touch(pods, "n", "c", "1") }, []string{"ADDED checkpoint n/c", "ADDED checkpoint n/d", "MODIFIED checkpoint n/c", "SYNCED checkpoint"}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				memory := new(checkpointtest.Memory)
				w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
				memory = memory.Reopen()

				i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(memory, rawwatch.CheckpointOptions[pod]{})})
				if err != nil {
					t.Fatal(err)
				}
				stuck := changesOnly
				stuck.Durable = true
				if _, err := i.Subscribe(func(ctx context.Context, c rawwatch.Change[pod]) error {
					if c.Item == nil {
						return nil
					}
					<-ctx.Done() // c is in hand, d waits
					return context.Cause(ctx)
				}, stuck); err != nil {
					t.Fatal(err)
				}
				r := (&run{world: w, Informer: i, audience: new(audience)}).begin()
				w.pass(2 * time.Second)
				w.create(pods, "n", "c", onNode("x"))
				w.create(pods, "n", "d", onNode("x"))
				memory = r.kill(memory)
				c.meanwhile(w)
				second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(5 * time.Second)
				second.heard(c.then...)
			})
		})
	}
}

// TestNotesFail: without notes everything goes on; what is unsaved is told again.
func TestNotesFail(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := &checkpointtest.Memory{Fail: func(operation, watch string) error {
			if watch == "pods#deliveries" {
				return errors.New("no room for notes")
			}
			return nil
		}}
		first := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(2 * time.Second)
		first.heard("ADDED list n/a", "SYNCED list")
		w.touch(pods, "n", "a", "1")
		first.heard("MODIFIED stream n/a")
		memory = first.kill(memory)
		memory.Fail = nil
		second := w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(2 * time.Second)
		second.heard("MODIFIED checkpoint n/a", "SYNCED checkpoint")
	})
}

// TestNotesNeedNames: of subscriptions that share a name there are no notes, since
// nobody could tell whose they are; of those with names of their own there are.
func TestNotesNeedNames(t *testing.T) {
	for _, names := range [][2]string{{"one", "two"}, {"same", "same"}} {
		inWorld(t, watchtest.Options{}, func(w *world) {
			w.kubeSystem()
			w.create(pods, "n", "a", onNode("x"))
			memory := new(checkpointtest.Memory)
			begin := func() (first *run, second *audience) {
				one, two := changesOnly, changesOnly
				one.Name, two.Name, two.Durable = names[0], names[1], true
				first = w.agent(memory, all, rawwatch.InformerOptions[pod]{}, one)
				second = w.subscribe(first.Informer, two)
				return first.begin(), second
			}
			one, two := begin()
			w.pass(2 * time.Second)
			w.touch(pods, "n", "a", "1")
			one.heard("ADDED list n/a", "SYNCED list", "MODIFIED stream n/a")
			w.heard(two, "ADDED list n/a", "SYNCED list", "MODIFIED stream n/a")
			memory = one.kill(memory)
			want := []string{"SYNCED checkpoint"}
			if names[0] == names[1] {
				want = []string{"MODIFIED checkpoint n/a", "SYNCED checkpoint"}
			}
			one, two = begin()
			w.pass(2 * time.Second)
			one.heard(want...)
			w.heard(two, want...)
		})
	}
}

// TestSlowIsNotQuiet: while handlers are slow nobody reads the stream, which is not
// the silence that says that all is told. The server's, after it is read again,
// begins anew.
func TestSlowIsNotQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		most, queue int
		pauses      map[int]time.Duration // of the server before a frame
	}{
		"the stream waits for acknowledgements": {most: 1},
		"a full queue holds up the stream":      {queue: 1, pauses: map[int]time.Duration{4: slowFor + quietFor/2}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				memory, want := w.missed("a", "b", "c", "d", "e", "f")
				w.pausing(c.pauses)
				checkpoint := rawwatch.CheckpointIn(memory, rawwatch.CheckpointOptions[pod]{MaxUnacknowledged: c.most})
				i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: checkpoint})
				if err != nil {
					t.Fatal(err)
				}
				r := &run{world: w, Informer: i, audience: new(audience)}
				slow := changesOnly
				slow.Durable, slow.QueueSize = true, c.queue
				if _, err := i.Subscribe(func(ctx context.Context, change rawwatch.Change[pod]) error {
					time.Sleep(slowFor)
					return r.handle(ctx, change)
				}, slow); err != nil {
					t.Fatal(err)
				}
				r.begin()
				w.pass(time.Minute)
				r.heard(append(want, "SYNCED checkpoint")...)
			})
		})
	}
}

const (
	slowFor  = 5 * time.Second
	quietFor = time.Second // of silence mean that all is told
)

// missed makes a checkpoint, and pods that change after it was closed; want is what
// is heard of them.
func (w *world) missed(names ...string) (memory *checkpointtest.Memory, want []string) {
	w.Helper()
	w.kubeSystem()
	for _, name := range names {
		w.create(pods, "n", name, onNode("x"))
	}
	memory = new(checkpointtest.Memory)
	w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
	for _, name := range names {
		w.touch(pods, "n", name, "1")
		want = append(want, "MODIFIED checkpoint n/"+name)
	}
	return memory.Reopen(), want
}

// pausing lets the server pause before frames of the next watch of pods, which are
// counted from 1. What comes before is sent.
func (w *world) pausing(before map[int]time.Duration) {
	frame := 0
	w.server.Inject(watchtest.Fault{Verb: "watch", Resource: pods.Plural, ChunkSize: 1 << 20, Rewrite: func(b []byte) []byte {
		frame++
		time.Sleep(before[frame]) // virtual
		return b
	}})
}
