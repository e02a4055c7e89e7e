package rawwatch_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// without is a Status answer without the Retry-After header.
func without(e *watchtest.StatusError) *watchtest.Answer {
	a := watchtest.StatusAnswer(e)
	a.Header.Del("Retry-After")
	return a
}

// TestExpiredInEveryForm: each form of 410 leads to a fresh list in pages, of the
// most recent state, with whatever the first state was fetched; it is no failure.
func TestExpiredInEveryForm(t *testing.T) {
	for name, strike := range map[string]func(*world){
		"a frame": func(w *world) {
			w.server.SendFrame(watchtest.Selector{}, watchtest.ErrorFrame(watchtest.TooOld(300, 80402)))
		},
		"HTTP 410 on the watch": func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Answer: watchtest.StatusAnswer(watchtest.TooOld(300, 80402))})
			w.server.CutWatches(anyWatch, watchtest.Truncate)
		},
		"HTTP 410 on the watch and on the list": func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Answer: watchtest.StatusAnswer(watchtest.Expired())})
			w.server.Inject(watchtest.Fault{Verb: "list", Answer: watchtest.StatusAnswer(watchtest.Expired())})
			w.server.CutWatches(anyWatch, watchtest.Truncate)
		},
		"plain text 410": func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Answer: &watchtest.Answer{Code: 410, Body: []byte("gone\n")}})
			w.server.CutWatches(anyWatch, watchtest.Truncate)
		},
	} {
		for _, streams := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inWorld(t, watchtest.Options{}, func(w *world) {
					a := w.create(pods, "n", "a")
					f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{ListFirst: !streams})
					w.pass(40 * time.Second)
					f.took()
					w.server.ClearJournal()
					strike(w)
					w.pass(30 * time.Second)
					f.expect("SYNCED relist")
					f.expectState(a)
					if all := f.failed(); len(all) != 0 {
						w.Errorf("reported as a failure: %v", all)
					}
					for _, r := range w.requests("list") {
						if r.Query.Has("resourceVersion") || r.Query.Get("limit") != "500" {
							w.Errorf("listed with %v", r.Query)
						}
					}
					for _, r := range w.requests("watch") {
						if r.Query.Has("sendInitialEvents") || r.Query.Get("resourceVersion") == "300" {
							w.Errorf("watched with %v", r.Query)
						}
					}
				})
			})
		}
	}
}

// TestThrottledInEveryForm: 429 anywhere waits as told, in a header or in the
// Status, then asks for the very same.
func TestThrottledInEveryForm(t *testing.T) {
	busy := watchtest.TooManyRequests(20)
	header := &watchtest.Answer{Code: 429, Header: http.Header{"Retry-After": {"20"}, "Content-Type": {"text/plain"}}, Body: []byte("slow down\n")}
	for name, fault := range map[string]watchtest.Fault{
		"watch, Status and header": {Verb: "watch", Answer: watchtest.StatusAnswer(busy)},
		"watch, Status only":       {Verb: "watch", Answer: without(busy)},
		"watch, header only":       {Verb: "watch", Answer: header},
		"watch, a frame":           {Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(busy)}},
		"list, Status and header":  {Verb: "list", Answer: watchtest.StatusAnswer(busy)},
		"list, Status only":        {Verb: "list", Answer: without(busy)},
		"list, header only":        {Verb: "list", Answer: header},
		"page 2":                   {Verb: "list", Answer: watchtest.StatusAnswer(busy), Match: further},
	} {
		for _, beside := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inWorld(t, watchtest.Options{}, func(w *world) {
					w.createAll("a b c")
					w.server.Inject(fault)
					f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 2, ListWhileWatching: beside})
					w.pass(19 * time.Second)
					before := w.requests(fault.Verb)
					if s := f.reflector.Status(); s.LastErrorClass != resume.Throttled {
						w.Errorf("status %+v", s)
					}
					w.pass(15 * time.Second)
					after := w.requests(fault.Verb)
					if len(after) <= len(before) {
						w.Fatal("did not come back")
					}
					refused, again := before[len(before)-1], after[len(before)]
					for _, p := range []string{"resourceVersion", "continue", "limit"} {
						if refused.Query.Get(p) != again.Query.Get(p) {
							w.Errorf("asked with %s %q, then %q", p, refused.Query.Get(p), again.Query.Get(p))
						}
					}
					if waited := again.Time.Sub(refused.Time); waited < 20*time.Second {
						w.Errorf("came back after %v", waited)
					}
					f.expect("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "SYNCED list")
				})
			})
		}
	}
}

// TestTooLargeInEveryForm: a version from the future leads to a list with the
// version unset, from every request that can be refused so.
func TestTooLargeInEveryForm(t *testing.T) {
	cause := watchtest.TooLarge(99999999, 80407)
	message := watchtest.TooLarge(99999999, 80407)
	message.Details = nil
	for name, fault := range map[string]watchtest.Fault{
		"list, with the cause":        {Verb: "list", Answer: watchtest.StatusAnswer(cause)},
		"list, with the message only": {Verb: "list", Answer: watchtest.StatusAnswer(message)},
		"watch, HTTP 504":             {Verb: "watch", Answer: watchtest.StatusAnswer(cause)},
		"watch, a frame":              {Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(message)}},
		"initial stream, a frame": {Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(cause)}, Match: func(r *http.Request) bool {
			return r.URL.Query().Has("sendInitialEvents")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				a := w.create(pods, "n", "a")
				w.server.Inject(fault)
				f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{ListFirst: name != "initial stream, a frame"})
				w.pass(30 * time.Second)
				f.expectState(a)
				lists := w.requests("list")
				if len(lists) == 0 {
					w.Fatal("not listed")
				}
				for _, r := range lists {
					if r.Query.Has("resourceVersion") {
						w.Errorf("listed with %v", r.Query)
					}
				}
				if s := f.reflector.Status(); !s.Synced || !s.Connected {
					w.Errorf("status %+v", s)
				}
			})
		})
	}
}

// TestInitialStreamRefusedInEveryForm: by status or by frame, it is listed.
func TestInitialStreamRefusedInEveryForm(t *testing.T) {
	invalid := &watchtest.StatusError{Code: 422, Reason: "Invalid", Message: "sendInitialEvents: Forbidden"}
	for name, fault := range map[string]watchtest.Fault{
		"422":                {Answer: watchtest.StatusAnswer(invalid)},
		"400":                {Answer: watchtest.StatusAnswer(&watchtest.StatusError{Code: 400, Reason: "BadRequest"})},
		"a frame":            {Frames: [][]byte{watchtest.ErrorFrame(invalid)}},
		"a frame of 500":     {Frames: [][]byte{watchtest.ErrorFrame(watchtest.Failure(500))}},
		"a frame of another": {Frames: [][]byte{watchtest.ErrorFrame(&watchtest.StatusError{Code: 403, Reason: "Forbidden"})}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				a := w.create(pods, "n", "a")
				fault.Verb, fault.Count = "watch", -1
				fault.Match = func(r *http.Request) bool { return r.URL.Query().Has("sendInitialEvents") }
				w.server.Inject(fault)
				f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.pass(time.Second)
				f.expect("ADDED list n/a", "SYNCED list")
				f.expectState(a)
				w.counts(1, 2)
			})
		})
	}
}

// TestRollingRestart: watches that a server ends before their time come back
// within two seconds, not at once, without a list.
func TestRollingRestart(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		f.took()
		w.pass(4 * time.Minute)
		at := map[time.Duration]bool{}
		for range 20 {
			w.server.ClearJournal()
			cut := time.Now()
			w.server.CutWatches(anyWatch, watchtest.Truncate)
			w.pass(2 * time.Second)
			w.counts(0, 1)
			at[w.requests("watch")[0].Time.Sub(cut)] = true
			w.pass(time.Minute)
		}
		if len(at) < 10 {
			w.Errorf("came back after %v: no spread", at)
		}
		f.expect()
		if all := f.failed(); len(all) != 0 {
			w.Errorf("reported as failures: %v", all)
		}
	})
}
