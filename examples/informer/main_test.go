package main

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

func TestFollow(t *testing.T) {
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
		must(server.Create(watchtest.Pods, `{"metadata":{"namespace":"n","name":"a"},"spec":{"nodeName":"one"},"status":{"phase":"Pending"}}`))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		var out bytes.Buffer
		go func() { ended <- follow(ctx, client, &out) }()
		synctest.Wait()
		must(server.Patch(watchtest.Pods, "n", "a", `{"status":{"phase":"Running","podIP":"10.2.0.1"}}`))
		synctest.Wait()
		must(server.Delete(watchtest.Pods, "n", "a"))
		synctest.Wait()
		stop()
		<-ended
		want := "ADDED n/a one Pending \nin sync: 1 pods\nMODIFIED n/a one Running 10.2.0.1\nDELETED n/a one Running 10.2.0.1\n"
		if out.String() != want {
			t.Errorf("%s\nwant:\n%s", &out, want)
		}
	})
}
