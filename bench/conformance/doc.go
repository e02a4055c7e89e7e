// Package conformance checks the library against a real kube-apiserver, with
// client-go's informer as the oracle.
//
// The random suite writes, from several writers at once, to a built-in kind,
// a cluster-scoped kind and a custom resource, while the API server is killed
// and started again, etcd is compacted and the network is cut. At every quiet
// point three states must be equal, object for object: the one that [Fold]
// folds from ListWatch's events, the one in client-go's store, and the
// server's own list. All the while Fold holds each event against what a
// consumer is promised: nothing twice, nothing out of order, no deletion of
// what was never there.
//
// The seed of a run is printed; -seed or RAWWATCH_SEED sets it. It decides
// what is written and what is broken, not how the threads of two processes
// meet, so a failure need not come again: its history is saved, in the folder
// that RAWWATCH_ARTIFACTS names or a temporary one.
//
// The other tests provoke, one by one, what API servers do to a watch.
package conformance
