package rawwatch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

var pods = watchtest.Pods

func TestStateThenChanges(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "edge", "a")
		w.create(pods, "edge", "b")
		w.create(pods, "elsewhere", "c")
		f := w.follow(rawwatch.Pods.InNamespace("edge"), rawwatch.ListWatchOptions{})
		f.expect("ADDED list edge/a", "ADDED list edge/b", "SYNCED list")

		d := w.create(pods, "edge", "d")
		a := w.touch(pods, "edge", "a", "1")
		w.delete(pods, "edge", "b")
		w.settle()
		f.expect("ADDED stream edge/d", "MODIFIED stream edge/a", "DELETED stream edge/b")
		f.expectState(a, d)
		w.counts(1, 1)
	})
}

func TestEmptyAndSyncedIsAState(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		hold := w.server.Inject(watchtest.Fault{Verb: "list", Hold: true})
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		if s := f.reflector.Status(); s.Synced || s.Objects != -1 {
			w.Errorf("before the list: %+v", s)
		}
		hold.Remove()
		w.pass(time.Minute)
		f.expect("SYNCED list")
		if s := f.reflector.Status(); !s.Synced || s.Objects != 0 || !s.Connected {
			w.Errorf("after an empty list: %+v", s)
		}
	})
}

// TestPagesAreOneList: limit and continue, no resourceVersionMatch with the
// token, and the watch begins at the version of the list.
func TestPagesAreOneList(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range strings.Split("a b c d e", " ") {
			w.create(pods, "n", name)
		}
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 2})
		f.expect("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "ADDED list n/d", "ADDED list n/e", "SYNCED list")
		w.counts(3, 1)
		for i, r := range w.requests("list") {
			if r.Query.Get("limit") != "2" || r.Query.Has("resourceVersion") || r.Query.Has("resourceVersionMatch") || r.Query.Has("continue") != (i > 0) {
				w.Errorf("page %d asked with %v", i+1, r.Query)
			}
		}
		q := w.requests("watch")[0].Query
		if q.Get("watch") != "1" || q.Get("allowWatchBookmarks") != "true" || q.Get("resourceVersion") != f.reflector.Status().ResourceVersion {
			w.Errorf("watch asked with %v", q)
		}
	})
}

// TestSelectorsOnEveryRequest: one agent per node must never see the others'
// pods, on resume and relist neither.
func TestSelectorsOnEveryRequest(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "mine", `"spec":{"nodeName":"node-7"}`)
		w.create(pods, "n", "other", `"spec":{"nodeName":"node-8"}`)
		f := w.follow(rawwatch.Pods.WithField("spec.nodeName=node-7").WithLabel("!hidden"), rawwatch.ListWatchOptions{PageLimit: 1})
		f.expect("ADDED list n/mine", "SYNCED list")
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(time.Minute)
		w.server.Advance(5)
		w.server.Restart()
		w.server.Compact(w.server.Revision())
		w.pass(time.Minute)
		for _, r := range w.server.Journal() {
			if r.Query.Get("fieldSelector") != "spec.nodeName=node-7" || r.Query.Get("labelSelector") != "!hidden" {
				w.Errorf("%s without its selectors: %v", r.Verb, r.Query)
			}
		}
		if len(w.requests("watch")) < 3 || len(w.requests("list")) < 2 {
			w.Errorf("too few requests to tell: %d", len(w.server.Journal()))
		}
	})
}

func TestOneObjectByName(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Deny(watchtest.Denial{User: "admin", Resource: "pods", ExceptName: "a"})
		w.create(pods, "n", "a")
		w.create(pods, "n", "b")
		f := w.follow(rawwatch.Pods.InNamespace("n").Named("a"), rawwatch.ListWatchOptions{})
		f.expect("ADDED list n/a", "SYNCED list")
		w.touch(pods, "n", "b", "1")
		w.touch(pods, "n", "a", "1")
		w.settle()
		f.expect("MODIFIED stream n/a")
	})
}

// TestLeavingTheSelection: an object that stops matching looks like a deletion.
func TestLeavingTheSelection(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		f := w.follow(rawwatch.Pods.WithLabel("!gone"), rawwatch.ListWatchOptions{})
		if _, err := w.server.Patch(pods, "n", "a", `{"metadata":{"labels":{"gone":"1"}}}`); err != nil {
			w.Fatal(err)
		}
		w.settle()
		f.expect("ADDED list n/a", "SYNCED list", "DELETED stream n/a")
	})
}

// TestBreakingOutClosesTheStream: the bubble would not end with it open.
func TestBreakingOutClosesTheStream(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		for event, err := range w.client.ListWatch(w.Context(), rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}) {
			if err != nil {
				w.Fatal(err)
			}
			if event.Type == rawwatch.Synced {
				w.create(pods, "n", "b")
			}
			if event.Object.Name == "b" {
				break
			}
		}
		w.pass(time.Second)
		if n := w.server.Watches(watchtest.Selector{}); n != 0 {
			w.Errorf("%d watches are open after the loop", n)
		}
	})
}

func TestUsedTwice(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		r := rawwatch.NewReflector(w.client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		for range r.Events(w.Context()) {
			break
		}
		for _, err := range r.Events(w.Context()) {
			if err != rawwatch.ErrReflectorUsed {
				w.Errorf("the second time: %v", err)
			}
		}
	})
}

// TestSlowConsumer: it slows the stream and loses nothing.
func TestSlowConsumer(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		last := ""
		for event, err := range w.client.ListWatch(w.Context(), rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}) {
			if err != nil {
				w.Fatal(err)
			}
			switch event.Type {
			case rawwatch.Synced:
				for range 50 {
					last = w.touch(pods, "n", "a", strings.Repeat("x", 1+len(last)%7)+last).ResourceVersion
				}
			case rawwatch.Modified:
				w.pass(10 * time.Second)
				if event.Object.ResourceVersion == last {
					return
				}
			}
		}
	})
}
