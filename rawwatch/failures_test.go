package rawwatch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// TestNoHotLoop: an hour of each misery, and the requests that it may cost.
func TestNoHotLoop(t *testing.T) {
	long := time.Hour
	if testing.Short() {
		long = 5 * time.Minute
	}
	for _, c := range []struct {
		name  string
		fault watchtest.Fault
	}{
		{"refused", watchtest.Fault{Drop: true}},
		{"500 on everything", watchtest.Fault{Answer: watchtest.StatusAnswer(watchtest.Failure(500))}},
		{"watches end at once", watchtest.Fault{Verb: "watch", Cut: watchtest.Truncate}},
		{"watches break at once", watchtest.Fault{Verb: "watch", Cut: watchtest.Abort}},
		{"watches are always too old", watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(watchtest.TooOld(1, 2))}}},
		{"watches get a frame that is not JSON", watchtest.Fault{Verb: "watch", Frames: [][]byte{[]byte("{]")}}},
		{"watches get HTML", watchtest.Fault{Verb: "watch", Answer: watchtest.HTMLAnswer(200)}},
		{"lists are empty documents", watchtest.Fault{Verb: "list", Answer: watchtest.JSONAnswer("{}")}},
		{"lists have no version", watchtest.Fault{Verb: "list", Answer: watchtest.JSONAnswer(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`)}},
		{"pages never end", watchtest.Fault{Verb: "list", Answer: watchtest.JSONAnswer(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"x"},"items":[]}`)}},
		{"redirects", watchtest.Fault{Answer: watchtest.RedirectAnswer("https://login.example.com/?token=x")}},
		{"429 without a time", watchtest.Fault{Answer: watchtest.StatusAnswer(watchtest.TooManyRequests(0))}},
		{"403", watchtest.Fault{Answer: watchtest.StatusAnswer(&watchtest.StatusError{Code: 403, Reason: "Forbidden"})}},
		{"Status with code 200 in an ERROR frame", watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.ErrorFrame(&watchtest.StatusError{Code: 200})}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, watchtest.Options{Journal: 100_000}, func(w *world) {
				c.fault.Count = -1
				in := w.server.Inject(c.fault)
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.pass(long)
				if n := len(w.server.Journal()); n > 600 {
					w.Errorf("%d requests in %v", n, long)
				}
				f.going()
				in.Remove()
				a := w.create(pods, "n", "a")
				w.pass(3 * time.Minute)
				f.expectState(a)
			})
		})
	}
}

// TestRefusedForGood: a selector that the server does not know never heals.
func TestRefusedForGood(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.WithField("spec.nonsense=1"), rawwatch.ListWatchOptions{})
		w.pass(time.Minute)
		var refused *rawwatch.RequestError
		if err := f.ended(); !errors.As(err, &refused) || refused.Code != 400 {
			w.Errorf("ended with %v", err)
		}
		w.counts(1, 0)
	})
}

// TestForbiddenUntilGranted: named, visible, slow, and healed by itself; other
// watches do not care.
func TestForbiddenUntilGranted(t *testing.T) {
	for _, verb := range []string{"list", "watch"} {
		t.Run(verb, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				lift := w.server.Deny(watchtest.Denial{User: "admin", Verb: verb, Resource: "pods", Namespace: "n"})
				f := w.follow(rawwatch.Pods.InNamespace("n"), rawwatch.ListWatchOptions{})
				other := w.follow(rawwatch.ConfigMaps.Query(), rawwatch.ListWatchOptions{})
				w.pass(5 * time.Minute)
				e := failure[*rawwatch.RequestError](f)
				if e.Verb != verb || e.Namespace != "n" || e.Resource.Name != "pods" || e.Code != 403 || !strings.Contains(e.Error(), "grant the verb "+verb+" on pods in namespace n") {
					w.Errorf("reported %v", e)
				}
				if s := f.reflector.Status(); s.Failures == 0 || s.LastErrorClass != resume.Forbidden || s.Connected {
					w.Errorf("status %+v", s)
				}
				if n := len(w.server.Journal()); n > 20 {
					w.Errorf("%d requests in five minutes", n)
				}
				other.expect("SYNCED list")
				lift()
				a := w.create(pods, "n", "a")
				w.pass(2 * time.Minute)
				f.expectState(a)
				if s := f.reflector.Status(); s.Failures != 0 || !s.Connected {
					w.Errorf("status after the permission came: %+v", s)
				}
			})
		})
	}
}

// TestResourceThatComesAndGoes: a CustomResourceDefinition that is installed
// later, and removed again.
func TestResourceThatComesAndGoes(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		widgets := watchtest.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Namespaced: true}
		q := rawwatch.Resource{Group: "example.com", Version: "v1", Name: "widgets", Kind: "Widget", Namespaced: true}.Query()
		f := w.follow(q, rawwatch.ListWatchOptions{})
		w.pass(5 * time.Minute)
		f.expect()
		if s := f.reflector.Status(); s.LastErrorClass != resume.NotFound || s.Synced {
			w.Errorf("status %+v", s)
		}
		if n := len(w.server.Journal()); n > 20 {
			w.Errorf("%d requests in five minutes", n)
		}
		w.server.Register(widgets)
		a := w.create(widgets, "n", "a")
		w.pass(2 * time.Minute)
		f.expect("ADDED list n/a", "SYNCED list")
		f.expectState(a)
		w.server.Unregister(widgets)
		w.pass(5 * time.Minute)
		f.going()
		w.server.Register(widgets)
		b := w.create(widgets, "n", "b")
		w.pass(5 * time.Minute)
		f.expectState(b)
	})
}

// TestOnFailureEndsTheLoop: the caller decides that it has seen enough.
func TestOnFailureEndsTheLoop(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		enough := errors.New("enough")
		w.server.Inject(watchtest.Fault{Count: -1, Answer: watchtest.StatusAnswer(watchtest.Failure(500))})
		calls := 0
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{OnFailure: func(error) error {
			if calls++; calls == 3 {
				return enough
			}
			return nil
		}})
		w.pass(5 * time.Minute)
		if err := f.ended(); err != enough {
			w.Errorf("ended with %v", err)
		}
	})
}

// TestContextEndsTheLoop in each of its phases.
func TestContextEndsTheLoop(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault watchtest.Fault
	}{
		{"waiting for the list", watchtest.Fault{Verb: "list", Hold: true, Count: -1}},
		{"inside the list", watchtest.Fault{Verb: "list", Cut: watchtest.Stall, AfterBytes: 20, Count: -1}},
		{"waiting for the watch", watchtest.Fault{Verb: "watch", Hold: true, Count: -1}},
		{"inside the watch", watchtest.Fault{Verb: "get"}},
		{"in the backoff", watchtest.Fault{Drop: true, Count: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.server.Inject(c.fault)
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.pass(3 * time.Second)
				f.cancel()
				w.settle()
				if err := f.ended(); err == nil || !f.reflector.Status().Stopped {
					w.Errorf("ended with %v, status %+v", err, f.reflector.Status())
				}
			})
		})
	}
}
