package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// refusedForReal opens a file that the operating system refuses: one clear
// error, and the option to go on without, with what can be read of it.
func refusedForReal(t *testing.T, path string, problem checkpoint.FileProblem, readable *checkpointtest.State) {
	t.Helper()
	var bad *checkpoint.FileError
	if s, err := checkpoint.Open(t.Context(), path, checkpoint.Options{}); !errors.As(err, &bad) || bad.Problem != problem {
		t.Errorf("Open gives %v", err)
		if err == nil {
			ok(t, s.Close())
		}
	}
	without, err := checkpoint.Open(t.Context(), path, checkpoint.Options{GoOnWithout: true})
	ok(t, err)
	if st := without.Status(); st.Health != resume.CheckpointMemoryOnly || !errors.As(st.Err, &bad) {
		t.Errorf("%+v", st)
	}
	if readable != nil {
		holds(t, without, "pods", *readable)
	}
	begin(t, without, 7)
	ok(t, without.Close())
}

// Wrong permissions, of a file and of its directory: as another user, where this
// one is root.
func TestNotPermittedForReal(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may be somebody else")
	}
	folder, err := os.MkdirTemp("", "checkpoint")
	ok(t, err)
	defer os.RemoveAll(folder)
	ok(t, os.Chmod(folder, 0o755))
	path := filepath.Join(folder, "watch.ckpt")
	s := open(t, path, checkpoint.Options{})
	begin(t, s, 5)
	ok(t, s.Close())
	// The file system's user is a thread's own.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Skip(err)
	}
	defer func() { ok(t, syscall.Setfsuid(0)) }()
	if _, err := os.Open(path); err == nil {
		t.Skip("this user may do everything")
	}
	refusedForReal(t, path, checkpoint.NotPermitted, nil)
	refusedForReal(t, filepath.Join(folder, "new.ckpt"), checkpoint.NotPermitted, nil)
}

// A file system that is mounted read-only, where this user may mount one.
func TestReadOnlyForReal(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no tmpfs can be mounted:", err)
	}
	defer func() { ok(t, syscall.Unmount(folder, 0)) }()
	path := filepath.Join(folder, "watch.ckpt")
	s := open(t, path, checkpoint.Options{})
	want := begin(t, s, 5)
	ok(t, s.Close())
	ok(t, syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=1m"))
	refusedForReal(t, path, checkpoint.ReadOnly, &want)
	refusedForReal(t, filepath.Join(folder, "new.ckpt"), checkpoint.ReadOnly, nil)
}
