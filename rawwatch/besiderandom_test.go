package rawwatch_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// storm changes objects at random, and now and then hurts the server.
type storm struct {
	*world
	draw   *rand.Rand
	faults []*watchtest.Injection
}

func (s *storm) inject(f watchtest.Fault) { s.faults = append(s.faults, s.server.Inject(f)) }

// over ends what has not struck yet.
func (s *storm) over() {
	for _, f := range s.faults {
		f.Remove()
	}
}

func (s *storm) strike() {
	name := fmt.Sprint("x", s.draw.IntN(25))
	switch s.draw.IntN(40) {
	default:
		if _, err := s.server.Patch(pods, "n", name, fmt.Sprintf(`{"metadata":{"annotations":{"n":"%d"}}}`, s.draw.IntN(1e9))); err != nil {
			s.create(pods, "n", name)
		}
	case 0, 1, 2, 3, 4, 5:
		_, _ = s.server.Delete(pods, "n", name)
	case 6, 7, 8:
		s.server.CutWatches(anyWatch, []watchtest.Cut{watchtest.Truncate, watchtest.Abort, watchtest.Reset}[s.draw.IntN(3)])
	case 9, 10, 11:
		s.server.Compact(s.server.Revision())
	case 12:
		s.server.SendFrame(watchtest.Selector{}, watchtest.ErrorFrame(watchtest.Expired()))
	case 13:
		s.inject(watchtest.Fault{Verb: "list", Count: 1 + s.draw.IntN(3), Answer: watchtest.StatusAnswer(watchtest.Failure(503))})
	case 14:
		s.inject(watchtest.Fault{Verb: "list", Cut: watchtest.Abort, AfterBytes: s.draw.IntN(600)})
	}
}

// TestListBesideWatchInAStorm: whatever changes and breaks while pages and watch
// are read side by side, every change that is delivered is a true one (the
// follower checks), and when the storm is over the state is the server's.
func TestListBesideWatchInAStorm(t *testing.T) {
	runs := 30
	if testing.Short() {
		runs = 5
	}
	for run := range runs {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			t.Logf("seed %d", seed)
			inWorld(t, watchtest.Options{}, func(w *world) {
				s := storm{world: w, draw: rand.New(rand.NewPCG(seed, 0))}
				for i := range 25 {
					w.create(pods, "n", fmt.Sprint("x", i))
				}
				slow := w.slowly(time.Duration(s.draw.IntN(5000)) * time.Millisecond)
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{
					PageLimit: int64(1 + s.draw.IntN(6)), ListWhileWatching: s.draw.IntN(4) > 0,
					AuditEvery: time.Minute, EmptyListGuard: 1,
				})
				for range 300 {
					w.pass(time.Duration(s.draw.IntN(1500)) * time.Millisecond)
					s.strike()
				}
				slow.Remove()
				s.over()
				w.pass(15 * time.Minute)
				f.going()
				w.quiet(f)
			})
		})
	}
}

// quiet compares the follower's state with the server's, which is at rest.
func (w *world) quiet(f *follower) {
	w.Helper()
	var all []watchtest.Object
	for i := range 25 {
		if o, err := w.server.Get(pods, "n", fmt.Sprint("x", i)); err == nil {
			all = append(all, o)
		}
	}
	f.expectState(all...)
	if s := f.reflector.Status(); !s.Synced || !s.Connected || s.Lists < 2 {
		w.Errorf("status at rest: %+v", s)
	}
}
