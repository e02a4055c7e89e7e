package realapi_test

import (
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// What was written after the snapshot is gone, what was there before is not.
func TestRestoreGoesBack(t *testing.T) {
	ctx := bounded(t)
	c := realapi.Start(t, realapi.Options{})
	write := func(name string) {
		t.Helper()
		if _, err := c.Direct().Do(ctx, "POST", configMaps, configMap(name)); err != nil {
			t.Fatal(err)
		}
	}
	write("before")
	if err := c.Snapshot(ctx); err != nil {
		t.Fatal(err)
	}
	write("after")
	if err := c.Restore(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Direct().Do(ctx, "GET", configMaps+"/before", nil); err != nil {
		t.Error(err)
	}
	if _, err := c.Direct().Do(ctx, "GET", configMaps+"/after", nil); realapi.Code(err) != 404 {
		t.Errorf("what the snapshot does not hold: %v, want 404", err)
	}
}
