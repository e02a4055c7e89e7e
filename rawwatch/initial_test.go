package rawwatch_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// TestInitialEventsAsAStream: one request brings the state and then the
// changes; a gap is closed the same way, with exact differences.
func TestInitialEventsAsAStream(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		w.create(pods, "n", "b")
		f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{StreamRelist: true})
		w.pass(time.Second)
		f.expect("ADDED list n/a", "ADDED list n/b", "SYNCED list")
		w.counts(0, 1)
		q := w.requests("watch")[0].Query
		if q.Get("sendInitialEvents") != "true" || q.Get("resourceVersionMatch") != "NotOlderThan" || q.Has("resourceVersion") {
			w.Errorf("asked with %v", q)
		}
		a := w.touch(pods, "n", "a", "1")
		w.settle()
		f.expect("MODIFIED stream n/a")

		end := w.outage()
		w.pass(time.Second)
		w.delete(pods, "n", "b")
		c := w.create(pods, "n", "c")
		w.forget()
		end()
		w.pass(time.Minute)
		f.expect("ADDED relist n/c", "DELETED relist n/b", "SYNCED relist")
		f.expectState(a, c)
		if n := len(w.requests("list")); n != 0 {
			w.Errorf("%d lists", n)
		}
	})
}

// TestServersWithoutInitialEvents: they are listed, and not asked again.
func TestServersWithoutInitialEvents(t *testing.T) {
	for _, mode := range []watchtest.WatchListMode{watchtest.WatchListOff, watchtest.WatchListIgnored} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			inWorld(t, watchtest.Options{WatchList: mode, BookmarkInterval: -1}, func(w *world) {
				a := w.create(pods, "n", "a")
				f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.pass(3 * time.Minute)
				f.expectState(a)
				if s := f.reflector.Status(); !s.Synced {
					w.Errorf("status %+v", s)
				}
				w.forget()
				w.pass(time.Minute)
				asked := 0
				for _, r := range w.requests("watch") {
					if r.Query.Has("sendInitialEvents") {
						asked++
					}
				}
				if asked != 1 {
					w.Errorf("initial events were asked for %d times", asked)
				}
			})
		})
	}
}

// TestBrokenInitialStream starts over, and concludes nothing from the half that
// came.
func TestBrokenInitialStream(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		a, b := w.create(pods, "n", "a"), w.create(pods, "n", "b")
		f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{StreamRelist: true})
		w.pass(time.Second)
		f.took()
		w.server.Inject(watchtest.Fault{Verb: "watch", Count: 2, Cut: watchtest.Abort, AfterFrames: 1})
		w.forget()
		w.pass(5 * time.Minute)
		f.expect("SYNCED relist")
		f.expectState(a, b)
	})
}

// TestListFirst: the list takes the place of the stream where it is wanted, and
// what contradicts it is refused before anything is sent.
func TestListFirst(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		a := w.create(pods, "n", "a")
		f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{ListFirst: true})
		f.expect("ADDED list n/a", "SYNCED list")
		f.expectState(a)
		w.counts(1, 1)
		f.stop()
		w.server.ClearJournal()
		f = w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{ListFirst: true, StreamRelist: true})
		var wrong *resume.OptionError
		if !errors.As(f.ended(), &wrong) || wrong.Option != "StreamRelist" {
			w.Errorf("ended with %v", f.err)
		}
		w.counts(0, 0)
	})
}
