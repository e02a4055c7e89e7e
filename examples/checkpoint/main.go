// Command checkpoint is an informer that goes on where its last process stopped:
// what it knows of every pod is in a file, and so is how far it has printed. A
// restart prints only what has changed since, and lists nothing again as long as
// the server still has the history.
//
//	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" ./examples/checkpoint
//	./checkpoint /var/lib/agent/pods.ckpt
//
// It runs in a pod that may list and watch pods.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// pod is what is decoded and kept of a pod beside its namespace and name.
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
	if len(os.Args) != 2 {
		log.Fatal("usage: checkpoint FILE")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file string) (err error) {
	config, err := access.InCluster(access.Options{}) // or kubeconfig.Load, for kubeconfig files too
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "checkpoint"})
	if err != nil {
		return err
	}
	defer client.Close()
	// A disk that fails does not end the agent: its next process lists again.
	store, err := checkpoint.Open(ctx, file, checkpoint.Options{GoOnWithout: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return follow(ctx, client, store, os.Stdout)
}

// follow writes what happens until ctx is done, or the informer cannot go on.
func follow(ctx context.Context, client *rawwatch.Client, store resume.Checkpoint, out io.Writer) error {
	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.AllNamespaces(), rawwatch.InformerOptions[pod]{
		Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[pod]{}),
	})
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
	}, rawwatch.SubscriptionOptions[pod]{
		Durable:     true, // what has not been printed is told again
		ChangesOnly: true, // what has been printed is not
	})
	if err != nil {
		return err
	}
	return pods.Run(ctx)
}
