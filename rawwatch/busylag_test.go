package rawwatch_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestBusyDelayBoundsTheLag: however fast events come, and when they cease, none
// is told later than BusyDelay after it was made. Calm ones are told at once.
func TestBusyDelayBoundsTheLag(t *testing.T) {
	inWorld(t, watchtest.Options{History: 10_000}, func(w *world) {
		informer, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{})
		if err != nil {
			w.Fatal(err)
		}
		var (
			mu      sync.Mutex // guards all below
			made    = map[string]time.Time{}
			told    int
			longest time.Duration
		)
		if _, err := informer.Subscribe(func(_ context.Context, c rawwatch.Change[pod]) error {
			mu.Lock()
			defer mu.Unlock()
			if c.Item != nil {
				told++
				longest = max(longest, time.Since(made[c.Item.Name]))
			}
			return nil
		}, rawwatch.SubscriptionOptions[pod]{}); err != nil {
			w.Fatal(err)
		}
		ctx, cancel := context.WithCancel(w.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		w.settle()
		for _, phase := range []struct {
			gap    time.Duration
			events int
			lag    time.Duration
			busy   bool // batches are seen
		}{
			{100 * time.Millisecond, 50, 0, false},
			{time.Millisecond, 1000, rawwatch.DefaultBusyDelay, true},
			{30 * time.Millisecond, 50, rawwatch.DefaultBusyDelay, false},
			{100 * time.Millisecond, 50, 0, false},
			{1500 * time.Microsecond, 1000, rawwatch.DefaultBusyDelay, true},
		} {
			for n := range phase.events {
				mu.Lock()
				name := fmt.Sprintf("p%d-%d", n, len(made))
				made[name] = time.Now()
				mu.Unlock()
				w.create(pods, "n", name)
				time.Sleep(phase.gap)
			}
			time.Sleep(rawwatch.DefaultBusyDelay)
			w.settle()
			mu.Lock()
			if told != phase.events || longest > phase.lag || phase.busy && longest == 0 {
				w.Errorf("every %v: told of %d of %d, the longest after %v, want at most %v, and batches: %v", phase.gap, told, phase.events, longest, phase.lag, phase.busy)
			}
			longest, told = 0, 0
			mu.Unlock()
			time.Sleep(time.Second)
		}
		cancel()
		<-ended
	})
}
