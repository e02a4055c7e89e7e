package rawwatch_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// Serve the handler on the port that the pod's probes ask:
//
//	http.Handle("/readyz", health)
//	http.Handle("/livez", health)
func ExampleHealthHandler() {
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	pods := rawwatch.NewReflector(client, rawwatch.Pods.InNamespace("edge"), rawwatch.ListWatchOptions{})
	health := rawwatch.NewHealthHandler(15*time.Minute, pods)

	ready := func() {
		answer := httptest.NewRecorder()
		health.ServeHTTP(answer, httptest.NewRequest("GET", "/readyz", nil))
		watch := health.Ready().Watches[0]
		fmt.Printf("%d %s: %q\n", answer.Code, watch.Watch, watch.Problem)
	}
	ready()
	for event, err := range pods.Events(context.Background()) {
		if err == nil && event.Type == rawwatch.Synced {
			ready()
			break
		}
	}
	ready()
	// Output:
	// 503 pods in edge: "not synced"
	// 200 pods in edge: ""
	// 503 pods in edge: "has ended"
}
