package rawwatch_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// emptyList is what a broken cache answers.
var emptyList = watchtest.JSONAnswer(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"99999999"},"items":[]}`)

// TestEmptyListGuard: an empty world is asked for twice before it is believed.
func TestEmptyListGuard(t *testing.T) {
	for name, c := range map[string]struct {
		guard, lies, lists int
		want               []string
	}{
		"a lie":                  {guard: 3, lies: 1, lists: 2, want: []string{"SYNCED relist"}},
		"said twice":             {guard: 3, lies: 2, lists: 2, want: []string{"DELETED relist n/a", "DELETED relist n/b", "DELETED relist n/c", "SYNCED relist"}},
		"too few to be guarded":  {guard: 4, lies: 1, lists: 1, want: []string{"DELETED relist n/a", "DELETED relist n/b", "DELETED relist n/c", "SYNCED relist"}},
		"not guarded at all":     {guard: 0, lies: 1, lists: 1, want: []string{"DELETED relist n/a", "DELETED relist n/b", "DELETED relist n/c", "SYNCED relist"}},
		"not empty, not guarded": {guard: 1, lies: 0, lists: 1, want: []string{"SYNCED relist"}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.createAll("a b c")
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{EmptyListGuard: c.guard})
				f.took()
				if c.lies > 0 {
					w.server.Inject(watchtest.Fault{Verb: "list", Count: c.lies, Answer: emptyList})
				}
				// The watch that follows the lie's version would be silent.
				hold := w.server.Inject(watchtest.Fault{Verb: "watch", Count: -1, Match: func(r *http.Request) bool {
					return r.URL.Query().Get("resourceVersion") == "99999999"
				}, Hold: true})
				w.server.ClearJournal()
				w.server.SendFrame(watchtest.Selector{}, watchtest.ErrorFrame(watchtest.Expired()))
				w.pass(5 * time.Second)
				got := f.took()
				sortDeleted(got)
				f.lines = got
				f.expect(c.want...)
				if n := len(w.requests("list")); n != c.lists {
					w.Errorf("%d lists, want %d", n, c.lists)
				}
				f.stop()
				hold.Remove()
			})
		})
	}
}

// sortDeleted puts deletions, which come in no order, in the order of their keys.
func sortDeleted(lines []string) {
	for i := range lines {
		for j := i + 1; j < len(lines); j++ {
			if lines[j] < lines[i] {
				lines[i], lines[j] = lines[j], lines[i]
			}
		}
	}
}

// TestAlarm: it is raised once while nothing works, by tries or by time, and
// armed again by a frame.
func TestAlarm(t *testing.T) {
	for name, a := range map[string]rawwatch.Alarm{"tries": {Tries: 5}, "time": {After: 2 * time.Minute}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				var raised []rawwatch.AlarmReport
				a.Func = func(r rawwatch.AlarmReport) { raised = append(raised, r) }
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{Alarm: a})
				w.pass(10 * time.Minute)
				if len(raised) != 0 {
					w.Fatalf("raised while all is well: %+v", raised)
				}
				for n := 1; n <= 2; n++ {
					began, end := time.Now(), w.outage()
					w.pass(30 * time.Minute)
					if len(raised) != n {
						w.Fatalf("raised %d times in %d outages", len(raised), n)
					}
					r := raised[n-1]
					if r.Err == nil || r.Class != resume.Unavailable || r.Since.Sub(began) > 2*time.Minute || a.Tries > 0 && r.Tries != a.Tries {
						w.Errorf("%+v", r)
					}
					end()
					w.pass(5 * time.Minute)
					w.create(pods, "n", "pod"+string(rune('0'+n)))
					w.settle()
					f.took()
				}
				if !f.reflector.Status().Connected {
					w.Error("the watch did not go on trying")
				}
			})
		})
	}
}

// TestRediscover: a resource that is gone is looked for, slowly, and followed
// where it is found; the objects are the same.
func TestRediscover(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		gone := rawwatch.Resource{Version: "v1beta1", Name: "pods", Kind: "Pod", Namespaced: true}
		var asked atomic.Int32
		f := w.follow(rawwatch.Query{Resource: gone}, rawwatch.ListWatchOptions{
			Rediscover: func(_ context.Context, r rawwatch.Resource) (rawwatch.Resource, error) {
				if r != gone {
					w.Errorf("asked for %v", r)
				}
				if asked.Add(1) < 3 {
					return r, errors.New("not yet")
				}
				return rawwatch.Pods, nil
			},
		})
		a := w.create(pods, "n", "a")
		w.pass(10 * time.Second)
		if asked.Load() != 0 {
			w.Errorf("asked after the first answer")
		}
		w.pass(10 * time.Minute)
		if n := asked.Load(); n != 3 {
			w.Errorf("asked %d times, want 3", n)
		}
		f.expect("ADDED list n/a", "SYNCED list")
		f.expectState(a)
	})
}

// TestStreamRefusalIsShared: what one watch has learned of a server, the
// client's next ones of the same API group need not learn again.
func TestStreamRefusalIsShared(t *testing.T) {
	inWorld(t, watchtest.Options{WatchList: watchtest.WatchListOff}, func(w *world) {
		w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}).stop()
		w.server.ClearJournal()
		f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Second)
		f.expect("SYNCED list")
		w.counts(1, 1)
		w.unasked()
		if s := f.reflector.Status(); !isA[*rawwatch.RequestError](s.Unstreamed) || s.ListMode != rawwatch.ListPaged {
			w.Errorf("status %+v", s)
		}
		w.server.ClearJournal()
		w.followAsIs(rawwatch.ConfigMaps.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Second)
		w.unasked()
	})
}

// unasked checks that no request asked for initial events.
func (w *world) unasked() {
	w.Helper()
	for _, r := range w.requests("watch") {
		if r.Query.Has("sendInitialEvents") {
			w.Error("initial events were asked for again")
		}
	}
}

// TestSlowInitialStreamIsNoRefusal: events that still come when their end is
// overdue say nothing of the server's other resources. The objects are listed in
// pages, each of which has time of its own.
func TestSlowInitialStreamIsNoRefusal(t *testing.T) {
	uncompressed := rawwatch.ClientOptions{Link: rawwatch.LinkLAN} // else all frames come at once, when the block is complete
	inAnyWorld(t, watchtest.Options{}, uncompressed, func(w *world) {
		all := w.createAll("a b c d e f")
		w.server.Inject(watchtest.Fault{Verb: "watch", ChunkSize: 60, ChunkDelay: 15 * time.Second})
		f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Minute)
		if s := f.reflector.Status(); s.Unstreamed != nil || s.Synced {
			w.Errorf("after a minute: %+v", s)
		}
		w.pass(4 * time.Minute)
		f.expectState(all...)
		s := f.reflector.Status()
		if slow := new(rawwatch.InitialEventsError); !errors.As(s.Unstreamed, &slow) || slow.Silent || s.LastListReason != resume.ReasonStreamUnfinished || s.Lists != 2 {
			w.Errorf("status %+v", s)
		}
		w.server.ClearJournal()
		w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Second)
		w.unasked()
		other := w.followAsIs(rawwatch.ConfigMaps.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Second)
		if s := other.reflector.Status(); s.Unstreamed != nil || s.ListMode != rawwatch.ListInitialStream || !s.Synced {
			w.Errorf("another resource: %+v", s)
		}
	})
}
