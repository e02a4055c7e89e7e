package watchtest

import (
	"fmt"
	"io"
	"net/http"
	"testing"
)

func TestRestart(t *testing.T) {
	every(t, func(t *testing.T, r *rig) {
		first := r.pod("edge", "a")
		second := r.pod("edge", "b")
		w := r.watch(pods, since(second))
		r.Restart()
		if f, err := w.read(); err == nil || err == io.EOF {
			t.Errorf("a live watch: %s %v", f.raw, err)
		}
		w.close()
		r.reconnect()
		if l := r.list(pods, "limit", "1"); l.names() != "a" || l.Metadata.ResourceVersion != second.ResourceVersion {
			t.Errorf("objects stay: %+v", l)
		}
		w = r.watch(pods, since(first))
		w.want("ERROR 410")
		w.end()
		w = r.watch(pods, since(second))
		r.pod("edge", "c")
		w.want("ADDED c")
		w.close()
	})
}

func TestRollback(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		kept := r.pod("edge", "b")
		r.Delete(Pods, "edge", "a")
		r.Patch(Pods, "edge", "b", `{"x":1}`)
		r.pod("edge", "c")
		w := r.watch(pods, since(kept)+"&allowWatchBookmarks=true")
		if err := r.Rollback(firstRevision + 2); err != nil {
			t.Fatal(err)
		}
		w.close()
		r.reconnect()
		l := r.list(pods)
		if l.names() != "a b" || l.Metadata.ResourceVersion != kept.ResourceVersion {
			t.Errorf("%+v", l)
		}
		if got, err := r.Get(Pods, "edge", "b"); err != nil || string(got.JSON) != string(kept.JSON) {
			t.Errorf("%s %v", got.JSON, err)
		}
		if again := r.pod("edge", "d"); again.ResourceVersion != fmt.Sprint(firstRevision+3) {
			t.Errorf("revisions are given out again: %s", again.ResourceVersion)
		}
		w = r.watch(pods, since(kept))
		w.want("ADDED d")
		w.close()
		r.Compact(firstRevision + 3)
		for _, revision := range []uint64{firstRevision + 2, firstRevision + 9} {
			if err := r.Rollback(revision); err == nil {
				t.Errorf("back to %d", revision)
			}
		}
	})
}

func TestCompactKeepsWhatIsAlive(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		five(r)
		for _, name := range []string{"a", "b"} {
			r.Patch(Pods, "edge", name, `{"x":1}`)
			r.Delete(Pods, "edge", name)
		}
		again := r.pod("edge", "a")
		r.Compact(r.Revision() + 100)
		if l := r.list(pods); l.names() != "a c d e" {
			t.Errorf("%+v", l)
		}
		c := r.store.collections[Pods.address()]
		if len(c.entries) != 4 || len(r.store.commits) != 0 || c.live != 4 {
			t.Errorf("%d entries, %d commits, %d alive", len(c.entries), len(r.store.commits), c.live)
		}
		if l := r.list(pods, "resourceVersion", again.ResourceVersion, "resourceVersionMatch", "Exact"); l.names() != "a c d e" {
			t.Errorf("the compacted revision itself can be read: %+v", l)
		}
	})
}

func TestCloseWithRequestsUnderWay(t *testing.T) {
	every(t, func(t *testing.T, r *rig) {
		held := r.Inject(Fault{Hold: true, Verb: "list"})
		ended := make(chan error, 1)
		w := r.watch(pods, "")
		go func() {
			resp, err := r.try(t.Context(), "GET", pods, "")
			if err == nil {
				resp.Body.Close()
			}
			ended <- err
		}()
		if err := held.Await(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		r.Close()
		r.Close()
		if err := <-ended; err == nil {
			t.Error("an answer after the end")
		}
		w.close()
		r.client.CloseIdleConnections()
		if _, err := r.try(t.Context(), http.MethodGet, "/version", ""); err == nil {
			t.Error("still open")
		}
		r.Restart() // is no harm
	})
}
