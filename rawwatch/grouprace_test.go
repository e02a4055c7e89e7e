package rawwatch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestGroupComingAndGoing: many ask, listen and leave at once, with several
// types, while objects change and histories are lost. Each listener is told a
// consistent story that ends in the server's state, and nothing is left.
func TestGroupComingAndGoing(t *testing.T) {
	for seed := range uint64(4) {
		inProtobufWorld(t, watchtest.Options{}, func(w *world) {
			for n := range 5 {
				w.create(pods, "n", fmt.Sprint("x", n), onNode("x"))
			}
			g := w.group(rawwatch.GroupOptions{
				Grace: time.Duration(seed) * 300 * time.Millisecond, ListWatch: rawwatch.ListWatchOptions{PageLimit: 2},
			})
			ctx, cancel := context.WithCancel(w.Context())
			var work sync.WaitGroup
			work.Go(func() { w.churn(ctx, rand.New(rand.NewPCG(seed, 99))) })
			for n := range 4 {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				work.Go(func() { comeAndGo[pod](w, g, r) })
				work.Go(func() { comeAndGo[labelled](w, g, rand.New(rand.NewPCG(seed, uint64(n+10)))) })
				work.Go(func() { comeAndGo[odd](w, g, rand.New(rand.NewPCG(seed, uint64(n+20)))) })
			}
			w.pass(time.Minute)
			cancel()
			work.Wait()
			w.pass(time.Minute) // whatever goes on is level
			one, _ := shared[pod](w, g, rawwatch.Pods.Query())
			two, _ := shared[labelled](w, g, rawwatch.Pods.Query())
			w.pass(time.Second)
			if keys(one) != keys(two) || !one.Synced() {
				t.Errorf("%s\n%s", keys(one), keys(two))
			}
			for key, item := range one.Store().All() {
				if o, err := w.server.Get(pods, key.Namespace, key.Name); err != nil || o.ResourceVersion != item.ResourceVersion || o.UID != item.UID {
					t.Errorf("%v: %v, %v", key, item.Identity, err)
				}
			}
			if n := w.server.Watches(watchtest.Selector{}); n != 1 {
				t.Errorf("%d watches", n)
			}
		})
	}
}

// churn changes objects until ctx is done.
func (w *world) churn(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		name := fmt.Sprint("x", r.IntN(12))
		switch _, err := w.server.Get(pods, "n", name); {
		case err != nil:
			w.create(pods, "n", name, onNode("y"))
		case r.IntN(3) == 0:
			w.delete(pods, "n", name)
		default:
			w.touch(pods, "n", name, fmt.Sprint(r.Int()))
		}
		if r.IntN(40) == 0 {
			w.server.Compact(w.server.Revision())
		}
		if r.IntN(40) == 0 {
			w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		}
		time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
	}
}

// comeAndGo asks, listens, checks and leaves, again and again.
func comeAndGo[T any](w *world, g *rawwatch.Group, r *rand.Rand) {
	for range 8 {
		i, release, err := rawwatch.Shared(g, rawwatch.Pods.Query(), rawwatch.InformerOptions[T]{})
		if err != nil {
			w.Error(err)
			return
		}
		seen := map[decode.Key]decode.Identity{}
		s, err := i.Subscribe(func(_ context.Context, c rawwatch.Change[T]) error {
			if c.Item == nil {
				return nil
			}
			key := c.Item.Key()
			known, ok := seen[key]
			if ok == (c.Type == rawwatch.Added) || ok && known.UID != c.Item.UID {
				w.Errorf("%s %s, known %v %v", c.Type, c.Item.Identity, ok, known)
			}
			if c.Type == rawwatch.Deleted {
				delete(seen, key)
			} else {
				seen[key] = c.Item.Identity
			}
			return nil
		}, rawwatch.SubscriptionOptions[T]{Delivery: rawwatch.Delivery(r.IntN(2)), QueueSize: 1 + r.IntN(5)})
		if err != nil {
			w.Error(err)
			return
		}
		if err := i.WaitForSync(w.Context()); err != nil {
			w.Error(err)
		}
		time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
		if r.IntN(2) == 0 { // or the informer's end does it
			if err := s.Close(w.Context()); err != nil {
				w.Error(err)
			}
		}
		release()
		time.Sleep(time.Duration(r.IntN(800)) * time.Millisecond)
	}
}
