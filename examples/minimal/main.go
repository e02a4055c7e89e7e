// Command minimal is the smallest agent: it prints every change of every pod,
// for ever.
//
//	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" ./examples/minimal
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	config, err := kubeconfig.Load(kubeconfig.Options{}) // KUBECONFIG, ~/.kube/config, or in-cluster
	if err != nil {
		log.Fatal(err)
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "minimal"})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range client.ListWatch(ctx, rawwatch.Pods.AllNamespaces(), rawwatch.ListWatchOptions{}) {
		if err != nil {
			log.Fatal(err) // only ever the end: here, the interrupt
		}
		fmt.Println(event.Type, event.Object.Key())
	}
}
