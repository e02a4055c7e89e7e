package checkpoint_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// copies are the files that hold states set aside.
func copies(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + ".watch-*")
	ok(t, err)
	return names
}

// A state is copied once, however often a process is killed before it has put
// another in its place; and how many copies there are is bounded.
func TestSetAsideOnce(t *testing.T) {
	path := file(t)
	s := open(t, path, checkpoint.Options{})
	want := begin(t, s, 30)
	for range 2 * checkpoint.MaxAside {
		ok(t, s.SetAside(t.Context(), "pods", "the selector changed"))
		holds(t, s, "pods", want)
		ok(t, s.Close())
		s = open(t, path, checkpoint.Options{})
	}
	names := copies(t, path)
	if len(names) != 1 {
		t.Fatalf("set aside: %v", names)
	}
	report, err := checkpoint.Verify(t.Context(), names[0], nil)
	ok(t, err)
	if len(report.Watches) != 1 || report.Watches[0].Objects != 30 || report.Watches[0].ResourceVersion != "30" {
		t.Errorf("it holds %+v", report.Watches)
	}
	if len(report.Notes) != 1 || !strings.HasSuffix(report.Notes[0], "the selector changed") {
		t.Errorf("it says %q", report.Notes)
	}
	for n := range 2 * checkpoint.MaxAside {
		ok(t, s.Commit(t.Context(), "pods", nil, fmt.Sprint(31+n)))
		ok(t, s.SetAside(t.Context(), "pods", "another state"))
		if names, most := len(copies(t, path)), min(n+2, checkpoint.MaxAside); names != most {
			t.Fatalf("%d copies, want %d", names, most)
		}
	}
}

// States of two watches are two, also when they were saved at the same time.
func TestSetAsideOfEachWatch(t *testing.T) {
	path := file(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := open(t, path, checkpoint.Options{Now: func() time.Time { return now }})
	for _, watch := range []string{"a", "b"} {
		ok(t, s.Replace(t.Context(), checkpointtest.PodsIdentity(watch), "3", checkpointtest.Pods(3)))
	}
	for _, watch := range []string{"a", "b", "a", "b"} {
		ok(t, s.SetAside(t.Context(), watch, "why"))
	}
	if names := copies(t, path); len(names) != 2 || !strings.Contains(names[0], ".watch-20260501T120000Z-") {
		t.Errorf("set aside: %v", names)
	}
}

// Whatever call fails, a copy is whole or not there, the state stays until it is
// replaced, and it is replaced also without a copy.
func TestSetAsideFails(t *testing.T) {
	without := 0
	for n := 1; ; n++ {
		path := file(t)
		f := newFaulty(unsynced{checkpoint.OS})
		s := open(t, path, checkpoint.Options{FS: f})
		want := begin(t, s, 30)
		hit := false
		f.set(func() {
			f.calls, f.short = 0, 7
			f.fail = func(call int, _ string) error {
				if hit = hit || call == n; hit {
					return syscall.ENOSPC // from then on
				}
				return nil
			}
		})
		ok(t, s.SetAside(t.Context(), "pods", "why"))
		f.set(func() { f.fail = nil })
		holds(t, s, "pods", want)
		for _, name := range copies(t, path) {
			_, err := checkpoint.Verify(t.Context(), name, nil)
			ok(t, err)
		}
		if len(copies(t, path)) == 0 {
			without++
		}
		want = begin(t, s, 4)
		ok(t, s.Close())
		again := open(t, path, checkpoint.Options{})
		holds(t, again, "pods", want)
		if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("call %d: what is left of the copy: %v", n, err)
		}
		if !hit || t.Failed() {
			break
		}
	}
	if without < 4 {
		t.Errorf("only %d copies failed", without)
	}
}

// A state that cannot be read back is in nobody's way.
func TestSetAsideOfDamaged(t *testing.T) {
	files := newMemFS()
	s := open(t, memPath, checkpoint.Options{FS: files})
	begin(t, s, 20)
	files.mu.Lock()
	data := files.names[memPath].data
	data[len(data)/2] ^= 1
	files.mu.Unlock()
	ok(t, s.SetAside(t.Context(), "pods", "an object in it cannot be read"))
	ok(t, s.Replace(t.Context(), checkpointtest.PodsIdentity("pods"), "5", checkpointtest.Pods(5)))
}

// Files in which watches were forgotten are read, though no program writes them
// any more.
func TestForgotten(t *testing.T) {
	path := file(t)
	s := open(t, path, checkpoint.Options{})
	begin(t, s, 5)
	s.Forget("pods")
	ok(t, s.Close())
	s = open(t, path, checkpoint.Options{})
	if st := s.Status(); st.Err != nil {
		t.Errorf("opened with %v", st.Err)
	}
	if _, err := s.Load(t.Context(), "pods"); !errors.Is(err, resume.ErrNothingSaved) {
		t.Errorf("Load gives %v", err)
	}
	want := begin(t, s, 3)
	ok(t, s.Close())
	holds(t, open(t, path, checkpoint.Options{}), "pods", want)
}
