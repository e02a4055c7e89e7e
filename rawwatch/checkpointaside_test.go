package rawwatch_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestKilledAside: a process is killed when it has set a state aside and not yet
// saved the one that takes its place. The next one still knows what was known, and
// tells what is gone.
func TestKilledAside(t *testing.T) {
	for name, c := range map[string]struct {
		query     rawwatch.Query
		meanwhile func(*world)
		told      []string // to the one that is killed
		then      []string // to the next, when a is gone
	}{
		"another history": {
			query:     all,
			meanwhile: func(w *world) { w.rollback(5) },
			told:      []string{"MODIFIED relist n/b", "SYNCED relist"},
			then:      []string{"DELETED relist n/a", "SYNCED relist"},
		},
		"another cluster": {
			query:     all,
			meanwhile: func(w *world) { w.delete(watchtest.Namespaces, "", "kube-system"); w.kubeSystem() },
			told:      []string{"SYNCED relist"},
			then:      []string{"DELETED relist n/a", "SYNCED relist"},
		},
		"another selector": {
			query:     all.WithField("metadata.name!=c"),
			meanwhile: func(*world) {},
			told:      []string{"ADDED list n/a", "ADDED list n/b", "SYNCED list"},
			then:      []string{"DELETED relist n/a", "SYNCED list"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.kubeSystem()
				w.create(pods, "n", "a", onNode("x"))
				w.create(pods, "n", "b", onNode("x"))
				for _, version := range []string{"1", "2", "3", "4", "5"} {
					w.touch(pods, "n", "b", version)
				}
				memory := new(checkpointtest.Memory)
				w.agent(memory, all, rawwatch.InformerOptions[pod]{}, changesOnly).begin().stop()
				c.meanwhile(w)
				memory = memory.Reopen()
				for n, told := range [][]string{c.told, {c.told[len(c.told)-1]}} { // and again
					memory.Fail = func(operation, watch string) error {
						if operation == "commit" && watch == "pods" {
							t.Error("what is not gone on from is changed")
						}
						if operation == "replace" && watch == "pods" {
							return errors.New("it was killed meanwhile")
						}
						return nil
					}
					r := w.agent(memory, c.query, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
					w.pass(5 * time.Second)
					w.touch(pods, "n", "b", fmt.Sprint("again ", n))
					w.pass(5 * time.Second)
					r.heard(append(told, "MODIFIED stream n/b")...)
					memory = r.kill(memory)
				}
				if asides := memory.Asides(); len(asides) != 1 || asides[0].Objects != 2 {
					t.Errorf("set aside: %+v", asides)
				}
				memory.Fail = nil
				w.delete(pods, "n", "a")
				r := w.agent(memory, c.query, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(5 * time.Second)
				r.heard(c.then...)
				if asides := memory.Asides(); len(asides) != 1 {
					t.Errorf("set aside: %+v", asides)
				}
				memory = r.kill(memory)
				r = w.agent(memory, c.query, rawwatch.InformerOptions[pod]{}, changesOnly).begin()
				w.pass(5 * time.Second)
				r.heard("SYNCED checkpoint")
			})
		})
	}
}
