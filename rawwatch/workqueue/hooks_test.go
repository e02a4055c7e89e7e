package workqueue

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// meter implements every hook.
type meter struct {
	depth, inFlight, waits, works, retries, drops atomic.Int64
	waited, worked, wait                          atomic.Int64
	priority                                      atomic.Int64
}

func (m *meter) OnDepth(delta int)    { m.depth.Add(int64(delta)) }
func (m *meter) OnInFlight(delta int) { m.inFlight.Add(int64(delta)) }
func (m *meter) OnWait(waited time.Duration, priority int) {
	m.waits.Add(1)
	m.waited.Add(int64(waited))
	m.priority.Store(int64(priority))
}
func (m *meter) OnWork(took time.Duration) { m.works.Add(1); m.worked.Add(int64(took)) }
func (m *meter) OnRetry(failures int, wait time.Duration) {
	m.retries.Add(int64(failures))
	m.wait.Add(int64(wait))
}
func (m *meter) OnDrop(failures int) { m.drops.Add(int64(failures)) }

func TestHooksAndStatsTellTheSame(t *testing.T) {
	m := new(meter)
	o := Options[int]{Hooks: []any{m}, MaxRetries: 1, Backoff: Backoff{Base: time.Second, Jitter: -1}}
	reconcile := func(_ context.Context, key int) (Result, error) {
		time.Sleep(3 * time.Second)
		if key == 2 {
			return Result{}, errors.New("fails")
		}
		return Result{}, nil
	}
	within(t, o, 1, reconcile, func(t *testing.T, q *Queue[int]) {
		must(t, q.AddAfter(1, time.Second))
		must(t, q.AddWith(2, AddOptions{Priority: 7, After: time.Second + 1}))
		synctest.Wait()
		if m.depth.Load() != 0 {
			t.Errorf("depth %d before anything is due", m.depth.Load())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		s := q.Stats()
		if m.depth.Load() != 1 || m.inFlight.Load() != 1 || s.Queued != 1 || s.InFlight != 1 {
			t.Errorf("depth %d, in flight %d, stats %+v", m.depth.Load(), m.inFlight.Load(), s)
		}
		if s.OldestQueued != time.Second-1 || s.LongestInFlight != time.Second {
			t.Errorf("ages: %+v", s)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for what, c := range map[string][2]int64{
			"depth":     {m.depth.Load(), 0},
			"in flight": {m.inFlight.Load(), 0},
			"waits":     {m.waits.Load(), 3},
			"waited":    {m.waited.Load(), int64(3*time.Second - 1)},
			"priority":  {m.priority.Load(), 7},
			"works":     {m.works.Load(), 3},
			"worked":    {m.worked.Load(), int64(9 * time.Second)},
			"retries":   {m.retries.Load(), 1},
			"wait":      {m.wait.Load(), int64(time.Second)},
			"drops":     {m.drops.Load(), 2},
		} {
			if c[0] != c[1] {
				t.Errorf("%s: %d, want %d", what, c[0], c[1])
			}
		}
		if s := q.Stats(); s != (Stats{Workers: 1, Counts: Counts{Added: 2, HandedOut: 3, Retried: 1, Dropped: 1}}) {
			t.Errorf("stats: %+v", s)
		}
	})
}
