package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// life is a short life of a watch on a file system, compactions included.
type life struct {
	t    *testing.T
	s    *checkpoint.Store
	want checkpointtest.State // what was acknowledged
	next checkpointtest.State // what the call under way would make of it
}

func (l *life) run(commits int, seed uint64) {
	ctx := context.Background()
	l.next = podsState(l.t, 6)
	ok(l.t, l.s.Replace(ctx, checkpointtest.PodsIdentity("pods"), l.next.ResourceVersion, checkpointtest.Pods(6)))
	l.want = l.next.Clone()
	churn := checkpointtest.NewChurn(seed, 6)
	var b resume.Batch
	for range commits {
		b.Reset()
		version := churn.Next(&b, 4)
		ok(l.t, l.next.Apply(&b, version))
		ok(l.t, l.s.Commit(ctx, "pods", &b, version))
		l.want = l.next.Clone()
	}
}

func podsState(t testing.TB, n int) checkpointtest.State {
	t.Helper()
	m := &checkpointtest.Memory{}
	ok(t, m.Replace(context.Background(), checkpointtest.PodsIdentity("pods"), fmt.Sprint(n), checkpointtest.Pods(n)))
	state, err := checkpointtest.Load(context.Background(), m, "pods")
	ok(t, err)
	return state
}

// often makes a short life have several compactions.
var often = checkpoint.Options{CompactFrom: 600, CompactFactor: 1, Sync: checkpoint.SyncAlways}

// Whatever call fails, once, no commit fails or is lost, and the store heals by
// itself.
func TestEachCallFailsOnce(t *testing.T) {
	calls := 0
	for _, failure := range []error{syscall.EIO, syscall.ENOSPC} {
		for n := 1; ; n++ {
			hit := false
			synctest.Test(t, func(t *testing.T) {
				files := newMemFS()
				f := newFaulty(files)
				f.short = 7
				f.fail = func(call int, name string) error {
					if call == n && name != "remove" {
						hit = true
						return failure
					}
					hit = hit || call == n
					return nil
				}
				o := often
				o.FS = f
				s, err := checkpoint.Open(t.Context(), memPath, o)
				if err != nil {
					var bad *checkpoint.FileError
					if !errors.As(err, &bad) || !errors.Is(err, failure) {
						t.Errorf("call %d: %v", n, err)
					}
					return
				}
				l := life{t: t, s: s}
				l.run(12, 7)
				time.Sleep(2 * checkpoint.DefaultRetryEvery)
				if st := s.Status(); st.Health != resume.CheckpointDurable || st.Unwritten != 0 {
					t.Errorf("call %d, %v: %+v", n, failure, st)
				}
				ok(t, s.Close())
				after := open(t, memPath, checkpoint.Options{FS: files.powerLoss(func(int) int { return 0 })})
				holds(t, after, "pods", l.want)
				ok(t, after.Close())
			})
			if !hit || t.Failed() {
				break
			}
			calls++
		}
	}
	t.Logf("%d calls failed", calls)
	if calls < 60 {
		t.Errorf("only %d calls to fail", calls)
	}
}

// The power fails at any call. What is there then is what was acknowledged, or
// with the commit that was under way; never less, never half.
func TestPowerLossAtEachCall(t *testing.T) {
	for n := 1; !t.Failed(); n++ {
		lost := false
		synctest.Test(t, func(t *testing.T) {
			files := newMemFS()
			var after *memFS
			f := newFaulty(files)
			f.short = 11
			f.fail = func(call int, _ string) error {
				if call < n {
					return nil
				}
				if call == n {
					lost = true
				}
				return syscall.EIO
			}
			o := often
			o.FS = f
			o.RetryEvery = time.Hour
			s, err := checkpoint.Open(t.Context(), memPath, o)
			if err != nil {
				return
			}
			l := life{t: t, s: s}
			acknowledged, next := l.until(&lost)
			after = files.powerLoss(func(unsynced int) int { return unsynced * (n % 3) / 2 })
			_ = s.Close() // says that something is lost
			again := open(t, memPath, checkpoint.Options{FS: after})
			defer func() { ok(t, again.Close()) }()
			got, err := checkpointtest.Load(t.Context(), again, "pods")
			if errors.Is(err, resume.ErrNothingSaved) && acknowledged.Objects == nil {
				return
			}
			ok(t, err)
			if was, would := got.Diff(acknowledged), got.Diff(next); was != "" && would != "" {
				t.Errorf("call %d: %s; %s", n, was, would)
			}
		})
		if !lost {
			if n < 30 {
				t.Errorf("only %d calls", n)
			}
			return
		}
	}
}

// until lives until lost is set, and gives the last state that was acknowledged
// before, and the one that was under way.
func (l *life) until(lost *bool) (acknowledged, next checkpointtest.State) {
	ctx := context.Background()
	next = podsState(l.t, 6)
	ok(l.t, l.s.Replace(ctx, checkpointtest.PodsIdentity("pods"), next.ResourceVersion, checkpointtest.Pods(6)))
	churn := checkpointtest.NewChurn(7, 6)
	var b resume.Batch
	for range 12 {
		if *lost {
			return acknowledged, next
		}
		acknowledged = next.Clone()
		b.Reset()
		version := churn.Next(&b, 4)
		ok(l.t, next.Apply(&b, version))
		ok(l.t, l.s.Commit(ctx, "pods", &b, version))
	}
	return acknowledged, next
}

// A full disk is a state that can be seen, costs bounded memory, loses nothing,
// and heals when there is room.
func TestDiskFull(t *testing.T) {
	for name, room := range map[string]int{"at the start": 0, "in the header": 30, "in the state": 300, "later": 5000} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files := newMemFS()
				f := newFaulty(files)
				f.room = room
				s := open(t, memPath, checkpoint.Options{FS: f, CompactFrom: 8 << 10})
				l := life{t: t, s: s}
				l.run(200, 1)
				st := s.Status()
				if st.Health != resume.CheckpointDegraded || !errors.Is(st.Err, syscall.ENOSPC) || st.Unwritten == 0 {
					t.Fatalf("%+v", st)
				}
				holds(t, s, "pods", l.want)
				var most int64
				for round := range 10 {
					l.run(50, uint64(round))
					most = max(most, s.Status().Unwritten)
				}
				if most > 32<<10 {
					t.Errorf("%d bytes are in memory, for a state of 6 objects", most)
				}
				time.Sleep(2 * checkpoint.DefaultRetryEvery)
				if h := s.Status().Health; h != resume.CheckpointDegraded {
					t.Errorf("without room it is %v", h)
				}
				f.set(func() { f.room = -1 })
				time.Sleep(2 * checkpoint.DefaultRetryEvery)
				if st := s.Status(); st.Health != resume.CheckpointDurable || st.Err != nil || st.Unwritten != 0 {
					t.Errorf("with room it is %+v", st)
				}
				ok(t, s.Close())
				again := open(t, memPath, checkpoint.Options{FS: files})
				holds(t, again, "pods", l.want)
				ok(t, again.Close())
			})
		})
	}
}

// What could not be written until the end is said.
func TestCloseWithoutRoom(t *testing.T) {
	f := newFaulty(newMemFS())
	s := open(t, memPath, checkpoint.Options{FS: f})
	f.set(func() { f.room = 0 })
	l := life{t: t, s: s}
	l.run(2, 1)
	if err := s.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close gives %v", err)
	}
}

// The default policy loses at most SyncEvery to a loss of power, and what is
// left is a state that was committed.
func TestSyncInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := newMemFS()
		s := open(t, memPath, checkpoint.Options{FS: files})
		begin(t, s, 10)
		time.Sleep(checkpoint.DefaultSyncEvery + time.Second)
		commit := func(version string) {
			ok(t, s.Commit(t.Context(), "pods", nil, version))
		}
		commit("11")
		time.Sleep(checkpoint.DefaultSyncEvery - time.Second)
		commit("12")
		synctest.Wait()
		version := func() string {
			left := open(t, memPath, checkpoint.Options{FS: files.powerLoss(func(int) int { return 0 })})
			defer func() { ok(t, left.Close()) }()
			saved, err := left.Load(t.Context(), "pods")
			ok(t, err)
			return saved.ResourceVersion
		}
		if v := version(); v != "10" {
			t.Errorf("before the interval is over version %s is left", v)
		}
		time.Sleep(2 * time.Second)
		if v := version(); v != "12" {
			t.Errorf("after the interval version %s is left", v)
		}
		ok(t, s.Close())
	})
}

// What is synced when, by policy: SyncAlways with each commit, SyncOnClose by
// Close and not before.
func TestSyncPolicies(t *testing.T) {
	for name, c := range map[string]struct {
		policy checkpoint.SyncPolicy
		left   string // by a loss of power before Close
	}{"always": {checkpoint.SyncAlways, "11"}, "on close": {checkpoint.SyncOnClose, "10"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files := newMemFS()
				s := open(t, memPath, checkpoint.Options{FS: files})
				begin(t, s, 10)
				ok(t, s.Close())
				s = open(t, memPath, checkpoint.Options{FS: files, Sync: c.policy})
				ok(t, s.Commit(t.Context(), "pods", nil, "11"))
				left := func() string {
					after := open(t, memPath, checkpoint.Options{FS: files.powerLoss(func(int) int { return 0 })})
					defer func() { ok(t, after.Close()) }()
					saved, err := after.Load(t.Context(), "pods")
					ok(t, err)
					return saved.ResourceVersion
				}
				if v := left(); v != c.left {
					t.Errorf("version %s is left, want %s", v, c.left)
				}
				time.Sleep(time.Hour)
				if v := left(); v != c.left {
					t.Errorf("after an hour version %s is left, want %s", v, c.left)
				}
				ok(t, s.Close())
				if v := left(); v != "11" {
					t.Errorf("after Close version %s is left", v)
				}
			})
		})
	}
}

// Clocks jump. Nothing but the time that is told depends on them.
func TestClockJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := newMemFS()
		wall := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		o := checkpoint.Options{FS: files, Now: func() time.Time { return wall }}
		s := open(t, memPath, o)
		begin(t, s, 3)
		for i, jump := range []time.Duration{100 * 365 * 24 * time.Hour, -150 * 365 * 24 * time.Hour, time.Hour} {
			wall = wall.Add(jump)
			version := fmt.Sprint(100 + i)
			ok(t, s.Commit(t.Context(), "pods", nil, version))
			time.Sleep(2 * checkpoint.DefaultSyncEvery)
			left := open(t, memPath, checkpoint.Options{FS: files.powerLoss(func(int) int { return 0 })})
			saved, err := left.Load(t.Context(), "pods")
			ok(t, err)
			if saved.ResourceVersion != version || !saved.SavedAt.Equal(wall) {
				t.Errorf("after %v: version %s of %v, want %s of %v", jump, saved.ResourceVersion, saved.SavedAt, version, wall)
			}
			ok(t, left.Close())
		}
		ok(t, s.Close())
	})
}

// A file that damage is found in while it is in use begins anew: callers learn
// it, and nothing is wedged.
func TestDamageWhileInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := newMemFS()
		o := often
		o.FS = files
		s := open(t, memPath, o)
		begin(t, s, 20)
		damaged, _ := files.get(memPath)
		damaged[len(damaged)/2] ^= 1
		files.mu.Lock()
		files.names[memPath].data = damaged
		files.mu.Unlock()
		var damage *checkpoint.FormatError
		if _, err := checkpointtest.Load(t.Context(), s, "pods"); !errors.As(err, &damage) {
			t.Errorf("Load gives %v", err)
		}
		var err error
		for i := 0; i < 100 && err == nil; i++ {
			churn := checkpointtest.NewChurn(uint64(i), 20)
			var b resume.Batch
			err = s.Commit(t.Context(), "pods", &b, churn.Next(&b, 40))
		}
		if !errors.Is(err, resume.ErrNothingSaved) {
			t.Fatalf("after damage: %v", err)
		}
		want := begin(t, s, 4)
		time.Sleep(2 * checkpoint.DefaultRetryEvery)
		ok(t, s.Close())
		again := open(t, memPath, checkpoint.Options{FS: files})
		holds(t, again, "pods", want)
		ok(t, again.Close())
	})
}
