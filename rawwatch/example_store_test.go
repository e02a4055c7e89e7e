package rawwatch_test

import (
	"fmt"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/selector"
)

// Worker is what these examples keep of a pod.
type Worker struct {
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

// listed is an event of a first list, as Client.ListWatch yields them.
func listed(namespace, name, app, node string) rawwatch.Event {
	return rawwatch.Event{Type: rawwatch.Added, Cause: rawwatch.CauseList, Object: rawwatch.Object{
		Identity: decode.Identity{Namespace: namespace, Name: name, UID: name, ResourceVersion: "7"},
		Raw:      fmt.Appendf(nil, `{"metadata":{"labels":{"app":%q}},"spec":{"nodeName":%q}}`, app, node),
	}}
}

func workers() *rawwatch.Store[Worker] {
	store, err := rawwatch.NewStore(rawwatch.StoreOptions[Worker]{
		KeepLabels: true,
		Indexers: rawwatch.Indexers[Worker]{
			"node": rawwatch.IndexBy(func(w *Worker) string { return w.Spec.NodeName }),
		},
	})
	if err != nil {
		panic(err)
	}
	for _, e := range []rawwatch.Event{
		listed("edge", "web-1", "web", "node-1"), listed("edge", "db-1", "db", "node-2"), listed("core", "web-9", "web", "node-2"),
		{Type: rawwatch.Synced, Cause: rawwatch.CauseList, ResourceVersion: "8"},
	} {
		store.Apply(e, nil) // in a program: within the loop over ListWatch
	}
	return store
}

func ExampleStore() {
	store := workers()
	for key, item := range store.Namespace("edge") {
		fmt.Println(key, item.Value.Spec.NodeName)
	}
	items, err := store.ByIndex("node", "node-2")
	if err != nil {
		fmt.Println(err)
	}
	for key := range items {
		fmt.Println("on node-2:", key)
	}
	// Output:
	// edge/db-1 node-2
	// edge/web-1 node-1
	// on node-2: core/web-9
	// on node-2: edge/db-1
}

func ExampleStore_Snapshot() {
	store := workers()
	before := store.Snapshot()
	store.Apply(rawwatch.Event{Type: rawwatch.Deleted, Cause: rawwatch.CauseStream, Object: rawwatch.Object{
		Identity: decode.Identity{Namespace: "edge", Name: "db-1", UID: "db-1"},
	}}, func(c rawwatch.Change[Worker]) bool {
		fmt.Println(c.Type, c.Item.Key(), "was on", c.Item.Value.Spec.NodeName)
		return true
	})
	fmt.Println(before.Len(), store.Len())
	// Output:
	// DELETED edge/db-1 was on node-2
	// 3 2
}

func ExampleLister() {
	sel, err := selector.Parse("app in (web)")
	if err != nil {
		fmt.Println(err)
		return
	}
	web, err := rawwatch.NewLister(workers(), sel)
	if err != nil {
		fmt.Println(err)
		return
	}
	for key := range web.All() {
		fmt.Println(key)
	}
	// Output:
	// core/web-9
	// edge/web-1
}
