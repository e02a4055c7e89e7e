package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// labelled and mapped are other views of the same objects: of metadata alone,
// and with a field that protobuf does not have.
type labelled struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
}

type odd struct {
	Spec struct {
		Fancy string `json:"fancy"`
	} `json:"spec"`
}

// group is stopped when the test ends.
func (w *world) group(o rawwatch.GroupOptions) *rawwatch.Group {
	g := rawwatch.NewGroup(w.client, o)
	w.Cleanup(func() {
		if err := g.Stop(context.Background()); err != nil {
			w.Error(err)
		}
	})
	return g
}

func shared[T any](w *world, g *rawwatch.Group, q rawwatch.Query) (*rawwatch.Informer[T], func()) {
	w.Helper()
	i, release, err := rawwatch.Shared(g, q, rawwatch.InformerOptions[T]{})
	if err != nil {
		w.Fatal(err)
	}
	return i, release
}

// heardBy subscribes and collects in a line each.
func heardBy[T any](w *world, i *rawwatch.Informer[T]) *audience {
	w.Helper()
	a := new(audience)
	_, err := i.Subscribe(func(ctx context.Context, c rawwatch.Change[T]) error {
		plain := rawwatch.Change[pod]{Type: c.Type, Cause: c.Cause}
		if c.Item != nil {
			plain.Item = &rawwatch.Item[pod]{Identity: c.Item.Identity}
		}
		return a.handle(ctx, plain)
	}, rawwatch.SubscriptionOptions[T]{})
	if err != nil {
		w.Fatal(err)
	}
	w.settle()
	return a
}

func keys[T any](i *rawwatch.Informer[T]) string {
	var all []string
	for key, item := range i.Store().All() {
		all = append(all, key.Name+"@"+item.ResourceVersion)
	}
	return strings.Join(all, " ")
}

// TestGroupShares: one informer for all who ask for the same, from the first to
// the last and a little longer.
func TestGroupShares(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a", onNode("x"))
		// No watch ends by itself meanwhile.
		long := rawwatch.ListWatchOptions{WatchTimeoutMin: time.Hour, WatchTimeoutMax: 2 * time.Hour, ListFirst: true}
		g := w.group(rawwatch.GroupOptions{Grace: time.Minute, ListWatch: long})
		one, releaseOne := shared[pod](w, g, rawwatch.Pods.Query())
		two, releaseTwo := shared[pod](w, g, rawwatch.Pods.Query())
		if one != two {
			t.Fatal("two informers")
		}
		if err := g.WaitForSync(w.Context()); err != nil {
			t.Fatal(err)
		}
		w.settle()
		w.counts(1, 1)
		if err := one.Run(w.Context()); !errors.Is(err, rawwatch.ErrInformerUsed) {
			t.Errorf("Run of a shared informer: %v", err)
		}
		if s := g.Status(); s.Watches != 1 || len(s.Informers) != 1 || s.Informers[0].Wanted != 2 || !s.Informers[0].Synced || !s.Informers[0].Watches[0].Connected {
			t.Errorf("status: %+v", s)
		}
		if s := g.Statuses(); len(s) != 1 || !s[0].Connected || s[0].Query != rawwatch.Pods.Query() {
			t.Errorf("statuses: %+v", s)
		}
		releaseOne()
		releaseOne()
		w.pass(2 * time.Minute)
		heard := heardBy(w, two)
		w.heard(heard, "ADDED store n/a", "SYNCED store")
		releaseTwo()
		w.pass(30 * time.Second)
		again, release := shared[pod](w, g, rawwatch.Pods.Query())
		if again != one {
			t.Error("another informer within the grace time")
		}
		w.pass(2 * time.Minute)
		w.create(pods, "n", "b", onNode("x"))
		w.heard(heard, "ADDED stream n/b")
		w.counts(1, 1)
		release()
		w.pass(2 * time.Minute)
		select {
		case <-again.Done():
		default:
			t.Error("the informer goes on")
		}
		if s := g.Status(); s.Watches != 0 || len(s.Informers) != 0 || again.Err() == nil || w.server.Watches(watchtest.Selector{}) != 0 {
			t.Errorf("after the end: %+v, %v", s, again.Err())
		}
		if _, ok := again.Get(decode.Key{Namespace: "n", Name: "b"}); !ok {
			t.Error("the store is not readable any more")
		}
		fresh, _ := shared[pod](w, g, rawwatch.Pods.Query())
		if err := fresh.WaitForSync(w.Context()); err != nil || fresh == one {
			t.Errorf("after the end: %v, the same %v", err, fresh == one)
		}
		w.settle()
		w.counts(2, 2)
	})
}

// TestGroupOfTypes: a second type joins the first one's watch. There is one
// list more, of which the first notices nothing, and one watch for both.
func TestGroupOfTypes(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.create(pods, "n", name, onNode("x"))
		}
		g := w.group(rawwatch.GroupOptions{Grace: -1, ListWatch: rawwatch.ListWatchOptions{ListFirst: true}})
		nodes, _ := shared[pod](w, g, rawwatch.Pods.Query())
		w.settle() // in sync
		first := heardBy(w, nodes)
		w.heard(first, "ADDED store n/a", "ADDED store n/b", "ADDED store n/c", "SYNCED store")
		if s := nodes.Status().Watches[0]; s.Encoding != decode.Protobuf {
			t.Errorf("encoding %v", s.Encoding)
		}
		labels, release := shared[labelled](w, g, rawwatch.Pods.Query())
		bare, _ := shared[odd](w, g, rawwatch.Pods.Query())
		second := heardBy(w, labels)
		w.touch(pods, "n", "a", "1") // the first run's last words
		w.heard(first, "MODIFIED stream n/a")
		w.pass(time.Second)
		w.heard(first, "SYNCED relist")
		w.heard(second, "ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "SYNCED list")
		if err := g.WaitForSync(w.Context()); err != nil {
			t.Fatal(err)
		}
		w.counts(2, 2)
		if n := w.server.Watches(watchtest.Selector{}); n != 1 || g.Status().Watches != 1 {
			t.Errorf("%d watches", n)
		}
		if s := labels.Status().Watches[0]; s.Encoding != decode.JSON || s.Plain == nil {
			t.Errorf("encoding %v, plain %v", s.Encoding, s.Plain)
		}
		w.touch(pods, "n", "b", "1")
		w.delete(pods, "n", "c")
		want := []string{"MODIFIED stream n/b", "DELETED stream n/c"}
		w.heard(first, want...)
		w.heard(second, want...)
		if keys(nodes) != keys(labels) || keys(bare) != keys(nodes) || held(nodes) != "n/a=x n/b=x" {
			t.Errorf("%s, %s, %s", keys(nodes), keys(labels), keys(bare))
		}
		release()
		w.pass(time.Second)
		w.delete(pods, "n", "a")
		w.heard(first, "DELETED stream n/a")
		w.heard(second)
		w.counts(2, 2)
	})
}

// TestGroupRelist: all stores of one watch come through a lost history, each
// with what it did not know; objects that were replaced unseen are Deleted,
// then Added, in each.
func TestGroupRelist(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.create(pods, "n", name, onNode("x"))
		}
		g := w.group(rawwatch.GroupOptions{})
		nodes, _ := shared[pod](w, g, rawwatch.Pods.Query())
		labels, _ := shared[labelled](w, g, rawwatch.Pods.Query())
		first, second := heardBy(w, nodes), heardBy(w, labels)
		w.pass(time.Second)
		first.take()
		second.take()
		thaw := w.server.Freeze(watchtest.Selector{})
		w.delete(pods, "n", "a")
		w.delete(pods, "n", "b")
		w.create(pods, "n", "b", onNode("y"))
		w.touch(pods, "n", "c", "1")
		w.create(pods, "n", "d", onNode("x"))
		w.server.Compact(w.server.Revision())
		thaw()
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(time.Minute)
		want := []string{"DELETED relist n/a", "DELETED relist n/b", "ADDED relist n/b", "MODIFIED relist n/c", "ADDED relist n/d", "SYNCED relist"}
		w.heard(first, want...)
		w.heard(second, want...)
		if keys(nodes) != keys(labels) || held(nodes) != "n/b=y n/c=x n/d=x" {
			t.Errorf("%s, %s", held(nodes), keys(labels))
		}
	})
}

// TestGroupStartsTogether: types that ask at once share the first list.
func TestGroupStartsTogether(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		w.create(pods, "m", "b")
		g := w.group(rawwatch.GroupOptions{})
		all := rawwatch.Pods.Query()
		one, _ := shared[pod](w, g, all)
		shared[labelled](w, g, all)
		shared[struct{}](w, g, all)
		shared[odd](w, g, all)
		some, _, err := rawwatch.Shared(g, all, rawwatch.InformerOptions[pod]{Namespaces: []string{"n", "m"}})
		if err != nil {
			t.Fatal(err)
		}
		part, _ := shared[labelled](w, g, all.InNamespace("n"))
		w.pass(time.Second)
		if err := g.WaitForSync(w.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(w.requests("list")); n > 6 || w.server.Watches(watchtest.Selector{}) != 3 || g.Status().Watches != 3 {
			t.Errorf("%d lists, %d watches", n, w.server.Watches(watchtest.Selector{}))
		}
		if keys(one) != keys(some) || one.Store().Len() != 2 || part.Store().Len() != 1 {
			t.Errorf("%s, %s, %s", keys(one), keys(some), keys(part))
		}
	})
}

// TestGroupEnds: a query that is refused for good ends its informers, all of
// them, and tells; the next who asks gets a new one.
func TestGroupEnds(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		enough := errors.New("enough")
		refuse := true
		var ends []string
		g := w.group(rawwatch.GroupOptions{
			ListWatch: rawwatch.ListWatchOptions{ListFirst: true, OnFailure: func(error) error {
				if refuse {
					return enough
				}
				return nil
			}},
			OnEnd: func(q rawwatch.Query, err error) { ends = append(ends, fmt.Sprint(q, " ", err)) },
		})
		fault := w.server.Inject(watchtest.Fault{Verb: "list", Status: &watchtest.StatusError{Code: 403, Reason: "Forbidden", Message: "no"}, Count: -1})
		one, release := shared[pod](w, g, rawwatch.Pods.Query())
		two, _ := shared[labelled](w, g, rawwatch.Pods.Query())
		if err := one.WaitForSync(w.Context()); !errors.Is(err, enough) {
			t.Errorf("WaitForSync: %v", err)
		}
		w.settle()
		if !errors.Is(two.Err(), enough) || len(ends) != 2 || g.Status().Watches != 0 {
			t.Errorf("%v, told %q, %+v", two.Err(), ends, g.Status())
		}
		release()
		fault.Remove()
		refuse = false
		fresh, _ := shared[pod](w, g, rawwatch.Pods.Query())
		if err := fresh.WaitForSync(w.Context()); err != nil || fresh == one {
			t.Error(err)
		}
	})
}

// TestGroupStop: whatever goes on, Stop ends it, and nothing comes after.
func TestGroupStop(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		g := w.group(rawwatch.GroupOptions{})
		i, release := shared[pod](w, g, rawwatch.Pods.Query())
		shared[labelled](w, g, rawwatch.Pods.Query())
		_, idle := shared[odd](w, g, rawwatch.Pods.Query())
		idle()
		stuck := make(chan struct{})
		s, err := i.Subscribe(func(ctx context.Context, _ rawwatch.Change[pod]) error {
			<-ctx.Done()
			<-stuck
			return nil
		}, rawwatch.SubscriptionOptions[pod]{QueueSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		for n := range 20 { // the watch waits for the handler
			w.touch(pods, "n", "a", fmt.Sprint(n))
		}
		w.settle()
		if !s.Stats().Blocking {
			t.Errorf("%+v", s.Stats())
		}
		soon, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		if err := g.Stop(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Stop with a handler that does not return: %v", err)
		}
		if _, _, err := rawwatch.Shared(g, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{}); !errors.Is(err, rawwatch.ErrGroupStopped) {
			t.Errorf("Shared after Stop: %v", err)
		}
		if _, err := i.Subscribe(new(audience).handle, rawwatch.SubscriptionOptions[pod]{}); !errors.Is(err, rawwatch.ErrInformerStopped) {
			t.Errorf("Subscribe after Stop: %v", err)
		}
		close(stuck)
		if err := g.Stop(w.Context()); err != nil {
			t.Error(err)
		}
		if !errors.Is(i.Err(), rawwatch.ErrGroupStopped) || w.server.Watches(watchtest.Selector{}) != 0 {
			t.Errorf("%v, %d watches", i.Err(), w.server.Watches(watchtest.Selector{}))
		}
		release()
		if err := g.WaitForSync(w.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestGroupConflicts: who asks otherwise than the first is told in what.
func TestGroupConflicts(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a", onNode("x"))
		g := w.group(rawwatch.GroupOptions{})
		type options = rawwatch.InformerOptions[pod]
		byNode := rawwatch.IndexBy(func(p *pod) string { return p.Spec.NodeName })
		first := options{StoreOptions: rawwatch.StoreOptions[pod]{Indexers: rawwatch.Indexers[pod]{"node": byNode}}}
		i, _, err := rawwatch.Shared(g, rawwatch.Pods.Query(), first)
		if err != nil {
			t.Fatal(err)
		}
		if err := i.WaitForSync(w.Context()); err != nil {
			t.Fatal(err)
		}
		keep, err := rawwatch.KeepFields[pod]()
		if err != nil {
			t.Fatal(err)
		}
		for option, o := range map[string]options{
			"Keep":           {StoreOptions: rawwatch.StoreOptions[pod]{Keep: keep}},
			"Transform":      {StoreOptions: rawwatch.StoreOptions[pod]{Transform: func(decode.Identity, *pod) error { return nil }}},
			"KeepLabels":     {StoreOptions: rawwatch.StoreOptions[pod]{KeepLabels: true}},
			"OnIndexError":   {StoreOptions: rawwatch.StoreOptions[pod]{OnIndexError: func(*rawwatch.IndexError) {}}},
			"Indexers[node]": {StoreOptions: rawwatch.StoreOptions[pod]{Indexers: rawwatch.Indexers[pod]{"node": rawwatch.IndexBy(func(p *pod) string { return p.Spec.NodeName })}}},
			"ListWatch":      {ListWatch: rawwatch.ListWatchOptions{PageLimit: 7}},
			"StopTimeout":    {StopTimeout: time.Hour},
		} {
			var conflict *rawwatch.GroupConflictError
			if _, _, err := rawwatch.Shared(g, rawwatch.Pods.Query(), o); !errors.As(err, &conflict) || conflict.Option != option {
				t.Errorf("%s: %v", option, err)
			}
		}
		var conflict *rawwatch.GroupConflictError
		if _, _, err := rawwatch.Shared(g, rawwatch.Pods.Query(), rawwatch.InformerOptions[odd]{ListWatch: rawwatch.ListWatchOptions{PageLimit: 7}}); !errors.As(err, &conflict) {
			t.Errorf("another T's ListWatch: %v", err)
		}
		if _, _, err := rawwatch.Shared(g, rawwatch.Query{}, options{}); err == nil {
			t.Error("an empty query")
		}
		more := options{StoreOptions: rawwatch.StoreOptions[pod]{Indexers: rawwatch.Indexers[pod]{
			"node": byNode, "name": func(i *rawwatch.Item[pod]) []string { return []string{i.Name} },
		}}}
		if _, _, err := rawwatch.Shared(g, rawwatch.Pods.Query(), more); err != nil {
			t.Error(err)
		}
		if items, err := i.Store().ByIndex("name", "a"); err != nil || len(slices.Collect(values(items))) != 1 {
			t.Errorf("the index that was added: %v", err)
		}
		if s := g.Status(); len(s.Informers) != 1 || s.Informers[0].Wanted != 2 {
			t.Errorf("status: %+v", s)
		}
	})
}

func values[K, V any](all func(func(K, V) bool)) func(func(V) bool) {
	return func(yield func(V) bool) {
		all(func(_ K, v V) bool { return yield(v) })
	}
}
