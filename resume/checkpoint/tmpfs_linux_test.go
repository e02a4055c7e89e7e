package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// A real file system without room, where this user may mount one; TestDiskFull
// has the same through the seam.
func TestDiskFullForReal(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("no tmpfs can be mounted:", err)
	}
	defer func() { ok(t, syscall.Unmount(folder, 0)) }()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(folder, "watch.ckpt")
		o := checkpoint.Options{FS: checkpoint.OS, CompactFrom: 32 << 10, Sync: checkpoint.SyncAlways}
		s := open(t, path, o)
		l := life{t: t, s: s}
		l.run(50, 1)
		ballast := filepath.Join(folder, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("the disk is not full: %v", err)
		}
		l.run(200, 2)
		if st := s.Status(); st.Health != resume.CheckpointDegraded || !errors.Is(st.Err, syscall.ENOSPC) || st.Unwritten == 0 {
			t.Fatalf("%+v", st)
		}
		holds(t, s, "pods", l.want)
		ok(t, os.Remove(ballast))
		time.Sleep(2 * checkpoint.DefaultRetryEvery)
		if st := s.Status(); st.Health != resume.CheckpointDurable || st.Unwritten != 0 {
			t.Fatalf("with room it is %+v", st)
		}
		ok(t, s.Close())
		again := open(t, path, o)
		holds(t, again, "pods", l.want)
		ok(t, again.Close())
	})
}
