// Command minimal is the smallest agent: it prints every change of every pod,
// for ever.
//
//	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" ./examples/minimal
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
	"github.com/rawwatch/rawwatch/rawwatch"
)

func main() {
	config, err := access.InCluster(access.Options{}) // or kubeconfig.Load, for kubeconfig files too
	if err != nil {
		log.Fatal(err)
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "minimal"})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range client.ListWatch(context.Background(), rawwatch.Pods.AllNamespaces(), rawwatch.ListWatchOptions{}) {
		if err != nil {
			log.Fatal(err) // only ever the end
		}
		fmt.Println(event.Type, event.Object.Key())
	}
}
