package main

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestControl: the labels follow the pods, also when somebody else overwrites
// one.
func TestControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory})
		defer server.Close()
		client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{DialContext: server.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		must := func(_ watchtest.Object, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		want := func(node, pods string) {
			t.Helper()
			synctest.Wait()
			o, err := server.Get(watchtest.Nodes, "", node)
			if err != nil {
				t.Fatal(err)
			}
			var seen struct {
				Metadata struct{ Labels map[string]string }
			}
			if err := json.Unmarshal(o.JSON, &seen); err != nil {
				t.Fatal(err)
			}
			if got := seen.Metadata.Labels[label]; got != pods {
				t.Errorf("%s has %q, want %q", node, got, pods)
			}
		}
		must(server.Create(watchtest.Nodes, `{"metadata":{"name":"one"}}`))
		must(server.Create(watchtest.Nodes, `{"metadata":{"name":"two"}}`))
		must(server.Create(watchtest.Pods, `{"metadata":{"namespace":"n","name":"a"},"spec":{"nodeName":"one"}}`))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- control(ctx, client) }()
		want("one", "1")
		want("two", "0")
		must(server.Create(watchtest.Pods, `{"metadata":{"namespace":"n","name":"b"}}`))
		must(server.Patch(watchtest.Pods, "n", "b", `{"spec":{"nodeName":"two"}}`))
		want("two", "1")
		must(server.Delete(watchtest.Pods, "n", "a"))
		want("one", "0")
		must(server.Patch(watchtest.Nodes, "", "two", `{"metadata":{"labels":{"`+label+`":"many"}}}`))
		want("two", "1")
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
