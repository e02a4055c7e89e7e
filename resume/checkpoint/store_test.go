package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		child(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// file is the name of a checkpoint that is not there yet.
func file(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "watch.ckpt")
}

// open does not wait for disks, unless it is given a file system.
func open(t testing.TB, path string, o checkpoint.Options) *checkpoint.Store {
	t.Helper()
	if o.FS == nil {
		o.FS = unsynced{checkpoint.OS}
	}
	s, err := checkpoint.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func holds(t testing.TB, c resume.Checkpoint, watch string, want checkpointtest.State) {
	t.Helper()
	got, err := checkpointtest.Load(context.Background(), c, watch)
	if err != nil {
		t.Fatal(err)
	}
	if diff := got.Diff(want); diff != "" {
		t.Fatal(diff)
	}
}

// begin stores pods and gives the state that is expected from then on.
func begin(t testing.TB, s *checkpoint.Store, pods int) checkpointtest.State {
	t.Helper()
	ctx := context.Background()
	ok(t, s.Replace(ctx, checkpointtest.PodsIdentity("pods"), fmt.Sprint(pods), checkpointtest.Pods(pods)))
	want, err := checkpointtest.Load(ctx, s, "pods")
	ok(t, err)
	if len(want.Objects) != pods {
		t.Fatalf("%d objects, want %d", len(want.Objects), pods)
	}
	return want
}

func TestStore(t *testing.T) {
	for name, o := range map[string]checkpoint.Options{
		"defaults":         {},
		"always synced":    {Sync: checkpoint.SyncAlways},
		"synced on close":  {Sync: checkpoint.SyncOnClose},
		"compacted often":  {CompactFrom: 1, CompactFactor: 1},
		"encrypted":        {Encryption: newAEAD(t, 1)},
		"encrypted, often": {Encryption: newAEAD(t, 1), CompactFrom: 1, CompactFactor: 1},
	} {
		t.Run(name, func(t *testing.T) {
			checkpointtest.Run(t, func(t *testing.T) (resume.Checkpoint, func() resume.Checkpoint) {
				path := file(t)
				s := open(t, path, o)
				return s, func() resume.Checkpoint {
					ok(t, s.Close())
					if _, err := checkpoint.Verify(t.Context(), path, o.Encryption); err != nil {
						t.Error(err)
					}
					s = open(t, path, o)
					return s
				}
			})
		})
	}
}

// In memory nothing lasts longer than the Store, but all else is the same.
func TestMemoryOnly(t *testing.T) {
	for name, o := range map[string]checkpoint.Options{
		"defaults":     {MemoryOnly: true},
		"folded often": {MemoryOnly: true, CompactFrom: 1, CompactFactor: 1},
		"encrypted":    {MemoryOnly: true, CompactFrom: 1, Encryption: newAEAD(t, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			checkpointtest.Run(t, func(t *testing.T) (resume.Checkpoint, func() resume.Checkpoint) {
				s := open(t, "", o)
				if h := s.Status().Health; h != resume.CheckpointMemoryOnly {
					t.Errorf("it is %v", h)
				}
				return s, func() resume.Checkpoint { return s }
			})
		})
	}
}

func TestFileMode(t *testing.T) {
	path := file(t)
	s := open(t, path, checkpoint.Options{CompactFrom: 1})
	begin(t, s, 100)
	ok(t, s.SetAside(t.Context(), "pods", "to see the file's mode"))
	ok(t, s.Close())
	entries, err := os.ReadDir(filepath.Dir(path))
	ok(t, err)
	if len(entries) != 3 {
		t.Errorf("%d files, want the checkpoint, its lock, and what was set aside", len(entries))
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	// One that others may read is closed to them.
	ok(t, os.Chmod(path, 0o644))
	open(t, path, checkpoint.Options{})
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// The file and what is written stay within bounds, however long it goes on.
func TestGrowthIsBounded(t *testing.T) {
	path := file(t)
	s := open(t, path, checkpoint.Options{CompactFrom: 16 << 10})
	want := begin(t, s, 200)
	churn := checkpointtest.NewChurn(3, 200)
	var b resume.Batch
	var largest int64
	for range 1500 {
		b.Reset()
		version := churn.Next(&b, 40)
		ok(t, want.Apply(&b, version))
		ok(t, s.Commit(t.Context(), "pods", &b, version))
		largest = max(largest, s.Status().Size)
	}
	holds(t, s, "pods", want)
	st := s.Status()
	if st.Compactions < 10 {
		t.Errorf("%d compactions", st.Compactions)
	}
	ok(t, s.Close())
	before, after, err := checkpoint.Compact(t.Context(), path, nil)
	ok(t, err)
	if limit := 5*after + 32<<10; largest > limit || before > limit {
		t.Errorf("grew to %d bytes, for a state of %d", largest, after)
	}
	holds(t, open(t, path, checkpoint.Options{}), "pods", want)
}

func TestSecrets(t *testing.T) {
	id := checkpointtest.PodsIdentity("secrets")
	id.Resource = "secrets"
	var withObject, without resume.Batch
	var r resume.Record
	checkpointtest.Pod(&r, 1, 2)
	withObject.Add(&r)
	r.Object = nil
	without.Add(&r)
	for name, c := range map[string]struct {
		o       checkpoint.Options
		allowed bool
	}{
		"refused":   {checkpoint.Options{}, false},
		"allowed":   {checkpoint.Options{AllowSecrets: true}, true},
		"encrypted": {checkpoint.Options{Encryption: newAEAD(t, 1)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, file(t), c.o)
			ctx := t.Context()
			ok(t, s.Replace(ctx, id, "1", checkpointtest.Pods(0)))
			ok(t, s.Commit(ctx, "secrets", &without, "2"))
			for call, err := range map[string]error{
				"Commit":  s.Commit(ctx, "secrets", &withObject, "3"),
				"Replace": s.Replace(ctx, id, "3", checkpointtest.Pods(1)),
			} {
				var refused *checkpoint.SecretsError
				if errors.As(err, &refused) == c.allowed || c.allowed && err != nil {
					t.Errorf("%s gives %v", call, err)
				}
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	s := open(t, file(t), checkpoint.Options{})
	want := begin(t, s, 3)
	var b resume.Batch
	r := resume.Record{Object: make([]byte, resume.MaxBatchBytes)}
	b.Add(&r)
	var large *checkpoint.TooLargeError
	if err := s.Commit(t.Context(), "pods", &b, "9"); !errors.As(err, &large) {
		t.Errorf("Commit gives %v", err)
	}
	one := func(yield func(resume.Record, error) bool) { yield(r, nil) }
	if err := s.Replace(t.Context(), checkpointtest.PodsIdentity("pods"), "9", one); !errors.As(err, &large) {
		t.Errorf("Replace gives %v", err)
	}
	holds(t, s, "pods", want)
}

func TestOptionErrors(t *testing.T) {
	for name, o := range map[string]checkpoint.Options{
		"Sync":          {Sync: 9},
		"SyncEvery":     {SyncEvery: -1},
		"RetryEvery":    {RetryEvery: -1},
		"CompactFrom":   {CompactFrom: -1},
		"CompactFactor": {CompactFactor: -1},
	} {
		var bad *checkpoint.OptionError
		if _, err := checkpoint.Open(t.Context(), file(t), o); !errors.As(err, &bad) || bad.Option != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	var bad *checkpoint.OptionError
	if _, err := checkpoint.Open(t.Context(), "", checkpoint.Options{}); !errors.As(err, &bad) {
		t.Errorf("no path: %v", err)
	}
}
