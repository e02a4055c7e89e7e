package conformance

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// Users of the shared server, whom RBAC grants nothing at first.
var (
	slowly = realapi.User{Name: "slowly", Token: "token-slowly"}
	byName = realapi.User{Name: "by-name", Token: "token-by-name"}
)

// sharedServer is the one that tests use which neither restart nor compact
// it, each in a namespace of its own. Most of them wait most of the time, and
// so run side by side.
var sharedServer = sync.OnceValues(func() (*realapi.Cluster, error) {
	return realapi.Launch(context.Background(), realapi.Options{
		Users: []realapi.User{slowly, byName}, Progress: func(line string) { fmt.Println(line) },
	})
})

var sharedUsed atomic.Bool

// shared is the server and a new namespace on it. It makes the test run in
// parallel with others.
func shared(t *testing.T) (*realapi.Cluster, string) {
	t.Helper()
	t.Parallel()
	sharedUsed.Store(true)
	c, err := sharedServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.Logs())
		}
	})
	return c, ownNamespace(t, c)
}

var namespacesMade atomic.Int64

func ownNamespace(t *testing.T, c *realapi.Cluster) string {
	t.Helper()
	name := fmt.Sprintf("own-%d", namespacesMade.Add(1))
	mustWrite(t, c.Direct(), "POST", "/api/v1/namespaces", named(name, nil))
	return name
}

// configMaps is the path of the config maps of a namespace.
func configMaps(namespace string) string { return collection(rawwatch.ConfigMaps, namespace) }

func TestMain(m *testing.M) {
	flag.Parse()
	// Whoever runs in parallel waits for a server, not for a processor.
	_ = flag.Set("test.parallel", "16") // the flag is always there
	code := m.Run()
	if sharedUsed.Load() {
		if c, err := sharedServer(); err == nil {
			_ = c.Close() // the folder is a temporary one
		}
	}
	os.Exit(code)
}
