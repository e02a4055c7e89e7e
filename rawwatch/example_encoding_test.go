package rawwatch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// One T, from a server that has protobuf and initial streams, and from one that
// has neither. The values are the same; the status says what was spoken.
func ExampleListWatchOptions_encoding() {
	for _, options := range []watchtest.Options{
		{},
		{Protobuf: watchtest.ProtobufUnsupported, WatchList: watchtest.WatchListOff},
	} {
		server := watchtest.NewServer(options)
		if _, err := server.Create(watchtest.Pods, `{"metadata":{"namespace":"edge","name":"camera"},"spec":{"nodeName":"node-7"}}`); err != nil {
			log.Fatal(err)
		}
		client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
		if err != nil {
			log.Fatal(err)
		}
		r := rawwatch.NewReflector(client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		for e, err := range rawwatch.EventsAs[Worker](context.Background(), r) {
			if err != nil {
				log.Fatal(err)
			}
			if e.Type == rawwatch.Synced {
				break
			}
			s := r.Status()
			fmt.Println(e.Object.Key(), e.Value.Spec.NodeName, s.Encoding, s.ListMode, s.Plain != nil, s.Unstreamed != nil)
		}
		_ = client.Close()
		server.Close()
	}
	// Output:
	// edge/camera node-7 protobuf initial-stream false false
	// edge/camera node-7 JSON paged true true
}
