// Command controller keeps a label on every node that says how full it is with
// pods: the smallest whole reconciler, of an informer, a work queue and patches.
//
//	go run ./examples/controller
//
// It needs the right to list and watch pods, and to get and patch nodes.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/workqueue"
)

const (
	label   = "example.rawwatch.dev/pods"
	workers = 2
	drain   = 10 * time.Second
)

// pod and node are what the controller knows of them; nothing else is decoded
// or kept.
type pod struct {
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

type node struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "controller", Logger: slog.Default()})
	if err != nil {
		return err
	}
	defer client.Close()
	return control(ctx, client)
}

// controller brings nodes to the state that they should have, by name.
type controller struct {
	client *rawwatch.Client
	pods   *rawwatch.Informer[pod]
	nodes  *rawwatch.Informer[node]
	queue  *workqueue.Queue[string]
}

// control runs until ctx is done, or an informer cannot go on.
func control(ctx context.Context, client *rawwatch.Client) error {
	queue, err := workqueue.New(workqueue.Options[string]{Logger: slog.Default()})
	if err != nil {
		return err
	}
	group := rawwatch.NewGroup(client, rawwatch.GroupOptions{OnEnd: func(q rawwatch.Query, err error) {
		slog.Error("an informer has ended", "query", q.String(), "error", err)
		queue.ShutDown()
	}})
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
		defer cancel()
		if err := group.Stop(ctx); err != nil {
			slog.Error("stopping", "error", err)
		}
	}()
	c := &controller{client: client, queue: queue}
	if err := c.listen(group); err != nil {
		return err
	}
	if err := group.WaitForSync(ctx); err != nil {
		return err
	}
	return queue.Run(ctx, workers, c.reconcile)
}

// listen has each change of a pod put its node into the queue.
func (c *controller) listen(group *rawwatch.Group) (err error) {
	c.pods, _, err = rawwatch.Shared(group, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{
		StoreOptions: rawwatch.StoreOptions[pod]{Indexers: rawwatch.Indexers[pod]{
			"node": rawwatch.IndexBy(func(p *pod) string { return p.Spec.NodeName }),
		}},
	})
	if err != nil {
		return err
	}
	c.nodes, _, err = rawwatch.Shared(group, rawwatch.Nodes.Query(), rawwatch.InformerOptions[node]{})
	if err != nil {
		return err
	}
	_, err = c.pods.Subscribe(func(_ context.Context, change rawwatch.Change[pod]) error {
		for _, item := range []*rawwatch.Item[pod]{change.Old, change.Item} {
			if item != nil && item.Value.Spec.NodeName != "" {
				if err := c.queue.Add(item.Value.Spec.NodeName); err != nil && !c.queue.ShuttingDown() {
					return err
				}
			}
		}
		return nil
	}, rawwatch.SubscriptionOptions[pod]{Name: "pods", Delivery: rawwatch.Coalesce, Predicates: []rawwatch.Predicate[pod]{
		rawwatch.Changed(func(p pod) string { return p.Spec.NodeName }),
	}})
	if err != nil {
		return err
	}
	_, err = c.nodes.Subscribe(func(_ context.Context, change rawwatch.Change[node]) error {
		if change.Item == nil || change.Type == rawwatch.Deleted {
			return nil
		}
		if err := c.queue.Add(change.Item.Name); err != nil && !c.queue.ShuttingDown() {
			return err
		}
		return nil
	}, rawwatch.SubscriptionOptions[node]{Name: "nodes", Delivery: rawwatch.Coalesce, Resync: 10 * time.Minute})
	return err
}

// reconcile looks at what is, and writes only if it is not what should be.
func (c *controller) reconcile(ctx context.Context, name string) (workqueue.Result, error) {
	key := decode.Key{Name: name}
	node, ok := c.nodes.Get(key)
	if !ok {
		return workqueue.Result{}, nil // gone, or not seen yet: its Added comes
	}
	items, err := c.pods.Store().ByIndex("node", name)
	if err != nil {
		return workqueue.Result{}, err
	}
	count := 0
	for range items {
		count++
	}
	want := fmt.Sprint(count)
	if node.Value.Metadata.Labels[label] == want {
		return workqueue.Result{}, nil
	}
	patch := rawwatch.MergePatch(fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, label, want))
	_, err = c.client.Patch(ctx, rawwatch.Nodes, key, patch.IfVersion(node.ResourceVersion), rawwatch.WriteOptions{FieldManager: "controller"})
	switch {
	case rawwatch.IsNotFound(err):
		return workqueue.Result{}, nil
	case rawwatch.IsConflict(err):
		return workqueue.Result{}, nil // it has changed: its Modified comes
	}
	var invalid *rawwatch.InvalidError
	if errors.As(err, &invalid) {
		return workqueue.Result{}, workqueue.Terminal(err) // no use to try again
	}
	return workqueue.Result{}, err
}
