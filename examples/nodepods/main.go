// Command nodepods is a per-node agent: it keeps the pods of its own node, and
// only what it needs of them.
//
//	NODE_NAME=node-7 go run ./examples/nodepods
//
// The field selector is on every request, so that the API server sends nothing
// about other nodes: not in the first list, nor on resume, nor on a relist.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// pod is what this agent needs of a pod. The rest is never kept.
type pod struct {
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv("NODE_NAME")); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, node string) error {
	if node == "" {
		return fmt.Errorf("set NODE_NAME, in a pod through the downward API (fieldRef: spec.nodeName)")
	}
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "nodepods"})
	if err != nil {
		return err
	}
	pods := map[decode.Key]pod{}
	query := rawwatch.Pods.WithField("spec.nodeName=" + node)
	for event, err := range client.ListWatch(ctx, query, rawwatch.ListWatchOptions{}) {
		if err != nil {
			return err
		}
		keep(pods, event)
	}
	return nil
}

// keep applies one event. Object.Raw is borrowed; what json.Unmarshal makes of
// it is not.
func keep(pods map[decode.Key]pod, event rawwatch.Event) {
	key := event.Object.Key()
	switch event.Type {
	case rawwatch.Added, rawwatch.Modified:
		var p pod
		if err := json.Unmarshal(event.Object.Raw, &p); err != nil {
			log.Printf("pod %s: %v", key, err)
			return
		}
		pods[key] = p
		fmt.Println(key, p.Status.Phase, p.Status.PodIP)
	case rawwatch.Deleted:
		delete(pods, key)
		fmt.Println(key, "gone")
	case rawwatch.Synced:
		// Before this, a pod that is missing may only not have come yet.
		fmt.Println("in sync:", len(pods), "pods")
	}
}
