package rawwatch_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// requestCounter implements [rawwatch.HookRequestEnd] and nothing else.
type requestCounter struct {
	mu    sync.Mutex
	count map[string]int
}

// OnRequestEnd is called on the goroutines of all requests.
func (c *requestCounter) OnRequestEnd(r rawwatch.RequestInfo, result rawwatch.RequestResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count[r.Verb+" "+r.Resource.Name+" "+strconv.Itoa(result.Code)]++
}

func ExampleHook() {
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	requests := &requestCounter{count: map[string]int{}}
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{Hooks: []rawwatch.Hook{requests}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	server.Inject(watchtest.Fault{Resource: "nodes", Answer: &watchtest.Answer{Code: 503}})
	for _, resource := range []rawwatch.Resource{rawwatch.Pods, rawwatch.Pods, rawwatch.Nodes} {
		for _, err := range client.List(context.Background(), resource.Query(), rawwatch.ListOptions{}) {
			if err != nil {
				fmt.Println(resource.Name, "failed")
			}
		}
	}
	fmt.Println(requests.count)
	// Output:
	// nodes failed
	// map[list nodes 503:1 list pods 200:2]
}
