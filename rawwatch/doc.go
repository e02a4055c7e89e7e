// Package rawwatch is a Kubernetes list/watch client made from plain HTTP, for
// programs in which client-go is too heavy: agents on edge devices, sidecars,
// DNS servers, telemetry collectors.
//
// A [Client] talks to one API server:
//
//	config, err := kubeconfig.Load(kubeconfig.Options{}) // KUBECONFIG, ~/.kube/config, or in-cluster
//	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{})
//	defer client.Close()
//
// [Client.ListWatch] is what most programs want: the objects of a [Query] and
// every change of them, for ever, through everything that servers and networks
// do:
//
//	for event, err := range client.ListWatch(ctx, rawwatch.Pods.InNamespace("edge"), rawwatch.ListWatchOptions{}) {
//		if err != nil {
//			return err // the context's, or a query that the server refuses
//		}
//		fmt.Println(event.Type, event.Object.Key())
//	}
//
// A [Reflector] is the same with a [Reflector.Status] to ask. Below it lie
// [Client.List], one list in pages, and [Client.Watch], one stream; both do one
// attempt and return what came of it.
//
// # Informers
//
// An [Informer] keeps a [Store] of what a struct of yours names of each object,
// with indexes and a [Lister], and tells any number of subscribers what changes:
//
//	pods, err := rawwatch.NewInformer(client, query, rawwatch.InformerOptions[Pod]{})
//	_, err = pods.Subscribe(handler, rawwatch.SubscriptionOptions[Pod]{})
//	err = pods.Run(ctx)
//
// A slow handler pushes back on the stream, or gets the newest state of each
// object; either way what waits is bounded: see [Delivery]. A [Group] shares
// informers within a process, and one watch among several structs. Package
// workqueue is for reconcilers. See docs/informers.md, also for what client-go
// calls these things.
//
// With [CheckpointIn] an informer begins with what an earlier process knew, and goes
// on from there: see docs/checkpoints.md.
//
// # Whose bytes
//
// [Object.Raw] is borrowed: it is valid until the loop's next step. The strings
// of an object are the caller's. Use [Object.Clone] to keep the bytes.
//
// # Errors
//
// Everything that a request can fail with comes as a [*RequestError], which
// names the verb, the URL and, where a person has to act, what to do. Its cause
// is reached with errors.As. What heals by itself is not returned at all, but
// told to [ListWatchOptions].OnFailure, the log and the status.
//
// # How it is
//
// [Reflector.Status], [Informer.Status] and [Client.Status] tell it at any time, a
// [HealthHandler] to health checks, and a [Hook] hears of everything that a metric
// or a trace needs. See docs/operations.md for what to alarm on.
//
// # Writing
//
// [Client.Get], [Client.Create], [Client.Update], [Client.Patch] and
// [Client.Delete] are for what an agent must write back; [Client.Change] reads,
// edits and updates, again after a conflict. An update takes whole objects only;
// a struct of some fields is written with [DiffPatch]. See docs/writing.md for
// what is repeated, and what errors leave out.
//
// # Testing
//
// The package watchtest has an API server that runs inside the test process,
// also on the virtual time of testing/synctest.
//
// The protocol is that of "Kubernetes API Concepts":
// https://kubernetes.io/docs/reference/using-api/api-concepts/
package rawwatch
