package rawwatch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/selector"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/rawwatch/workqueue"
)

// TestInformerBadInput: each mistake that can be made with an informer and what
// belongs to it is an error of a type, at once, and the informer goes on.
func TestInformerBadInput(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a", onNode("x"))
		i := w.informer(rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{})
		store := i.Store()
		closed, err := i.Subscribe(new(audience).handle, rawwatch.SubscriptionOptions[pod]{})
		if err != nil {
			t.Fatal(err)
		}
		if err := closed.Close(w.Context()); err != nil {
			t.Fatal(err)
		}
		over, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{})
		if err != nil {
			t.Fatal(err)
		}
		dead, cancel := context.WithCancel(w.Context())
		cancel()
		if err := over.Run(dead); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		queue, err := workqueue.New(workqueue.Options[decode.Key]{})
		if err != nil {
			t.Fatal(err)
		}
		queue.ShutDown()
		type subscription = rawwatch.SubscriptionOptions[pod]
		subscribe := func(i *rawwatch.Informer[pod], o subscription) error {
			_, err := i.Subscribe(new(audience).handle, o)
			return err
		}
		begun := time.Now()
		for _, c := range []struct {
			mistake string
			do      func() error
			is      func(error) bool
		}{
			{"a label selector without an end", func() error { _, err := selector.Parse("app in (web"); return err }, as[*selector.SyntaxError]},
			{"a label that cannot be", func() error { _, err := selector.Parse("-app=web"); return err }, as[*selector.InvalidError]},
			{"a lister by labels that are not kept", func() error { _, err := rawwatch.NewLister(store, parsed(t, "app=web")); return err }, is(rawwatch.ErrLabelsNotKept)},
			{"an index function that panics", func() error {
				err := store.AddIndexers(rawwatch.Indexers[pod]{"bad": func(*rawwatch.Item[pod]) []string { panic("bad") }})
				if err != nil {
					return err
				}
				status, err := store.IndexStatus("bad")
				if err != nil {
					return err
				}
				return status.Last
			}, as[*rawwatch.IndexError]},
			{"an index without a function", func() error { return store.AddIndexers(rawwatch.Indexers[pod]{"nil": nil}) }, is(rawwatch.ErrIndexFunc)},
			{"an index that is there", func() error {
				return store.AddIndexers(rawwatch.Indexers[pod]{rawwatch.NamespaceIndex: rawwatch.IndexByLabel[pod]("x")})
			}, is(rawwatch.ErrIndexExists)},
			{"an index that nobody added", func() error { _, err := store.ByIndex("none", "x"); return err }, as[*rawwatch.IndexNameError]},
			{"a key without its namespace, read", func() error {
				_, err := w.client.Get(w.Context(), rawwatch.Pods, decode.Key{Name: "a"}, rawwatch.GetOptions{})
				return err
			}, as[*rawwatch.NotSentError]},
			{"a key without its namespace, written", func() error {
				_, err := w.client.Patch(w.Context(), rawwatch.Pods, decode.Key{Name: "a"}, rawwatch.MergePatch([]byte(`{}`)), rawwatch.WriteOptions{})
				return err
			}, as[*rawwatch.NotSentError]},
			{"a namespace of what has none", func() error {
				_, err := rawwatch.NewInformer(w.client, rawwatch.Nodes.InNamespace("n"), rawwatch.InformerOptions[pod]{})
				return err
			}, as[*rawwatch.QueryError]},
			{"a second start", func() error { return i.Run(w.Context()) }, is(rawwatch.ErrInformerUsed)},
			{"a start after the end", func() error { return over.Run(w.Context()) }, is(rawwatch.ErrInformerUsed)},
			{"a subscription after the end", func() error { return subscribe(over, subscription{}) }, is(rawwatch.ErrInformerStopped)},
			{"a subscription that is closed twice", func() error { return closed.Close(w.Context()) }, is(rawwatch.ErrSubscriptionClosed)},
			{"an acknowledgement that is not asked for", func() error { return closed.Ack(decode.Key{}, 1) }, is(rawwatch.ErrNotManualAck)},
			{"no handler", func() error { _, err := i.Subscribe(nil, subscription{}); return err }, as[*rawwatch.OptionError]},
			{"a queue of less than nothing", func() error { return subscribe(i, subscription{QueueSize: -1}) }, as[*rawwatch.OptionError]},
			{"a predicate that is nil", func() error {
				return subscribe(i, subscription{Predicates: []rawwatch.Predicate[pod]{nil}})
			}, as[*rawwatch.OptionError]},
			{"a T that cannot be decoded into", func() error {
				_, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[func()]{})
				return err
			}, as[*decode.TypeError]},
			{"a key for a queue that is shut down", func() error { return queue.Add(decode.Key{}) }, as[*workqueue.ShutDownError]},
		} {
			if err := c.do(); err == nil || !c.is(err) {
				t.Errorf("%s: %T: %v", c.mistake, err, err)
			}
		}
		if _, ok := i.Get(decode.Key{Name: "a"}); ok {
			t.Error("an object was found by a key without its namespace")
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("the errors took %v", took)
		}
		a := w.subscribe(i, subscription{})
		w.heard(a, "ADDED store n/a", "SYNCED store")
		w.touch(pods, "n", "a", "1")
		w.heard(a, "MODIFIED stream n/a")
	})
}

// as reports whether errors.As finds an E.
func as[E error](err error) bool {
	var found E
	return errors.As(err, &found)
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func parsed(t *testing.T, text string) selector.Selector {
	t.Helper()
	sel, err := selector.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}
