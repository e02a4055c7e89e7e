package rawwatch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// benchServer is a server with n pods of about 7.7 KB.
func benchServer(b *testing.B, n int) (*watchtest.Server, *rawwatch.Client) {
	b.Helper()
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Plain})
	b.Cleanup(server.Close)
	text := strings.Repeat(`{"name":"FEATURE","value":"some text"},`, 190)
	for i := range n {
		pod := fmt.Sprintf(`{"metadata":{"namespace":"n","name":"pod-%06d"},"spec":{"env":[%s{}]}}`, i, text)
		if _, err := server.Create(watchtest.Pods, pod); err != nil {
			b.Fatal(err)
		}
	}
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close() })
	return server, client
}

// BenchmarkList reads 1,000 pods in pages of 500; client and server share the
// machine.
func BenchmarkList(b *testing.B) {
	const n = 1000
	_, client := benchServer(b, n)
	b.ReportAllocs()
	for b.Loop() {
		got, bytes := 0, 0
		for pod, err := range client.List(context.Background(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
			if err != nil {
				b.Fatal(err)
			}
			got++
			bytes += len(pod.Raw)
		}
		if got != n {
			b.Fatalf("%d pods", got)
		}
		b.SetBytes(int64(bytes))
	}
}

// BenchmarkListWatchEvents is the whole way of an event, from the server's
// write to the loop body.
func BenchmarkListWatchEvents(b *testing.B) {
	server, client := benchServer(b, 1)
	b.ReportAllocs()
	done := 0
	for event, err := range client.ListWatch(context.Background(), rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}) {
		if err != nil {
			b.Fatal(err)
		}
		if event.Type == rawwatch.Modified {
			if done++; done == b.N {
				return
			}
		}
		if event.Type == rawwatch.Synced || event.Type == rawwatch.Modified {
			if _, err := server.Patch(watchtest.Pods, "n", "pod-000000", fmt.Sprintf(`{"metadata":{"annotations":{"n":"%d"}}}`, done)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkOpenWatch begins a watch of one object, waits until it is in sync and
// open, and ends it. The server's part is counted too.
func BenchmarkOpenWatch(b *testing.B) {
	server := watchtest.NewServer(watchtest.Options{})
	b.Cleanup(server.Close)
	if _, err := server.Create(watchtest.Pods, `{"metadata":{"namespace":"n","name":"a"}}`); err != nil {
		b.Fatal(err)
	}
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{Budget: rawwatch.Budget{PerSecond: -1}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close() })
	query := rawwatch.Pods.InNamespace("n").Named("a")
	b.ReportAllocs()
	for b.Loop() {
		for event, err := range client.ListWatch(context.Background(), query, rawwatch.ListWatchOptions{}) {
			if err != nil {
				b.Fatal(err)
			}
			if event.Type == rawwatch.Synced {
				break
			}
		}
	}
}
