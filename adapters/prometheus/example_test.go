package rawwatchprometheus_test

import (
	"context"
	"fmt"
	"log"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	rawwatchprometheus "github.com/rawwatch/rawwatch/adapters/prometheus"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

func Example() {
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()

	metrics := rawwatchprometheus.New()
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	registry.MustRegister(metrics)
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{Hooks: []rawwatch.Hook{metrics}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	pods := rawwatch.NewReflector(client, rawwatch.Pods.InNamespace("edge"), rawwatch.ListWatchOptions{ListFirst: true})
	metrics.Add(pods)
	for event, err := range pods.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == rawwatch.Synced {
			break
		}
	}
	fmt.Println(testutil.CollectAndCount(registry, "rawwatch_relists_total"), "reason to list")
	// Output: 1 reason to list
}
