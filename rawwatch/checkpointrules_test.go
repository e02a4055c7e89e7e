package rawwatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestCheckpointKnowsTheCluster: by the uid of kube-system; where that is
// forbidden or not there, by address and authorities; or by what the user says,
// and then nobody is asked.
func TestCheckpointKnowsTheCluster(t *testing.T) {
	for name, c := range map[string]struct {
		given   string
		prepare func(*world)
		want    []string // parts of the identity
		gets    int      // of namespaces, in two lives
	}{
		"kube-system": {prepare: func(w *world) { w.kubeSystem() }, want: []string{"kube-system:"}, gets: 2},
		"not there":   {prepare: func(*world) {}, want: []string{"server:", " ca:"}, gets: 2},
		"forbidden": {prepare: func(w *world) {
			w.kubeSystem()
			w.server.Deny(watchtest.Denial{User: "admin", Verb: "get", Resource: "namespaces"})
		}, want: []string{"server:", " ca:"}, gets: 2},
		"given": {given: "the cluster at the corner", prepare: func(*world) {}, want: []string{"the cluster at the corner"}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				c.prepare(w)
				w.create(pods, "n", "a", onNode("x"))
				w.server.ClearJournal()
				memory := new(checkpointtest.Memory)
				for _, synced := range []string{"SYNCED list", "SYNCED checkpoint"} {
					o := rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(memory, rawwatch.CheckpointOptions[pod]{Cluster: c.given})}
					r := w.agent(memory, all, o, changesOnly).begin()
					w.pass(3 * time.Second)
					lines := r.take()
					if last := lines[len(lines)-1]; last != synced {
						t.Errorf("%v, want %s", lines, synced)
					}
					r.stop()
					memory = memory.Reopen()
				}
				saved, err := memory.Load(t.Context(), "pods")
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range c.want {
					if !strings.Contains(saved.Identity.Cluster, part) {
						t.Errorf("the cluster is %q, without %q", saved.Identity.Cluster, part)
					}
				}
				if gets := len(w.requests("get")); gets != c.gets {
					t.Errorf("asked %d times which cluster it is, want %d", gets, c.gets)
				}
			})
		})
	}
}

// commits is a checkpoint that says when it was given how much.
type commits struct {
	*checkpointtest.Memory
	at   []time.Time
	size []int
}

func (c *commits) Commit(ctx context.Context, watch string, b *resume.Batch, version string) error {
	c.at = append(c.at, time.Now())
	c.size = append(c.size, b.Len())
	return c.Memory.Commit(ctx, watch, b, version)
}

// TestCheckpointCollects: by default changes are saved once in a second, or when
// there are a thousand.
func TestCheckpointCollects(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{History: 5000}, func(w *world) {
		w.kubeSystem()
		const objects = 2000
		for n := range objects {
			w.create(pods, "n", fmt.Sprint("p", n), onNode("x"))
		}
		store := &commits{Memory: new(checkpointtest.Memory)}
		o := rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[pod]{})}
		r := w.agent(nil, all, o, changesOnly).begin()
		w.pass(5 * time.Second)
		store.at, store.size = nil, nil
		for n := range 100 {
			w.touch(pods, "n", fmt.Sprint("p", n), "1")
			w.pass(50 * time.Millisecond)
		}
		if n := len(store.at); n < 4 || n > 5 {
			t.Errorf("%d commits in five seconds", n)
		}
		for n := 1; n < len(store.at); n++ {
			if apart := store.at[n].Sub(store.at[n-1]); apart < rawwatch.DefaultCheckpointInterval {
				t.Errorf("commits %v apart", apart)
			}
		}
		w.pass(5 * time.Second)
		store.at, store.size = nil, nil
		begun := time.Now()
		for n := range objects {
			w.touch(pods, "n", fmt.Sprint("p", n), "2")
		}
		w.pass(rawwatch.DefaultCheckpointInterval / 2)
		early := 0 // some of the first thousand may not be acknowledged yet
		for _, size := range store.size {
			early += size
		}
		if early < rawwatch.DefaultCheckpointBatchSize/2 {
			t.Errorf("of %d changes at once %d are saved within half the interval, in commits of %v since %v", objects, early, store.size, begun)
		}
		r.stop()
	})
}

// TestCheckpointOfSuperseded: a state that was never delivered, because a newer
// one took its place, is acknowledged with that one.
func TestCheckpointOfSuperseded(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		var memory checkpointtest.Memory
		i, err := rawwatch.NewInformer(w.client, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(&memory, rawwatch.CheckpointOptions[pod]{})})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		var seen []string
		_, err = i.Subscribe(func(ctx context.Context, c rawwatch.Change[pod]) error {
			if c.Item == nil {
				return nil
			}
			seen = append(seen, c.Item.ResourceVersion)
			if len(seen) != 2 {
				return nil
			}
			select { // the second change takes its time
			case <-release:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, rawwatch.SubscriptionOptions[pod]{Durable: true, Delivery: rawwatch.Coalesce})
		if err != nil {
			t.Fatal(err)
		}
		r := &run{world: w, Informer: i, audience: new(audience)}
		r.begin()
		version := func() string {
			w.pass(3 * time.Second)
			saved, err := memory.Load(t.Context(), "pods")
			if err != nil {
				t.Fatal(err)
			}
			return saved.ResourceVersion
		}
		before := version()
		var last watchtest.Object
		for n := range 5 {
			last = w.touch(pods, "n", "a", fmt.Sprint(n))
			w.settle()
		}
		if v := version(); v != before {
			t.Errorf("saved up to %s while a change from after %s is in hand", v, before)
		}
		close(release)
		if v := version(); v != last.ResourceVersion || len(seen) != 3 {
			t.Errorf("saved up to %s, want %s; delivered %v", v, last.ResourceVersion, seen)
		}
	})
}

// TestCheckpointSaysWhy: what is set aside, and a checkpoint that cannot be used,
// are in the log with the reason; the store's own health is in the status.
func TestCheckpointSaysWhy(t *testing.T) {
	var log bytes.Buffer
	o := rawwatch.ClientOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	inWorldWith(t, watchtest.Options{}, o, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := new(checkpointtest.Memory)
		w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
		memory = memory.Reopen()
		second := w.agent(memory, all.WithField("metadata.name!=b"), rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(3 * time.Second)
		second.stop()
		broken := &checkpointtest.Memory{Fail: func(string, string) error { return errors.New("no such luck") }}
		third := w.agent(broken, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(3 * time.Second)
		third.stop()
		for _, part := range []string{"will be set aside", "another FieldSelector", "the checkpoint cannot be used", "no such luck"} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("no %q in the log:\n%s", part, log.String())
			}
		}
		store, err := checkpoint.Open(t.Context(), "", checkpoint.Options{MemoryOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		fourth := w.agent(nil, all, rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[pod]{})}, changesOnly).begin()
		w.pass(3 * time.Second)
		if s := fourth.Status().Checkpoint.Store; s.Health != resume.CheckpointMemoryOnly || s.Commits == 0 {
			t.Errorf("the store's status: %+v", s)
		}
		fourth.stop()
	})
}

// TestCheckpointDoesNotTrustProxies: an answer that is no namespace says nothing of
// the cluster, whatever its code; it is asked again.
func TestCheckpointDoesNotTrustProxies(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.kubeSystem()
		w.create(pods, "n", "a", onNode("x"))
		memory := new(checkpointtest.Memory)
		w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
		again := memory.Reopen()
		w.server.Inject(watchtest.Fault{Verb: "get", Count: 1, Answer: &watchtest.Answer{
			Code: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":503}`),
		}})
		second := w.agent(again, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
		w.pass(time.Minute)
		second.heard("SYNCED checkpoint")
		if asides := again.Asides(); len(asides) > 0 {
			t.Errorf("set aside: %+v", asides)
		}
		if gets := len(w.requests("get")); gets != 3 {
			t.Errorf("asked %d times which cluster it is, want 3", gets)
		}
	})
}
