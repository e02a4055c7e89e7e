package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// cluster is a small API server with two pods, so that the examples run
// anywhere.
func cluster() (*rawwatch.Client, *watchtest.Server) {
	server := watchtest.NewServer(watchtest.Options{})
	for _, pod := range []string{
		`{"metadata":{"namespace":"edge","name":"camera"},"spec":{"nodeName":"node-7"}}`,
		`{"metadata":{"namespace":"edge","name":"gateway"},"spec":{"nodeName":"node-8"}}`,
	} {
		if _, err := server.Create(watchtest.Pods, pod); err != nil {
			log.Fatal(err)
		}
	}
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return client, server
}

// The state of some objects and every change of it, for ever.
func ExampleClient_ListWatch() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	for event, err := range client.ListWatch(context.Background(), rawwatch.Pods.InNamespace("edge"), rawwatch.ListWatchOptions{}) {
		if err != nil {
			log.Fatal(err) // only ever the end
		}
		if event.Type == rawwatch.Synced {
			fmt.Println("in sync; now somebody deletes the camera")
			if _, err := server.Delete(watchtest.Pods, "edge", "camera"); err != nil {
				log.Fatal(err)
			}
			continue
		}
		fmt.Println(event.Type, event.Object.Key())
		if event.Type == rawwatch.Deleted {
			break // closes the stream
		}
	}
	// Output:
	// ADDED edge/camera
	// ADDED edge/gateway
	// in sync; now somebody deletes the camera
	// DELETED edge/camera
}

// A list arrives object by object; neither it nor a page of it is ever in
// memory as a whole.
func ExampleClient_List() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	for pod, err := range client.List(context.Background(), rawwatch.Pods.Query(), rawwatch.ListOptions{PageLimit: 1}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(pod.Kind, pod.Key())
	}
	// Output:
	// Pod edge/camera
	// Pod edge/gateway
}

// One stream, one attempt: the building block below ListWatch.
func ExampleClient_Watch() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	from := fmt.Sprint(server.Revision())
	if _, err := server.Delete(watchtest.Pods, "edge", "camera"); err != nil {
		log.Fatal(err)
	}
	for event, err := range client.Watch(context.Background(), rawwatch.Pods.Query(), rawwatch.WatchOptions{ResourceVersion: from, Timeout: time.Second}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type, event.Object.Key())
	}
	// Output:
	// DELETED edge/camera
}

// One agent per node watches only its node's pods. The selector goes with every
// request, relists included.
func ExampleQuery() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	mine := rawwatch.Pods.WithField("spec.nodeName=node-7")
	for pod, err := range client.List(context.Background(), mine, rawwatch.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(pod.Name)
	}
	fmt.Println(mine)
	// Output:
	// camera
	// pods fields spec.nodeName=node-7
}

// A custom resource needs no generated code.
func ExampleResource() {
	widgets := rawwatch.Resource{Group: "example.com", Version: "v1", Name: "widgets", Kind: "Widget", Namespaced: true}
	fmt.Println(widgets, "|", widgets.InNamespace("edge").Named("left"))
	// Output:
	// widgets.v1.example.com | widgets.example.com in edge fields metadata.name=left
}

// A Reflector is a ListWatch that can be asked how it is.
func ExampleReflector_Status() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	pods := rawwatch.NewReflector(client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
	fmt.Println("synced:", pods.Status().Synced, "objects:", pods.Status().Objects)
	for event, err := range pods.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == rawwatch.Synced {
			break
		}
	}
	fmt.Println("synced:", pods.Status().Synced, "objects:", pods.Status().Objects)
	// Output:
	// synced: false objects: -1
	// synced: true objects: 2
}

// The bytes of an object are borrowed until the loop's next step; Clone keeps
// them.
func ExampleObject_Clone() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	var kept []rawwatch.Object
	for pod, err := range client.List(context.Background(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		kept = append(kept, pod.Clone())
	}
	fmt.Println(len(kept), "pods kept, the first is", kept[0].Name)
	// Output:
	// 2 pods kept, the first is camera
}

// OnFailure hears of what went wrong and will be tried again, and may decide
// that it has heard enough.
func ExampleListWatchOptions_onFailure() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()
	server.Deny(watchtest.Denial{User: "admin", Verb: "list", Resource: "secrets"})

	options := rawwatch.ListWatchOptions{ListFirst: true, OnFailure: func(err error) error {
		var refused *rawwatch.RequestError
		if errors.As(err, &refused) && refused.Code == 403 {
			return err // nobody will grant it to this program
		}
		return nil // try again, for ever
	}}
	for _, err := range client.ListWatch(context.Background(), rawwatch.Secrets.InNamespace("edge"), options) {
		var refused *rawwatch.RequestError
		if errors.As(err, &refused) {
			fmt.Println("missing:", refused.Verb, refused.Resource.GroupResource(), "in", refused.Namespace)
		}
	}
	// Output:
	// missing: list secrets in edge
}

// A client for the cluster that kubectl would talk to, or that the pod runs in.
func ExampleNewClient() {
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		fmt.Println("no cluster is configured here")
		return
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "edge-agent/1.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}
