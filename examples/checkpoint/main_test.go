package main

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// TestFollow: a second process writes only what has changed since the first.
func TestFollow(t *testing.T) {
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	must := func(_ watchtest.Object, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(server.Create(watchtest.Namespaces, `{"metadata":{"name":"kube-system"}}`))
	for _, name := range []string{"a", "b"} {
		must(server.Create(watchtest.Pods, `{"metadata":{"namespace":"n","name":"`+name+`"},"spec":{"nodeName":"one"}}`))
	}
	file := filepath.Join(t.TempDir(), "pods.ckpt")
	first := agent(t, server, file)
	if want := "ADDED n/a one  \nADDED n/b one  \nin sync: 2 pods\n"; first != want {
		t.Errorf("first:\n%s\nwant:\n%s", first, want)
	}
	must(server.Patch(watchtest.Pods, "n", "b", `{"status":{"phase":"Running"}}`))
	second := agent(t, server, file)
	if want := "MODIFIED n/b one Running \nin sync: 2 pods\n"; second != want {
		t.Errorf("second:\n%s\nwant:\n%s", second, want)
	}
}

// agent runs until it is in sync, and gives what it has written.
func agent(t *testing.T, server *watchtest.Server, file string) string {
	t.Helper()
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	store, err := checkpoint.Open(t.Context(), file, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out := &untilSync{stop: stop}
	if err := follow(ctx, client, store, out); ctx.Err() == nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// untilSync stops the agent with the line that says it is in sync.
type untilSync struct {
	bytes.Buffer
	stop func()
}

func (u *untilSync) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("in sync")) {
		defer u.stop()
	}
	return u.Buffer.Write(p)
}
