package rawwatch_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestStormThenCalmOnSockets: over real sockets, which are muted while they are
// busy, nothing of a storm is lost, and what comes in the calm after it comes by
// itself: one event, no batch.
func TestStormThenCalmOnSockets(t *testing.T) {
	for _, http1 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP1 %v", http1), func(t *testing.T) {
			server := watchtest.NewServer(watchtest.Options{Mode: watchtest.TLS, History: 100_000})
			defer server.Close()
			client := newClient(t, server.Config(), rawwatch.ClientOptions{HTTP1: http1})
			informer, err := rawwatch.NewInformer(client, rawwatch.Pods.AllNamespaces(), rawwatch.InformerOptions[pod]{})
			if err != nil {
				t.Fatal(err)
			}
			told := make(chan string, 10_000)
			if _, err := informer.Subscribe(func(_ context.Context, c rawwatch.Change[pod]) error {
				if c.Item != nil {
					told <- c.Item.Name
				}
				return nil
			}, rawwatch.SubscriptionOptions[pod]{}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- informer.Run(ctx) }()
			if err := informer.WaitForSync(ctx); err != nil {
				t.Fatal(err)
			}
			made := 0
			create := func() string {
				name := fmt.Sprintf("p%d", made)
				made++
				if _, err := server.Create(pods, fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"n"}}`, name)); err != nil {
					t.Fatal(err)
				}
				return name
			}
			expect := func(when, want string) {
				select {
				case got := <-told:
					if got != want {
						t.Fatalf("%s: told of %s, want %s", when, got, want)
					}
				case <-time.After(20 * time.Second):
					t.Fatalf("%s: never told of %s", when, want)
				}
			}
			for range 3 {
				var names []string
				for range 300 {
					names = append(names, create())
					time.Sleep(time.Millisecond)
				}
				for _, name := range names {
					expect("in the storm", name)
				}
				for range 5 {
					time.Sleep(60 * time.Millisecond)
					expect("in the calm", create())
				}
			}
			cancel()
			<-ended
		})
	}
}
