package rawwatch_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestCheckpointOfManyChanges: 30 % of 10,000 objects change and 10 % vanish
// while nobody watches; within the server's history and beyond it each is told
// once, and nothing else.
func TestCheckpointOfManyChanges(t *testing.T) {
	objects := 10_000
	if testing.Short() {
		objects = 500
	}
	for _, cause := range []rawwatch.Cause{rawwatch.CauseCheckpoint, rawwatch.CauseRelist} {
		t.Run(string(cause), func(t *testing.T) {
			inWorld(t, watchtest.Options{History: 20_000}, func(w *world) {
				w.kubeSystem()
				for n := range objects {
					w.create(pods, "n", fmt.Sprintf("p%05d", n), onNode("x"))
				}
				var memory checkpointtest.Memory
				w.agent(&memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
				want := map[string]int{"SYNCED " + string(cause): 1}
				for n := range objects {
					name := fmt.Sprintf("p%05d", n)
					switch n % 10 {
					case 0, 3, 6:
						w.touch(pods, "n", name, "1")
						want["MODIFIED "+string(cause)+" n/"+name] = 1
					case 9:
						w.delete(pods, "n", name)
						want["DELETED "+string(cause)+" n/"+name] = 1
					}
				}
				if cause == rawwatch.CauseRelist {
					w.server.Compact(w.server.Revision())
				}
				second := w.agent(memory.Reopen(), all, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(5 * time.Second)
				lines := second.take()
				for _, line := range lines {
					want[line]--
				}
				for line, n := range want {
					if n != 0 {
						t.Fatalf("%q is missing %d times, of %d lines", line, n, len(lines))
					}
				}
				if last := lines[len(lines)-1]; !strings.HasPrefix(last, "SYNCED") || second.Store().Len() != objects*9/10 {
					t.Errorf("at the end %q, with %d objects", last, second.Store().Len())
				}
			})
		})
	}
}
