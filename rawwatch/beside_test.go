package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// further matches the requests for page 2 and later.
func further(r *http.Request) bool { return r.URL.Query().Has("continue") }

// slowly lets each further page of a list take so long.
func (w *world) slowly(d time.Duration) *watchtest.Injection {
	return w.server.Inject(watchtest.Fault{Verb: "list", Count: -1, Match: further, Delay: d})
}

func (w *world) createAll(names string) (all []watchtest.Object) {
	for _, name := range strings.Split(names, " ") {
		all = append(all, w.create(pods, "n", name))
	}
	return all
}

var besides = rawwatch.ListWatchOptions{ListFirst: true, PageLimit: 2, ListWhileWatching: true}

// TestListBesideWatch: what the watch tells stands above what an older page
// says, and what it has told is deleted does not come back.
func TestListBesideWatch(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		all := w.createAll("a b c d e f")
		w.slowly(10 * time.Second)
		f := w.follow(rawwatch.Pods.Query(), besides)
		w.pass(time.Second)
		f.expect("ADDED list n/a", "ADDED list n/b")
		a := w.touch(pods, "n", "a", "1")
		c := w.touch(pods, "n", "c", "1")
		w.delete(pods, "n", "d")
		w.delete(pods, "n", "b")
		g := w.create(pods, "n", "g")
		w.settle()
		f.expect("MODIFIED list n/a", "ADDED list n/c", "DELETED list n/b", "ADDED list n/g")
		if s := f.reflector.Status(); s.Synced || s.ResourceVersion != "" {
			w.Errorf("synced %v at %q before the list is complete", s.Synced, s.ResourceVersion)
		}
		w.pass(time.Minute)
		f.expect("ADDED list n/e", "ADDED list n/f", "SYNCED list")
		f.expectState(a, c, all[4], all[5], g)
		w.counts(3, 1)
		if s := f.reflector.Status(); !s.Synced || s.ResourceVersion != g.ResourceVersion || s.OutOfOrder != 0 {
			w.Errorf("status %+v, want synced at %s", s, g.ResourceVersion)
		}
		w.touch(pods, "n", "g", "2")
		w.settle()
		f.expect("MODIFIED stream n/g")
	})
}

// TestListBesideWatchGoesOn: a token that has expired is followed by the one
// that leads to the rest in a newer state; the watch tells what lies between.
func TestListBesideWatchGoesOn(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		all := w.createAll("a b c d e f")
		w.slowly(10 * time.Second)
		f := w.follow(rawwatch.Pods.Query(), besides)
		w.pass(11 * time.Second)
		f.expect("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "ADDED list n/d")
		b := w.touch(pods, "n", "b", "1")
		w.delete(pods, "n", "e")
		e := w.create(pods, "n", "e")
		w.settle()
		w.server.Compact(w.server.Revision())
		w.pass(time.Minute)
		f.expect("MODIFIED list n/b", "ADDED list n/e", "ADDED list n/f", "SYNCED list")
		f.expectState(all[0], b, all[2], all[3], e, all[5])
		w.counts(4, 1)
	})
}

// TestListsThatNeverEnd: where each list takes longer than the history lasts,
// the third runs beside its watch.
func TestListsThatNeverEnd(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		names := "a b c d e f"
		all := w.createAll(names)
		w.slowly(10 * time.Second)
		stop := make(chan struct{})
		go func() { // the history never lasts for two pages
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Second):
					w.server.Compact(w.server.Revision()) // what an open watch has had
					all[5], _ = w.server.Patch(pods, "n", "f", fmt.Sprintf(`{"metadata":{"annotations":{"touched":"%d"}}}`, n))
				}
			}
		}()
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 2})
		w.pass(3 * time.Minute)
		close(stop)
		w.pass(10 * time.Second)
		if s := f.reflector.Status(); !s.Synced || s.Lists != 3 {
			w.Errorf("synced %v after %d lists, want after 3", s.Synced, s.Lists)
		}
		f.expectState(all...)
	})
}

// TestListBesideBrokenWatch: the watch breaks and comes back from its own
// point while the pages go on.
func TestListBesideBrokenWatch(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		all := w.createAll("a b c d e f")
		w.slowly(20 * time.Second)
		f := w.follow(rawwatch.Pods.Query(), besides)
		w.pass(time.Second)
		a := w.touch(pods, "n", "a", "1")
		w.settle()
		w.server.CutWatches(watchtest.Selector{}, watchtest.Abort)
		b := w.touch(pods, "n", "b", "1")
		w.pass(5 * time.Second)
		f.expect("ADDED list n/a", "ADDED list n/b", "MODIFIED list n/a", "MODIFIED list n/b")
		if w.lastVersion() != a.ResourceVersion {
			w.Errorf("resumed at %s, want %s", w.lastVersion(), a.ResourceVersion)
		}
		w.pass(time.Minute)
		f.expectState(a, b, all[2], all[3], all[4], all[5])
		w.counts(3, 2)
	})
}

// TestListBesideExpiredWatch: when the watch has lost its history, the list is
// worth nothing and starts over.
func TestListBesideExpiredWatch(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		all := w.createAll("a b c d e f")
		slow := w.slowly(time.Minute)
		f := w.follow(rawwatch.Pods.Query(), besides)
		w.pass(time.Second)
		w.server.SendFrame(watchtest.Selector{}, watchtest.ErrorFrame(watchtest.Expired()))
		slow.Remove()
		w.pass(3 * time.Minute) // the new list's first page may have been slow, too
		f.expect("ADDED list n/a", "ADDED list n/b", "ADDED list n/c", "ADDED list n/d", "ADDED list n/e", "ADDED list n/f", "SYNCED list")
		f.expectState(all...)
		if s := f.reflector.Status(); s.Lists != 2 {
			w.Errorf("%d lists, want 2", s.Lists)
		}
	})
}

// TestListBesideEnds: at whatever moment the consumer stops, both goroutines end
// before the iteration does; the bubble would tell otherwise.
func TestListBesideEnds(t *testing.T) {
	for name, how := range map[string]func(*world, int){
		"break":  func(w *world, n int) { w.consume(n, func() bool { return false }) },
		"panic":  func(w *world, n int) { w.consume(n, func() bool { panic("consumer") }) },
		"cancel": nil,
	} {
		t.Run(name, func(t *testing.T) {
			for n := range 14 {
				inWorld(t, watchtest.Options{}, func(w *world) {
					w.createAll("a b c d e f")
					w.slowly(time.Duration(n) * time.Second)
					if how != nil {
						how(w, min(n, 6))
						return
					}
					f := w.follow(rawwatch.Pods.Query(), besides)
					w.pass(time.Duration(n) * time.Second)
					f.stop()
					if !errors.Is(f.ended(), context.Canceled) {
						w.Errorf("ended with %v", f.ended())
					}
				})
			}
		})
	}
}

// consume takes n events, then does what the last one does.
func (w *world) consume(n int, last func() bool) {
	defer func() { _ = recover() }()
	for range w.client.ListWatch(w.Context(), rawwatch.Pods.Query(), besides) {
		if n--; n < 0 && !last() {
			break
		}
	}
}

// TestListBesideSlowConsumer: a consumer that takes its time slows both the
// pages and the watch, and loses nothing.
func TestListBesideSlowConsumer(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.createAll("a b c d e f")
		ctx, cancel := context.WithCancel(w.Context())
		defer cancel()
		state := map[string]string{}
		for e, err := range w.client.ListWatch(ctx, rawwatch.Pods.Query(), besides) {
			if err != nil {
				w.Fatal(err)
			}
			time.Sleep(3 * time.Second)
			switch {
			case e.Type == rawwatch.Synced:
				cancel()
			case e.Type == rawwatch.Deleted:
				delete(state, e.Object.Name)
			default:
				raw := e.Object.Clone()
				state[raw.Name] = raw.ResourceVersion
				if len(state) == 1 {
					w.touch(pods, "n", "f", "1")
					w.delete(pods, "n", "e")
				}
			}
			if ctx.Err() != nil {
				break
			}
		}
		f, _ := w.server.Get(pods, "n", "f")
		if len(state) != 5 || state["f"] != f.ResourceVersion {
			w.Errorf("state %v, want five, f at %s", state, f.ResourceVersion)
		}
	})
}
