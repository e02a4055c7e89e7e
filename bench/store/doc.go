// Package store measures rawwatch's store beside client-go's cache.Indexer, in
// one run, on the same pods. It holds tests only. Each is filled the way that
// its own informers fill it: rawwatch.Store from the bytes of events, client-go
// from typed pods that were decoded beforehand. BenchmarkInformer is the whole
// way, from the bytes of a watch to 1, 4 and 16 handlers, of both informers.
//
//	go test -run '^$' -bench . ./store
package store
