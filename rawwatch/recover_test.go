package rawwatch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

var anyWatch = watchtest.Selector{}

// outage makes every request fail until the returned function is called.
func (w *world) outage() (end func()) {
	in := w.server.Inject(watchtest.Fault{Count: -1, Drop: true})
	w.server.CutWatches(anyWatch, watchtest.Reset)
	return in.Remove
}

// forget makes the server forget its history, as a restart does.
func (w *world) forget() {
	w.server.Advance(1)
	w.server.Restart()
	w.server.Compact(w.server.Revision())
}

// TestGapIsMergedIntoTheNetChange: what happened while the history was lost
// arrives as the difference, in any of the forms in which a server says 410.
func TestGapIsMergedIntoTheNetChange(t *testing.T) {
	for _, c := range []struct {
		name string
		gone func(w *world)
	}{
		{"ERROR frame", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(watchtest.TooOld(300, 80402))}})
		}},
		{"HTTP 410", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Answer: watchtest.StatusAnswer(watchtest.Expired())})
		}},
		{"HTTP 410 without a Status", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Answer: &watchtest.Answer{Code: http.StatusGone, Body: []byte("gone")}})
		}},
		{"the server's own", func(w *world) { w.forget() }},
		{"the server's own, and the list fails at first", func(w *world) {
			w.forget()
			w.server.Inject(watchtest.Fault{Verb: "list", Count: 2, Answer: watchtest.StatusAnswer(watchtest.Failure(500))})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.create(pods, "n", "changed")
				w.create(pods, "n", "gone")
				replaced := w.create(pods, "n", "replaced")
				same := w.create(pods, "n", "same")
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 3})
				f.took()
				w.server.ClearJournal()

				end := w.outage()
				w.pass(time.Second)
				w.touch(pods, "n", "changed", "1")
				changed := w.touch(pods, "n", "changed", "2")
				w.delete(pods, "n", "gone")
				w.delete(pods, "n", "replaced")
				again := w.create(pods, "n", "replaced")
				fresh := w.create(pods, "n", "fresh")
				w.create(pods, "n", "brief")
				w.delete(pods, "n", "brief")
				end()
				c.gone(w)
				w.pass(2 * time.Minute)

				f.expect(
					"MODIFIED relist n/changed",
					"ADDED relist n/fresh",
					"DELETED relist n/replaced",
					"ADDED relist n/replaced",
					"DELETED relist n/gone",
					"SYNCED relist",
				)
				f.expectState(changed, again, same, fresh)
				for _, r := range w.requests("list") {
					if r.Query.Has("resourceVersion") || r.Query.Get("limit") != "3" {
						w.Errorf("the relist asked with %v", r.Query)
					}
				}
				for _, err := range f.failed() {
					// Its text may say 410 anywhere: in the timeout of the URL, for one.
					var request *rawwatch.RequestError
					var status *decode.StatusError
					if errors.As(err, &request) && request.Code == http.StatusGone || errors.As(err, &status) && status.IsExpired() {
						w.Errorf("an expired history was reported as a failure: %v", err)
					}
				}
				if replaced.UID == again.UID {
					w.Error("the server gave the same uid again")
				}
			})
		})
	}
}

// TestDeletionStub: what a relist knows of an object that is gone.
func TestDeletionStub(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		gone := w.create(pods, "n", "gone")
		var stub rawwatch.Object
		loop := w.client.ListWatch(w.Context(), rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		for event, err := range loop {
			if err != nil {
				w.Fatal(err)
			}
			if event.Type == rawwatch.Synced && event.Cause == rawwatch.CauseList {
				w.delete(pods, "n", "gone")
				w.forget()
			}
			if event.Type == rawwatch.Deleted {
				stub = event.Object
				break
			}
		}
		want := fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":"gone","uid":%q,"resourceVersion":%q}}`, gone.UID, gone.ResourceVersion)
		text, _ := stub.JSON()
		if got := string(text); !stub.IsStub() || !sameJSON(got, want) {
			w.Errorf("got %s\nwant %s", got, want)
		}
	})
}

// TestResumeWithoutAList: whatever cuts a stream, the next one begins where it
// stood, and nothing is listed or delivered again.
func TestResumeWithoutAList(t *testing.T) {
	answer := func(a *watchtest.Answer) func(*world) {
		return func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Count: 2, Answer: a})
			w.server.CutWatches(anyWatch, watchtest.Reset)
		}
	}
	for _, c := range []struct {
		name string
		hurt func(w *world)
	}{
		{"clean end", func(w *world) { w.server.CutWatches(anyWatch, watchtest.Truncate) }},
		{"stream reset", func(w *world) { w.server.CutWatches(anyWatch, watchtest.Abort) }},
		{"connection reset", func(w *world) { w.server.CutWatches(anyWatch, watchtest.Reset) }},
		{"connection refused for a minute", func(w *world) {
			end := w.outage()
			w.pass(time.Minute)
			end()
		}},
		{"GOAWAY", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Goaway: true})
			w.server.CutWatches(anyWatch, watchtest.Truncate)
		}},
		{"500", answer(watchtest.StatusAnswer(watchtest.Failure(500)))},
		{"502 of a proxy", answer(watchtest.HTMLAnswer(502))},
		{"503", answer(watchtest.StatusAnswer(watchtest.Failure(503)))},
		{"504", answer(watchtest.StatusAnswer(watchtest.Failure(504)))},
		{"429", answer(watchtest.StatusAnswer(watchtest.TooManyRequests(5)))},
		{"429 in a frame", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(watchtest.TooManyRequests(5))}})
			w.server.CutWatches(anyWatch, watchtest.Truncate)
		}},
		{"500 in a frame", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(watchtest.Failure(500))}})
			w.server.CutWatches(anyWatch, watchtest.Truncate)
		}},
		{"401", answer(watchtest.StatusAnswer(&watchtest.StatusError{Code: 401, Reason: "Unauthorized"}))},
		{"headers, then nothing, then the end of the connection", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Cut: watchtest.Stall})
			w.server.CutWatches(anyWatch, watchtest.Reset)
			w.pass(time.Minute)
			w.server.CutWatches(anyWatch, watchtest.Reset)
		}},
		{"no answer at all", func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Hold: true})
			w.server.CutWatches(anyWatch, watchtest.Reset)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.create(pods, "n", "a")
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.touch(pods, "n", "a", "0")
				w.settle()
				f.expect("ADDED list n/a", "SYNCED list", "MODIFIED stream n/a")
				from := f.reflector.Status().ResourceVersion
				w.server.ClearJournal()

				c.hurt(w)
				w.touch(pods, "n", "a", "1")
				w.create(pods, "n", "b")
				w.delete(pods, "n", "b")
				b := w.create(pods, "n", "b")
				w.pass(12 * time.Minute) // a stalled stream without bookmarks lasts as long as its timeoutSeconds
				a, err := w.server.Get(pods, "n", "a")
				if err != nil {
					w.Fatal(err)
				}
				f.expect("MODIFIED stream n/a", "ADDED stream n/b", "DELETED stream n/b", "ADDED stream n/b")
				f.expectState(a, b)
				for _, r := range w.server.Journal() {
					if r.Verb == "list" && r.Query.Get("limit") == "1" {
						continue // after a whole watch without a frame: where does the server stand?
					}
					if r.Verb != "watch" || r.Query.Get("resourceVersion") < from {
						w.Errorf("asked for %s from %q, want only watches from %s on", r.Verb, r.Query.Get("resourceVersion"), from)
					}
				}
			})
		})
	}
}

// TestRetryAfterIsObeyed: the server says when, and the version stays.
func TestRetryAfterIsObeyed(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		from := w.lastVersion()
		w.server.Inject(watchtest.Fault{Verb: "watch", Answer: watchtest.StatusAnswer(watchtest.TooManyRequests(20))})
		w.server.CutWatches(anyWatch, watchtest.Truncate)
		w.server.ClearJournal()
		w.pass(20 * time.Second)
		if n := len(w.server.Journal()); n != 1 {
			w.Errorf("%d requests within the 20 s that the server asked for, want the one that it refused", n)
		}
		w.pass(20 * time.Second)
		if w.lastVersion() != from {
			w.Errorf("resumed at %s, want %s", w.lastVersion(), from)
		}
		w.counts(0, 2)
		if e := failure[*rawwatch.RequestError](f); e.Code != 429 || e.RetryAfter != 20*time.Second {
			w.Errorf("reported %+v", e)
		}
	})
}

// TestExpiredToken: a list that takes longer than its snapshot lasts starts
// over, and what its first pages said is not said again.
func TestExpiredToken(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range strings.Split("a b c d", " ") {
			w.create(pods, "n", name)
		}
		w.server.Inject(watchtest.Fault{
			Verb: "list", Match: func(r *http.Request) bool { return r.URL.Query().Has("continue") },
			Answer: watchtest.StatusAnswer(&watchtest.StatusError{Code: 410, Reason: "Expired", Message: "The provided continue parameter is too old", Continue: "inconsistent"}),
		})
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 2})
		w.pass(time.Minute)
		f.expect("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "ADDED list n/d", "SYNCED list")
		for _, r := range w.requests("list") {
			if r.Query.Get("continue") == "inconsistent" {
				w.Error("went on with the token that leads to an inconsistent list")
			}
		}
	})
}

// TestTokensThatAlwaysExpire: in the end the list is asked for in one piece.
func TestTokensThatAlwaysExpire(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range strings.Split("a b c d", " ") {
			w.create(pods, "n", name)
		}
		w.server.Inject(watchtest.Fault{
			Verb: "list", Count: -1, Match: func(r *http.Request) bool { return r.URL.Query().Has("continue") },
			Answer: watchtest.StatusAnswer(watchtest.Expired()),
		})
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 2})
		w.pass(10 * time.Minute)
		f.expect("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "ADDED list n/d", "SYNCED list")
		all := w.requests("list")
		if last := all[len(all)-1]; last.Query.Has("limit") || len(all) > 12 {
			w.Errorf("after %d lists the last asked with %v, want one without a limit", len(all), last.Query)
		}
	})
}

// TestPartialListDeletesNothing: a list that breaks off says nothing about
// what it did not get to.
func TestPartialListDeletesNothing(t *testing.T) {
	for _, cut := range []watchtest.Cut{watchtest.Truncate, watchtest.Abort, watchtest.Reset} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				a, b := w.create(pods, "n", "a"), w.create(pods, "n", "b")
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				f.took()
				w.server.Inject(watchtest.Fault{Verb: "list", Count: 3, Cut: cut, AfterBytes: 300})
				w.forget()
				w.pass(5 * time.Minute)
				f.expect("SYNCED relist")
				f.expectState(a, b)
			})
		})
	}
}

// TestVersionFromTheFuture: the server's history is shorter than the one that
// was followed. The state is listed at whatever version the server has.
func TestVersionFromTheFuture(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		f.took()
		w.server.Inject(watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(watchtest.TooLarge(99999999, 80407))}})
		w.server.CutWatches(anyWatch, watchtest.Truncate)
		w.server.ClearJournal()
		w.pass(time.Minute)
		f.expect("SYNCED relist")
		if q := w.requests("list")[0].Query; q.Has("resourceVersion") {
			w.Errorf("the list asked for version %s", q.Get("resourceVersion"))
		}
	})
}

// TestRewrittenHistory: etcd was restored to an older state, and the server
// accepts a watch from what is now the future, in silence. The missing
// bookmarks give it away.
func TestRewrittenHistory(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		a := w.create(pods, "n", "a")
		back := w.server.Revision()
		w.create(pods, "n", "b")
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.touch(pods, "n", "a", "lost")
		w.server.Advance(1000)
		w.pass(3 * time.Minute) // bookmarks have come, the resume point is beyond the 1000
		f.took()
		if err := w.server.Rollback(back); err != nil {
			w.Fatal(err)
		}
		f.newHistory()
		w.pass(10 * time.Minute)
		f.expect("MODIFIED relist n/a", "DELETED relist n/b", "SYNCED relist")
		f.expectState(a)
		c := w.create(pods, "n", "c")
		w.settle()
		f.expect("ADDED stream n/c")
		f.expectState(a, c)
	})
}

// TestRewrittenHistoryBeforeAnyBookmark: the same before the server has sent
// a bookmark, or where it never does. A whole watch without a frame gives it
// away.
func TestRewrittenHistoryBeforeAnyBookmark(t *testing.T) {
	inWorld(t, watchtest.Options{BookmarkInterval: -1}, func(w *world) {
		a := w.create(pods, "n", "a")
		back := w.server.Revision()
		w.create(pods, "n", "b")
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.touch(pods, "n", "a", "lost")
		w.pass(10 * time.Second)
		f.took()
		if err := w.server.Rollback(back); err != nil {
			w.Fatal(err)
		}
		f.newHistory()
		w.pass(25 * time.Minute)
		f.expect("MODIFIED relist n/a", "DELETED relist n/b", "SYNCED relist")
		f.expectState(a)
		w.server.ClearJournal()
		w.pass(time.Hour)
		if lists, watches := len(w.requests("list")), len(w.requests("watch")); lists > watches {
			w.Errorf("%d questions beside %d watches in a quiet hour", lists, watches)
		}
	})
}

// TestBookmarksMoveTheResumePoint: on a quiet resource they are what keeps the
// resume point inside the server's history.
func TestBookmarksMoveTheResumePoint(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{Bookmarks: true})
		w.server.Advance(1000)
		w.pass(2 * time.Minute)
		now := fmt.Sprint(w.server.Revision())
		if got := f.reflector.Status().ResourceVersion; got != now {
			w.Errorf("resume point %s, want the bookmark's %s", got, now)
		}
		w.server.Compact(w.server.Revision())
		w.server.CutWatches(anyWatch, watchtest.Reset)
		w.server.ClearJournal()
		w.pass(10 * time.Second)
		w.counts(0, 1)
		if w.lastVersion() != now {
			w.Errorf("resumed at %s, want %s", w.lastVersion(), now)
		}
		lines := f.took()
		if len(lines) < 2 || lines[0] != "SYNCED list" || lines[1] != "BOOKMARK stream" {
			w.Errorf("events %v", lines)
		}
	})
}

// TestDeletedFrameMovesTheResumePoint: it carries the deletion's own version.
func TestDeletedFrameMovesTheResumePoint(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.delete(pods, "n", "a")
		w.settle()
		if got, want := f.reflector.Status().ResourceVersion, fmt.Sprint(w.server.Revision()); got != want {
			w.Errorf("resume point %s, want %s", got, want)
		}
	})
}

// TestHoursWithoutChange: watches end at their randomised timeouts and resume;
// nothing is listed, nothing is reported, and no total timeout cuts in.
func TestHoursWithoutChange(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(5 * time.Hour)
		f.expect("SYNCED list")
		if all := f.failed(); len(all) != 0 {
			w.Errorf("failures were reported: %v", all)
		}
		seen := map[string]bool{}
		for _, r := range w.requests("watch") {
			seen[r.Query.Get("timeoutSeconds")] = true
		}
		watches := len(w.requests("watch"))
		w.counts(1, watches)
		if watches < 30 || watches > 61 || len(seen) < 10 {
			w.Errorf("%d watches with %d different timeouts in 5 h, want one each 5 to 10 minutes", watches, len(seen))
		}
		for timeout := range seen {
			if d, err := time.ParseDuration(timeout + "s"); err != nil || d < 5*time.Minute || d > 10*time.Minute {
				w.Errorf("timeoutSeconds %s", timeout)
			}
		}
	})
}
