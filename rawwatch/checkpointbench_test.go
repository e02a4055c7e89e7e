package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// fiveFields is what an agent may want of a pod.
type fiveFields struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		NodeName       string `json:"nodeName"`
		ServiceAccount string `json:"serviceAccountName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

// BenchmarkCheckpointFirstState is the time from opening the file until all of
// 10,000 pods of five fields can be read, without a network.
func BenchmarkCheckpointFirstState(b *testing.B) {
	const objects = 10_000
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	for n := range objects {
		_, err := server.Create(pods, fmt.Sprintf(`{"metadata":{"namespace":"shop-%d","name":"web-%05d","labels":{"app":"web-%d"}},"spec":{"nodeName":"node-%d","serviceAccountName":"web"},"status":{"phase":"Running","podIP":"10.0.%d.%d"}}`, n%20, n, n%50, n%100, n>>8, n&255))
		if err != nil {
			b.Fatal(err)
		}
	}
	file := filepath.Join(b.TempDir(), "watch.ckpt")
	online, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer online.Close()
	firstState(b, online, file, func(i *rawwatch.Informer[fiveFields]) bool { return i.Synced() })
	offline, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") },
	})
	if err != nil {
		b.Fatal(err)
	}
	defer offline.Close()
	for b.Loop() {
		firstState(b, offline, file, func(i *rawwatch.Informer[fiveFields]) bool { return i.Store().Len() == objects })
	}
}

// firstState runs an informer until ready.
func firstState(b *testing.B, c *rawwatch.Client, file string, ready func(*rawwatch.Informer[fiveFields]) bool) {
	b.Helper()
	store, err := checkpoint.Open(b.Context(), file, checkpoint.Options{})
	if err != nil {
		b.Fatal(err)
	}
	informer, err := rawwatch.NewInformer(c, rawwatch.Pods.Query(), rawwatch.InformerOptions[fiveFields]{
		Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[fiveFields]{Cluster: "bench"}),
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- informer.Run(ctx) }()
	for !ready(informer) {
		runtime.Gosched()
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
}
