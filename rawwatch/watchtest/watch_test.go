package watchtest

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test on virtual time with a server in memory.
func bubble(t *testing.T, o Options, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Mode == TLS {
			o.Mode = Memory
		}
		test(newRig(t, o))
	})
}

func since(o Object) string { return "&resourceVersion=" + o.ResourceVersion }

func TestWatchFromVersion(t *testing.T) {
	bubble(t, Options{}, func(r *rig) {
		first := r.pod("edge", "a")
		r.pod("edge", "b")
		w := r.watch("/api/v1/pods", since(first))
		w.want("ADDED b")
		if _, err := r.Patch(Pods, "edge", "b", `{"status":{"phase":"Running"}}`); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Delete(Pods, "edge", "b"); err != nil {
			t.Fatal(err)
		}
		w.want("MODIFIED b")
		gone := w.next()
		if gone.String() != "DELETED b" || gone.Object.Metadata.ResourceVersion != fmt.Sprint(r.Revision()) {
			t.Errorf("deletion: %s", gone.raw)
		}
		if gone.Object.Kind != "Pod" || gone.Object.APIVersion != "v1" {
			t.Errorf("frames carry kind and apiVersion: %s", gone.raw)
		}
		w.close()
	})
}

func TestWatchTimeoutEndsCleanly(t *testing.T) {
	bubble(t, Options{}, func(r *rig) {
		first := r.pod("edge", "a")
		begun := time.Now()
		w := r.watch("/api/v1/pods", since(first)+"&timeoutSeconds=90&allowWatchBookmarks=true")
		w.want("BOOKMARK", "BOOKMARK")
		w.end()
		if d := time.Since(begun); d != 90*time.Second {
			t.Errorf("lived %v", d)
		}
	})
}
