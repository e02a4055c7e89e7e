package etcdcheckpoint_test

import (
	"context"
	"fmt"

	"github.com/rawwatch/rawwatch/resume/checkpointtest"
	"github.com/rawwatch/rawwatch/resume/etcdcheckpoint"
)

// An agent moves to another machine.
func Example() {
	client, err := newClient() // clientv3.New
	if err != nil {
		panic(err)
	}
	defer func() { _ = client.Close() }()
	ctx := context.Background()
	options := etcdcheckpoint.Options{Prefix: "/agents/edge-7"}

	here := etcdcheckpoint.New(client, options)
	if err := here.Replace(ctx, checkpointtest.PodsIdentity("pods"), "4711", checkpointtest.Pods(3)); err != nil {
		panic(err)
	}

	there := etcdcheckpoint.New(client, options)
	saved, err := there.Load(ctx, "pods")
	if err != nil {
		panic(err)
	}
	fmt.Println("there: going on from", saved.ResourceVersion)
	fmt.Println("here:", here.Commit(ctx, "pods", nil, "4712"))
	// Output:
	// there: going on from 4711
	// here: checkpoint: the watch pods was taken over by another agent: stop this one, or load again
}
