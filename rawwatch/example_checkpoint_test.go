package rawwatch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// The second run of an agent is told only what has changed since the first.
func ExampleCheckpointIn() {
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	dir, err := os.MkdirTemp("", "rawwatch")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	create(server, "a")
	create(server, "b")
	agent(server, filepath.Join(dir, "watch.ckpt"))
	if _, err := server.Delete(watchtest.Pods, "edge", "a"); err != nil {
		fmt.Println(err)
	}
	create(server, "c")
	agent(server, filepath.Join(dir, "watch.ckpt"))
	// Output:
	// ADDED list a
	// ADDED list b
	// SYNCED list
	// DELETED checkpoint a
	// ADDED checkpoint c
	// SYNCED checkpoint
}

func create(server *watchtest.Server, name string) {
	if _, err := server.Create(watchtest.Pods, `{"metadata":{"namespace":"edge","name":"`+name+`"}}`); err != nil {
		fmt.Println(err)
	}
}

// agent runs until it is in sync.
func agent(server *watchtest.Server, file string) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	store, err := checkpoint.Open(ctx, file, checkpoint.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	type Pod struct {
		Spec struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	}
	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.Query(), rawwatch.InformerOptions[Pod]{
		Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[Pod]{}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	synced := make(chan struct{})
	_, err = pods.Subscribe(func(_ context.Context, c rawwatch.Change[Pod]) error {
		if c.Type == rawwatch.Synced {
			fmt.Println(c.Type, c.Cause)
			close(synced)
			return nil
		}
		fmt.Println(c.Type, c.Cause, c.Item.Name)
		return nil
	}, rawwatch.SubscriptionOptions[Pod]{Durable: true, ChangesOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = pods.Run(ctx) // until stop
	}()
	<-synced
	stop()
	<-done
}
