package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

func checkLocked(t *testing.T, err error, path string, pid int) {
	t.Helper()
	var locked *checkpoint.LockedError
	if !errors.As(err, &locked) || locked.PID != pid {
		t.Fatalf("%v, want process %d", err, pid)
	}
	for _, part := range []string{path, fmt.Sprint(pid)} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %q", part, err)
		}
	}
}

func TestLockedByThisProcess(t *testing.T) {
	path := file(t)
	s := open(t, path, checkpoint.Options{})
	_, err := checkpoint.Open(t.Context(), path, checkpoint.Options{LockWait: -1})
	checkLocked(t, err, path, os.Getpid())
	without, err := checkpoint.Open(t.Context(), path, checkpoint.Options{LockWait: -1, GoOnWithout: true})
	ok(t, err)
	checkLocked(t, without.Status().Err, path, os.Getpid())
	begin(t, without, 3)
	ok(t, without.Close())
	ok(t, s.Close())
	open(t, path, checkpoint.Options{LockWait: -1})
}

// The wait for the lock is as long as it was said, and ends with the context.
func TestLockWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := newMemFS()
		s := open(t, memPath, checkpoint.Options{FS: files})
		var locked *checkpoint.LockedError
		start := time.Now()
		if _, err := checkpoint.Open(t.Context(), memPath, checkpoint.Options{FS: files}); !errors.As(err, &locked) {
			t.Errorf("%v", err)
		}
		if waited := time.Since(start); waited < checkpoint.DefaultLockWait || waited > checkpoint.DefaultLockWait+time.Second {
			t.Errorf("waited %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		if _, err := checkpoint.Open(ctx, memPath, checkpoint.Options{FS: files}); !errors.As(err, &locked) {
			t.Errorf("%v", err)
		}
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("waited %v, the context lasted a second", waited)
		}
		time.AfterFunc(time.Second, func() { _ = s.Close() })
		next := open(t, memPath, checkpoint.Options{FS: files}) // gets it
		ok(t, next.Close())
	})
}

// refusing is a file system that refuses to open a file in a certain way.
type refusing struct {
	checkpoint.FS
	err     error
	reading bool // may be opened for reading
}

func (r refusing) OpenFile(name string, flag int, perm fs.FileMode) (checkpoint.File, error) {
	if r.reading && flag&(os.O_RDWR|os.O_CREATE) == 0 {
		return r.FS.OpenFile(name, flag, perm)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: r.err}
}

func (r refusing) Lock(name string) (io.Closer, error) {
	if errors.Is(r.err, syscall.EROFS) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: r.err}
	}
	return r.FS.Lock(name)
}

func TestBadInput(t *testing.T) {
	stored := file(t)
	s := open(t, stored, checkpoint.Options{})
	want := begin(t, s, 5)
	ok(t, s.Close())
	real := unsynced{checkpoint.OS}
	for name, c := range map[string]struct {
		path    string
		files   checkpoint.FS
		problem checkpoint.FileProblem
		reads   bool
	}{
		"a directory":                 {t.TempDir(), real, checkpoint.NotRegular, false},
		"a device":                    {os.DevNull, real, checkpoint.NotRegular, false},
		"no directory":                {filepath.Join(t.TempDir(), "none", "file"), real, checkpoint.NoDirectory, false},
		"under a file":                {filepath.Join(stored, "file"), real, checkpoint.NoDirectory, false},
		"not permitted":               {stored, refusing{real, syscall.EACCES, false}, checkpoint.NotPermitted, false},
		"may be read only":            {stored, refusing{real, syscall.EACCES, true}, checkpoint.NotPermitted, true},
		"read-only media":             {stored, refusing{real, syscall.EROFS, true}, checkpoint.ReadOnly, true},
		"read-only media, no file":    {stored + "-2", refusing{real, syscall.EROFS, true}, checkpoint.ReadOnly, false},
		"media that cannot be read":   {stored, refusing{real, syscall.EIO, false}, checkpoint.Unusable, false},
		"a pipe that nobody writes":   {pipe(t), real, checkpoint.NotRegular, false},
		"a name that is far too long": {filepath.Join(t.TempDir(), strings.Repeat("x", 5000)), real, checkpoint.Unusable, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := checkpoint.Open(t.Context(), c.path, checkpoint.Options{FS: c.files})
			var bad *checkpoint.FileError
			if !errors.As(err, &bad) || bad.Problem != c.problem || !strings.Contains(err.Error(), c.path) {
				t.Fatalf("%v", err)
			}
			without := open(t, c.path, checkpoint.Options{FS: c.files, GoOnWithout: true})
			if st := without.Status(); st.Health != resume.CheckpointMemoryOnly || !errors.As(st.Err, &bad) {
				t.Errorf("%+v", st)
			}
			if c.reads {
				holds(t, without, "pods", want)
			}
			begin(t, without, 7)
			ok(t, without.Close())
		})
	}
	holds(t, open(t, stored, checkpoint.Options{}), "pods", want)
}

// A symbolic link stays one when the file is rewritten.
func TestSymbolicLink(t *testing.T) {
	path := file(t)
	ok(t, open(t, path, checkpoint.Options{}).Close())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	s := open(t, link, checkpoint.Options{CompactFrom: 1, CompactFactor: 1})
	want := begin(t, s, 50)
	ok(t, s.Close())
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	holds(t, open(t, path, checkpoint.Options{}), "pods", want)
}
