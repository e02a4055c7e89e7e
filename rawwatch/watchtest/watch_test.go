package watchtest

import (
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test on virtual time with a server in memory.
func bubble(t *testing.T, o Options, test func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Mode == TLS {
			o.Mode = Memory
		}
		test(t, newRig(t, o))
	})
}

// inBoth runs a test in both encodings.
func inBoth(t *testing.T, o Options, test func(*testing.T, *rig)) {
	t.Helper()
	for name, accept := range map[string]string{"json": typeJSON, "protobuf": typeProtobuf + "," + typeJSON} {
		t.Run(name, func(t *testing.T) {
			t.Helper()
			bubble(t, o, func(t *testing.T, r *rig) {
				r.accept = accept
				test(t, r)
			})
		})
	}
}

func since(o Object) string { return "&resourceVersion=" + o.ResourceVersion }

func TestWatchFromVersion(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
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
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
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

func TestWatchTooOld(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		age  func(*rig)
	}{
		{"count", Options{History: 2}, func(*rig) {}},
		{"age", Options{HistoryAge: time.Minute}, func(r *rig) { r.pass(2 * time.Minute) }},
		{"compaction", Options{}, func(r *rig) { r.Compact(r.Revision()) }},
		{"restart", Options{}, func(r *rig) { r.Restart() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBoth(t, c.o, func(t *testing.T, r *rig) {
				first := r.pod("edge", "a")
				five := []string{"b", "c", "d", "e"}
				for _, name := range five {
					r.pod("edge", name)
				}
				c.age(r)
				r.reconnect()
				w := r.watch(pods, since(first))
				f := w.next()
				if f.String() != "ERROR 410" || f.Object.Reason != "Expired" || f.Object.Kind != "Status" {
					t.Fatalf("%s", f.raw)
				}
				var asked, oldest uint64
				if _, err := fmt.Sscanf(f.Object.Message, "too old resource version: %d (%d)", &asked, &oldest); err != nil || fmt.Sprint(asked) != first.ResourceVersion {
					t.Errorf("%q: %v", f.Object.Message, err)
				}
				w.end()
				// The oldest one is good.
				w = r.watch(pods, fmt.Sprint("&timeoutSeconds=1&resourceVersion=", oldest))
				for f, err := w.read(); err != io.EOF; f, err = w.read() {
					if err != nil || f.Type != "ADDED" {
						t.Fatalf("%s %v", f.raw, err)
					}
				}
				w.close()
			})
		})
	}
}

func TestWatchFromFutureIsSilent(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a") // 80401
		w := r.watch(pods, "&resourceVersion=80403&allowWatchBookmarks=true&timeoutSeconds=300")
		r.pass(3*time.Minute + time.Second)
		r.pod("edge", "b") // 80402
		r.pod("edge", "c") // 80403
		r.pod("edge", "d") // 80404
		w.want("ADDED d", "BOOKMARK", "BOOKMARK")
		w.end()
	})
}

func TestWatchWithoutTimeout(t *testing.T) {
	inBoth(t, Options{MinRequestTimeout: 10 * time.Minute}, func(t *testing.T, r *rig) {
		begun := time.Now()
		w := r.watch(pods, "&resourceVersion=80400")
		w.end()
		if d := time.Since(begun); d < 10*time.Minute || d > 20*time.Minute {
			t.Errorf("lived %v", d)
		}
	})
}

func TestWatchRefused(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		for query, want := range map[string]int{
			"resourceVersion=x":      500,
			"timeoutSeconds=x":       400,
			"labelSelector=-":        400,
			"sendInitialEvents=true": 422,
			"resourceVersion=1&resourceVersionMatch=NotOlderThan":              422,
			"sendInitialEvents=true&resourceVersionMatch=Exact":                422,
			"sendInitialEvents=1&resourceVersionMatch=NotOlderThan&continue=x": 422,
		} {
			if code, text := r.ask("GET", pods+"?watch=true&"+query, ""); code != want {
				t.Errorf("%s: %d %s", query, code, text)
			}
		}
	})
}

func TestWatchSlowClientIsCut(t *testing.T) {
	inBoth(t, Options{History: 4}, func(t *testing.T, r *rig) {
		w := r.watch(pods, "&resourceVersion=80400")
		thaw := r.Freeze(Selector{})
		for i := range 9 {
			r.pod("edge", fmt.Sprint(i))
		}
		thaw()
		w.end()
	})
}

func TestWatchBookmarks(t *testing.T) {
	inBoth(t, Options{BookmarkInterval: 10 * time.Second}, func(t *testing.T, r *rig) {
		w := r.watch(pods, "&resourceVersion=80400&allowWatchBookmarks=1&timeoutSeconds=25")
		plain := r.watch(pods, "&resourceVersion=80400&timeoutSeconds=25")
		never := r.watch("/api/v1/nodes", "&resourceVersion=80400&allowWatchBookmarks=0&timeoutSeconds=25")
		r.pod("edge", "a")
		w.want("ADDED a")
		begun := time.Now()
		var at []time.Duration
		for range 3 {
			r.Advance(7)
			f := w.next()
			if f.String() != "BOOKMARK" || f.Object.Metadata.ResourceVersion != fmt.Sprint(r.Revision()) {
				t.Errorf("%s", f.raw)
			}
			at = append(at, time.Since(begun))
		}
		if got := fmt.Sprint(at); got != "[10s 20s 23s]" {
			t.Errorf("bookmarks at %s", got)
		}
		w.end()
		plain.want("ADDED a")
		plain.end()
		never.end()
	})
}
