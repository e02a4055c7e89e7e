package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/discovery"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// What a user calls a resource becomes the resource.
func ExampleFind() {
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	for _, name := range []string{"po", "deployments.v1.apps", "unicorns"} {
		resource, err := discovery.Find(context.Background(), client, name)
		var unknown *discovery.UnknownResourceError
		if errors.As(err, &unknown) {
			fmt.Println("no such resource:", unknown.Name)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(resource, resource.Kind, resource.Namespaced)
	}
	// Output:
	// pods.v1 Pod true
	// deployments.v1.apps Deployment true
	// no such resource: unicorns
}
