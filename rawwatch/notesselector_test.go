package rawwatch_test

import (
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestKilledOutsideTheSelector: to who selects, DELETED does not mean that an object
// is gone for ever. It may come back, as the same.
func TestKilledOutsideTheSelector(t *testing.T) {
	for name, c := range map[string]struct {
		before, meanwhile func(*world)
		told, then        []string
	}{
		"left, acknowledged; came back while nobody watched": {
			before:    func(w *world) { w.moveTo("a", "y") },
			told:      []string{"DELETED stream n/a"},
			meanwhile: func(w *world) { w.moveTo("a", "x") },
			then:      []string{"ADDED checkpoint n/a", "SYNCED checkpoint"},
		},
		"left and came back, both acknowledged": {
			before: func(w *world) { w.moveTo("a", "y"); w.settle(); w.moveTo("a", "x") },
			told:   []string{"DELETED stream n/a", "ADDED stream n/a"},
			then:   []string{"SYNCED checkpoint"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				w.create(pods, "n", "a", onNode("x"))
				q := all.WithField("spec.nodeName=x")
				memory := new(checkpointtest.Memory)
				first := w.agent(memory, q, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(2 * time.Second)
				first.take()
				c.before(w)
				first.heard(c.told...)
				memory = first.kill(memory)
				if c.meanwhile != nil {
					c.meanwhile(w)
				}
				second := w.agent(memory, q, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(5 * time.Second)
				second.heard(c.then...)
			})
		})
	}
}
