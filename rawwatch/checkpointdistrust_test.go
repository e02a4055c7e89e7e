package rawwatch

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestCheckpointDistrustedMeanwhile: what is distrusted while a whole state is being
// saved stays distrusted, and is set aside by the next save.
func TestCheckpointDistrustedMeanwhile(t *testing.T) {
	for name, first := range map[string]string{"an ordinary save": "", "in place of one set aside": "it is of another Schema"} {
		t.Run(name, func(t *testing.T) {
			s, err := NewStore(StoreOptions[thing]{})
			if err != nil {
				t.Fatal(err)
			}
			w := &savedWatch[thing]{id: checkpointtest.PodsIdentity("pods"), fresh: true, aside: first}
			var store checkpointtest.Memory
			k := &checkpoints[thing]{store: &store, clusterID: "here", log: slog.New(slog.DiscardHandler)}
			save := func(version string) {
				t.Helper()
				if err := k.saveWhole(t.Context(), w, &entry[thing]{version: version, whole: s.Snapshot()}); err != nil {
					t.Fatal(err)
				}
			}
			const why = "the history was rewritten"
			store.Fail = func(operation, _ string) error {
				if operation == "replace" {
					k.distrust(w, why)
				}
				return nil
			}
			save("5")
			if !w.isFresh() || w.aside != why {
				t.Fatalf("fresh %v, to be set aside because %q", w.fresh, w.aside)
			}
			store.Fail = nil
			save("3")
			if w.isFresh() || w.aside != "" {
				t.Errorf("fresh %v, to be set aside because %q", w.fresh, w.aside)
			}
			if asides := store.Asides(); len(asides) != 1 || asides[0].ResourceVersion != "5" || asides[0].Reason != why {
				t.Errorf("set aside: %+v", asides)
			}
			k.distrust(w, why)
			store.Fail = func(operation, _ string) error {
				if operation == "replace" {
					return errors.New("no room")
				}
				return nil
			}
			if err := k.saveWhole(t.Context(), w, &entry[thing]{version: "4", whole: s.Snapshot()}); err == nil || !w.isFresh() || w.aside != why {
				t.Errorf("%v; fresh %v, to be set aside because %q", err, w.fresh, w.aside)
			}
		})
	}
}
