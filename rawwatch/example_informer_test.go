package rawwatch_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/rawwatch/workqueue"
)

// A cache of the fields that are declared, which follows the server for as long
// as Run runs.
func ExampleNewInformer() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.InNamespace("edge"), rawwatch.InformerOptions[Worker]{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = pods.Run(ctx) })
	defer running.Wait()
	defer stop()

	if err := pods.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}
	camera, ok := pods.Get(decode.Key{Namespace: "edge", Name: "camera"})
	fmt.Println(ok, camera.Value.Spec.NodeName)
	for key, item := range pods.Store().All() {
		fmt.Println(key, item.Value.Spec.NodeName)
	}
	// Output:
	// true node-7
	// edge/camera node-7
	// edge/gateway node-8
}

// A handler comes late, or early: it is told of the objects that are there, then
// of every change. This one sees a part of them, and each object's newest state
// only when it is slow.
func ExampleInformer_Subscribe() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.InNamespace("edge"), rawwatch.InformerOptions[Worker]{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	_, err = pods.Subscribe(func(ctx context.Context, c rawwatch.Change[Worker]) error {
		switch c.Type {
		case rawwatch.Synced:
			fmt.Println("in sync; now somebody deletes the camera")
			_, err := server.Delete(watchtest.Pods, "edge", "camera")
			return err
		case rawwatch.Deleted:
			stop()
		}
		fmt.Println(c.Type, c.Item.Key(), c.Item.Value.Spec.NodeName)
		return nil
	}, rawwatch.SubscriptionOptions[Worker]{
		Delivery: rawwatch.Coalesce,
		Filter:   func(i *rawwatch.Item[Worker]) bool { return i.Value.Spec.NodeName == "node-7" },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the end:", pods.Run(ctx))
	// Output:
	// ADDED edge/camera node-7
	// in sync; now somebody deletes the camera
	// DELETED edge/camera node-7
	// the end: context canceled
}

// A controller: events put keys into a queue, workers read the newest state from
// the store and write back what it should be.
func ExampleInformer_reconcile() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.InNamespace("edge"), rawwatch.InformerOptions[Worker]{})
	if err != nil {
		log.Fatal(err)
	}
	queue, err := workqueue.New(workqueue.Options[decode.Key]{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = pods.Subscribe(func(_ context.Context, c rawwatch.Change[Worker]) error {
		if c.Item == nil {
			return nil
		}
		return queue.Add(c.Item.Key())
	}, rawwatch.SubscriptionOptions[Worker]{Delivery: rawwatch.Coalesce})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = pods.Run(ctx) })
	defer running.Wait()
	defer stop()
	if err := pods.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}

	done := 0
	err = queue.Run(ctx, 1, func(ctx context.Context, key decode.Key) (workqueue.Result, error) {
		pod, ok := pods.Get(key)
		if !ok {
			return workqueue.Result{}, nil // it is gone
		}
		mark := rawwatch.MergePatch([]byte(`{"metadata":{"annotations":{"seen":"yes"}}}`)).IfVersion(pod.ResourceVersion)
		if _, err := client.Patch(ctx, rawwatch.Pods, key, mark, rawwatch.WriteOptions{}); err != nil {
			return workqueue.Result{}, err // again, after a backoff
		}
		fmt.Println("reconciled", key)
		if done++; done == 2 {
			queue.ShutDown()
			stop()
		}
		return workqueue.Result{}, nil
	})
	fmt.Println("the end:", err == nil || ctx.Err() != nil)
	// Unordered output:
	// reconciled edge/camera
	// reconciled edge/gateway
	// the end: true
}

// Two parts of a program want pods: one where they run, the other their labels.
// They share one watch, and do not need to know of each other.
func ExampleGroup() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()
	type Labelled struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}

	group := rawwatch.NewGroup(client, rawwatch.GroupOptions{})
	placed, release, err := rawwatch.Shared(group, rawwatch.Pods.InNamespace("edge"), rawwatch.InformerOptions[Worker]{})
	if err != nil {
		log.Fatal(err)
	}
	defer release()
	labelled, release, err := rawwatch.Shared(group, rawwatch.Pods.InNamespace("edge"), rawwatch.InformerOptions[Labelled]{})
	if err != nil {
		log.Fatal(err)
	}
	defer release()

	if err := group.WaitForSync(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(placed.Store().Len(), labelled.Store().Len(), "pods in", group.Status().Watches, "watch")
	if err := group.Stop(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 2 pods in 1 watch
}
