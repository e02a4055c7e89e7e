package rawwatch_test

import (
	"context"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestHandlersDoNotWaitForHalfAFrame: handlers are woken once for all frames
// that were read together, but before the rest of one that has come in part is
// waited for.
func TestHandlersDoNotWaitForHalfAFrame(t *testing.T) {
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{}, func(w *world) {
		w.create(pods, "n", "a")
		informer, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{})
		if err != nil {
			w.Fatal(err)
		}
		told := make(chan string, 10)
		if _, err := informer.Subscribe(func(_ context.Context, c rawwatch.Change[pod]) error {
			if c.Item != nil {
				told <- c.Item.Name
			}
			return nil
		}, rawwatch.SubscriptionOptions[pod]{}); err != nil {
			w.Fatal(err)
		}
		ctx, cancel := context.WithCancel(w.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		w.settle()
		<-told
		frame := func(name string) string {
			return `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":"` + name + `","uid":"` + name + `","resourceVersion":"1000` + name[1:] + `"}}}` + "\n"
		}
		last := frame("x3")
		w.server.SendFrame(watchtest.Selector{}, []byte(frame("x1")+frame("x2")+last[:40]))
		w.settle()
		if len(told) != 2 {
			w.Errorf("told of %d objects while half a frame has come, want 2", len(told))
		}
		w.server.SendFrame(watchtest.Selector{}, []byte(last[40:]))
		w.settle()
		if len(told) != 3 {
			w.Errorf("told of %d objects, want 3", len(told))
		}
		cancel()
		<-ended
	})
}
