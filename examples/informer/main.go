// Command informer keeps five fields of every pod: namespace, name, node, phase
// and address. It prints each change of them, and how many pods there are.
//
//	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" ./examples/informer
//
// It runs in a pod that may list and watch pods. bench/budgets.json bounds the
// size of its binary, and what it allocates, receives and keeps.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// pod is what is decoded and kept of a pod beside its namespace and name, which
// every item of an informer has.
type pod struct {
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	config, err := access.InCluster(access.Options{}) // or kubeconfig.Load, for kubeconfig files too
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "informer"})
	if err != nil {
		return err
	}
	defer client.Close()
	return follow(ctx, client, os.Stdout)
}

// follow writes what happens until ctx is done, or the informer cannot go on.
func follow(ctx context.Context, client *rawwatch.Client, out io.Writer) error {
	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.AllNamespaces(), rawwatch.InformerOptions[pod]{})
	if err != nil {
		return err
	}
	_, err = pods.Subscribe(func(_ context.Context, c rawwatch.Change[pod]) error {
		if c.Type == rawwatch.Synced {
			fmt.Fprintln(out, "in sync:", pods.Store().Len(), "pods")
			return nil
		}
		v := c.Item.Value
		fmt.Fprintln(out, c.Type, c.Item.Key(), v.Spec.NodeName, v.Status.Phase, v.Status.PodIP)
		return nil
	}, rawwatch.SubscriptionOptions[pod]{})
	if err != nil {
		return err
	}
	return pods.Run(ctx)
}
