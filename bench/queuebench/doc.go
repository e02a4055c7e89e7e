// Package queuebench measures rawwatch's work queue beside client-go's, in one
// run and with the same keys:
//
//	cd bench && go test ./queuebench -run '^$' -bench . -count 6 | tee queue.txt
//	benchstat -col /queue queue.txt
//
// Both are bare: no metrics, no logger. client-go's queue has no priorities and
// no runner, so its workers are the loop that every controller writes by hand.
package queuebench
