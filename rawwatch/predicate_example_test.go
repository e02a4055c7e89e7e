package rawwatch_test

import (
	"fmt"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// A handler that only minds where a pod runs and whether it runs leaves out
// every other update of it.
func ExampleChanged() {
	type pod struct{ Node, Phase, Message string }
	node := rawwatch.Changed(func(p pod) string { return p.Node })
	phase := rawwatch.Changed(func(p pod) string { return p.Phase })
	either := rawwatch.AnyOf(node, phase)

	old := &rawwatch.Item[pod]{Value: pod{"node-1", "Pending", "pulling"}}
	chatty := &rawwatch.Item[pod]{Value: pod{"node-1", "Pending", "pulled"}}
	running := &rawwatch.Item[pod]{Value: pod{"node-1", "Running", ""}}
	fmt.Println(either(old, chatty), either(chatty, running))
	// Output: false true
}
