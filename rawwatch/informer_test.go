package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// pod is what the informers of these tests keep.
type pod struct {
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

// audience collects what a handler is told.
type audience struct {
	mu    sync.Mutex
	lines []string
}

func (a *audience) handle(_ context.Context, c rawwatch.Change[pod]) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	line := string(c.Type) + " " + string(c.Cause)
	if c.Item != nil {
		line += " " + c.Item.Key().String()
	}
	a.lines = append(a.lines, line)
	return nil
}

func (a *audience) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	lines := a.lines
	a.lines = nil
	return lines
}

func (w *world) heard(a *audience, want ...string) {
	w.Helper()
	w.settle()
	if got := a.take(); !slices.Equal(got, want) {
		w.Errorf("heard\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// informer runs an informer until the test ends.
func (w *world) informer(q rawwatch.Query, o rawwatch.InformerOptions[pod]) *rawwatch.Informer[pod] {
	w.Helper()
	i, err := rawwatch.NewInformer(w.client, q, o)
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan error, 1)
	go func() { done <- i.Run(ctx) }()
	w.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			w.Errorf("Run returned %v", err)
		}
	})
	w.settle()
	return i
}

func (w *world) subscribe(i *rawwatch.Informer[pod], o rawwatch.SubscriptionOptions[pod]) *audience {
	w.Helper()
	a := new(audience)
	if _, err := i.Subscribe(a.handle, o); err != nil {
		w.Fatal(err)
	}
	w.settle()
	return a
}

func held(i *rawwatch.Informer[pod]) string {
	var all []string
	for key, item := range i.Store().All() {
		all = append(all, key.String()+"="+item.Value.Spec.NodeName)
	}
	return strings.Join(all, " ")
}

func onNode(name string) string { return fmt.Sprintf(`"spec":{"nodeName":%q}`, name) }

// TestInformer: store and handlers follow the server, through a lost history.
func TestInformer(t *testing.T) {
	for _, encoding := range []rawwatch.Encoding{rawwatch.EncodingAutomatic, rawwatch.EncodingJSON} {
		inProtobufWorld(t, watchtest.Options{}, func(w *world) {
			w.create(pods, "n", "a", onNode("x"))
			w.create(pods, "n", "b", onNode("y"))
			i := w.informer(rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{ListWatch: rawwatch.ListWatchOptions{PageLimit: 1, Encoding: encoding}})
			if err := i.WaitForSync(w.Context()); err != nil || !i.Synced() {
				w.Fatal(err)
			}
			first := w.subscribe(i, rawwatch.SubscriptionOptions[pod]{})
			w.heard(first, "ADDED store n/a", "ADDED store n/b", "SYNCED store")
			w.touch(pods, "n", "a", "1")
			w.delete(pods, "n", "b")
			w.create(pods, "n", "c", onNode("z"))
			w.heard(first, "MODIFIED stream n/a", "DELETED stream n/b", "ADDED stream n/c")
			late := w.subscribe(i, rawwatch.SubscriptionOptions[pod]{Delivery: rawwatch.Coalesce})
			w.heard(late, "ADDED store n/a", "ADDED store n/c", "SYNCED store")

			thaw := w.server.Freeze(watchtest.Selector{})
			w.delete(pods, "n", "a")
			w.create(pods, "n", "d", onNode("w"))
			w.server.Compact(w.server.Revision())
			w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
			thaw()
			w.pass(10 * time.Second)
			want := []string{"DELETED relist n/a", "ADDED relist n/d", "SYNCED relist"}
			w.heard(first, want...)
			w.heard(late, want...)
			if got := held(i); got != "n/c=z n/d=w" {
				w.Errorf("the store holds %s", got)
			}
			s := i.Status()
			if !s.Synced || !s.Running || s.Objects != 2 || len(s.Watches) != 1 || s.Watches[0].Objects != 2 || !s.Watches[0].Connected {
				w.Errorf("status: %+v", s)
			}
			if want := encoding == rawwatch.EncodingAutomatic; (s.Watches[0].Encoding == decode.Protobuf) != want {
				w.Errorf("encoding: %v", s.Watches[0].Encoding)
			}
		})
	}
}

// TestInformerOfSeveralNamespaces: one sync, and nothing of a namespace is seen
// before all of it.
func TestInformerOfSeveralNamespaces(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "one", "a", onNode("x"))
		w.create(pods, "two", "b", onNode("y"))
		w.create(pods, "two", "c", onNode("y"))
		w.create(pods, "three", "not-asked-for")
		hold := w.server.Inject(watchtest.Fault{Verb: "list", Namespace: "two", Skip: 1, Hold: true, Count: 1})
		i := w.informer(rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{
			Namespaces: []string{"two", "one"}, ListWatch: rawwatch.ListWatchOptions{ListFirst: true, PageLimit: 1},
			StoreOptions: rawwatch.StoreOptions[pod]{Indexers: rawwatch.Indexers[pod]{"node": func(i *rawwatch.Item[pod]) []string { return []string{i.Value.Spec.NodeName} }}},
		})
		a := w.subscribe(i, rawwatch.SubscriptionOptions[pod]{})
		w.create(pods, "one", "d", onNode("x"))
		w.heard(a, "ADDED store one/a", "ADDED stream one/d")
		if i.Synced() || held(i) != "one/a=x one/d=x" {
			w.Errorf("synced %v, the store holds %s", i.Synced(), held(i))
		}
		hold.Remove()
		w.pass(time.Minute)
		w.heard(a, "ADDED list two/b", "ADDED list two/c", "SYNCED list")
		if err := i.WaitForSync(w.Context()); err != nil {
			w.Error(err)
		}
		w.delete(pods, "two", "b")
		w.heard(a, "DELETED stream two/b")
		onX := 0
		items, err := i.Store().ByIndex("node", "x")
		if err != nil {
			w.Fatal(err)
		}
		for range items {
			onX++
		}
		if onX != 2 || len(i.Status().Watches) != 2 || held(i) != "one/a=x one/d=x two/c=y" {
			w.Errorf("%d on x, status %+v, the store holds %s", onX, i.Status(), held(i))
		}
	})
}

// TestInformerMisused: each mistake is an error, none a deadlock.
func TestInformerMisused(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		ctx, cancel := context.WithCancel(w.Context())
		i, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{})
		if err != nil {
			w.Fatal(err)
		}
		cancel()
		if err := i.Run(ctx); !errors.Is(err, context.Canceled) {
			w.Errorf("Run with a context that is done: %v", err)
		}
		if err := i.Run(w.Context()); !errors.Is(err, rawwatch.ErrInformerUsed) {
			w.Errorf("a second Run: %v", err)
		}
		if _, err := i.Subscribe(new(audience).handle, rawwatch.SubscriptionOptions[pod]{}); !errors.Is(err, rawwatch.ErrInformerStopped) {
			w.Errorf("Subscribe after the end: %v", err)
		}
		if err := i.WaitForSync(w.Context()); !errors.Is(err, context.Canceled) {
			w.Errorf("WaitForSync after the end: %v", err)
		}
		var option *rawwatch.OptionError
		for _, namespaces := range [][]string{{}, {""}, {"a", "a"}} {
			if _, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{Namespaces: namespaces}); !errors.As(err, &option) {
				w.Errorf("namespaces %q: %v", namespaces, err)
			}
		}
		if _, err := rawwatch.NewInformer(w.client, rawwatch.Nodes.Query(), rawwatch.InformerOptions[pod]{Namespaces: []string{"a"}}); !errors.As(err, &option) {
			w.Errorf("namespaces of nodes: %v", err)
		}
		var wrong *decode.TypeError
		if _, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[chan int]{}); !errors.As(err, &wrong) {
			w.Errorf("a T that cannot be decoded into: %v", err)
		}
		var query *rawwatch.QueryError
		if _, err := rawwatch.NewInformer(w.client, rawwatch.Query{}, rawwatch.InformerOptions[pod]{}); !errors.As(err, &query) {
			w.Errorf("an empty query: %v", err)
		}
	})
}

// TestInformerAudited: an informer's store passes an audit, and heals what one
// finds.
func TestInformerAudited(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a", onNode("x"))
		w.create(pods, "n", "b", onNode("x"))
		var reports []rawwatch.AuditReport
		i := w.informer(rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{ListWatch: rawwatch.ListWatchOptions{
			AuditEvery: time.Hour, OnAudit: func(r rawwatch.AuditReport) { reports = append(reports, r) },
		}})
		w.pass(90 * time.Minute)
		if len(reports) != 1 || reports[0].Err != nil || reports[0].Differences != 0 || reports[0].Objects != 2 {
			w.Fatalf("audit: %+v", reports)
		}
		lost := w.server.Inject(watchtest.Fault{Verb: "watch", Count: -1, Rewrite: func(frame []byte) []byte {
			if strings.Contains(string(frame), "lost") {
				return nil
			}
			return frame
		}})
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(time.Minute)
		w.create(pods, "n", "lost", onNode("y"))
		w.pass(time.Minute)
		if held(i) != "n/a=x n/b=x" {
			w.Fatalf("the fault does not work: %s", held(i))
		}
		lost.Remove()
		w.pass(90 * time.Minute)
		if held(i) != "n/a=x n/b=x n/lost=y" {
			w.Errorf("not healed: %s; %+v", held(i), reports)
		}
	})
}
