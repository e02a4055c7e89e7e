package watchtest

import (
	"fmt"
	"strings"
	"testing"
)

const initialEvents = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"

func TestInitialEvents(t *testing.T) {
	const mark = `"annotations":{"k8s.io/initial-events-end":"true"}`
	for query, marked := range map[string]bool{
		initialEvents + "&allowWatchBookmarks=true":                       true,
		initialEvents + "&allowWatchBookmarks=true&resourceVersion=80402": true,
		initialEvents:                                 false,
		"&allowWatchBookmarks=true":                   true,
		"&allowWatchBookmarks=true&resourceVersion=0": true,
		"&resourceVersion=0":                          false,
		"":                                            false,
	} {
		inBoth(t, Options{}, func(t *testing.T, r *rig) {
			r.pod("edge", "b")
			r.pod("edge", "a")
			w := r.watch(pods, query)
			w.want("ADDED a", "ADDED b")
			if marked {
				want := `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"80402",` + mark + `},"spec":{"containers":null},"status":{}}}` + "\n"
				if f := w.next(); f.raw != want {
					t.Errorf("%s: end mark %s", query, f.raw)
				}
			}
			r.pod("edge", "c")
			w.want("ADDED c")
			w.close()
		})
	}
}

func TestInitialEventsFromFuture(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		w := r.watch(pods, initialEvents+"&allowWatchBookmarks=true&resourceVersion=99999")
		if f := w.next(); f.String() != "ERROR 504" || f.Object.Message != "Timeout: Too large resource version: 99999, current: 80400" {
			t.Errorf("%s", f.raw)
		}
		w.end()
	})
}

func TestInitialEventsDeclined(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		w := r.watch(pods, "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
		r.pod("edge", "b")
		w.want("ADDED b")
		w.close()
	})
}

func TestInitialEventsSwitchedOff(t *testing.T) {
	inBoth(t, Options{WatchList: WatchListOff}, func(t *testing.T, r *rig) {
		code, text := r.ask("GET", pods+"?watch=1"+initialEvents+"&allowWatchBookmarks=true", "")
		if code != 422 || !strings.Contains(text, `ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled`) {
			t.Errorf("%d %s", code, text)
		}
	})
	for _, mode := range []WatchListMode{WatchListOff, WatchListIgnored} {
		inBoth(t, Options{WatchList: mode}, func(t *testing.T, r *rig) {
			r.pod("edge", "a")
			query := "&allowWatchBookmarks=true&timeoutSeconds=1"
			if mode == WatchListIgnored {
				query += initialEvents
			}
			w := r.watch(pods, query)
			w.want("ADDED a")
			w.end() // without the mark
		})
	}
}

func TestInitialEventsOfCustomResource(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.Register(Resource{Group: "foo.io", Version: "v1", Plural: "bars", Kind: "Bar"})
		w := r.watch("/apis/foo.io/v1/bars", "&allowWatchBookmarks=true")
		want := `{"type":"BOOKMARK","object":{"apiVersion":"foo.io/v1","kind":"Bar","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"80400"}}}` + "\n"
		if f := w.next(); f.raw != want {
			t.Errorf("%s", f.raw)
		}
		w.close()
	})
}

func TestInitialEventsThenHistory(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		for i := range 1000 {
			r.pod("edge", fmt.Sprintf("p%03d", i))
		}
		w := r.watch(pods, "&allowWatchBookmarks=true")
		for i := range 1000 {
			r.Patch(Pods, "edge", fmt.Sprintf("p%03d", i), `{"x":1}`)
		}
		counts := map[string]int{}
		for range 2001 {
			counts[w.next().Type]++
		}
		if fmt.Sprint(counts) != "map[ADDED:1000 BOOKMARK:1 MODIFIED:1000]" {
			t.Errorf("%v", counts)
		}
		w.close()
	})
}
