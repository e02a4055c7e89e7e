package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// recording is a file, and the state after each of its commits by the size that
// the file had then.
type recording struct {
	bytes  []byte
	states map[int]checkpointtest.State
	base   int // the size of the file when it was made
}

// record writes a short life of a watch, its Replace included.
func record(t testing.TB, commits int) recording {
	t.Helper()
	path := file(t)
	s := open(t, path, checkpoint.Options{})
	r := recording{states: map[int]checkpointtest.State{}, base: int(s.Status().Size)}
	r.states[r.base] = checkpointtest.State{}
	want := begin(t, s, 8)
	r.states[int(s.Status().Size)] = want.Clone()
	churn := checkpointtest.NewChurn(5, 8)
	var b resume.Batch
	for range commits {
		b.Reset()
		version := churn.Next(&b, 5)
		ok(t, want.Apply(&b, version))
		ok(t, s.Commit(t.Context(), "pods", &b, version))
		r.states[int(s.Status().Size)] = want.Clone()
	}
	ok(t, s.Close())
	var err error
	r.bytes, err = os.ReadFile(path)
	ok(t, err)
	return r
}

// before is the last state that a file of size bytes holds whole.
func (r *recording) before(size int) checkpointtest.State {
	for ; r.states[size].ResourceVersion == "" && size > r.base; size-- {
	}
	return r.states[size]
}

const memPath = "/data/watch.ckpt"

// openBytes opens a file of the given bytes and closes it again.
func openBytes(t *testing.T, content []byte) (got checkpointtest.State, status resume.CheckpointStatus, files *memFS) {
	t.Helper()
	files = newMemFS()
	files.put(memPath, content)
	s := open(t, memPath, checkpoint.Options{FS: files})
	defer func() { ok(t, s.Close()) }()
	got, err := checkpointtest.Load(t.Context(), s, "pods")
	if err != nil && !errors.Is(err, resume.ErrNothingSaved) {
		t.Fatal(err)
	}
	return got, s.Status(), files
}

// A process can be killed at any byte of a write. What it had committed before
// is there, what it was writing is not, and the file goes on.
func TestCutAtEachByte(t *testing.T) {
	r := record(t, 12)
	for cut := r.base; cut <= len(r.bytes); cut++ {
		got, status, files := openBytes(t, r.bytes[:cut])
		want := r.before(cut)
		if diff := got.Diff(want); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
		if status.Err != nil {
			t.Fatalf("cut at %d: %v", cut, status.Err)
		}
		if cut%7 != 0 || want.Objects == nil {
			continue
		}
		s := open(t, memPath, checkpoint.Options{FS: files})
		ok(t, s.Commit(t.Context(), "pods", nil, "after"))
		ok(t, s.Close())
		want = want.Clone()
		want.ResourceVersion = "after"
		holds(t, open(t, memPath, checkpoint.Options{FS: files}), "pods", want)
	}
}

// What is cut from a file as it was made was not cut by a killed process.
func TestCutInTheBase(t *testing.T) {
	path := file(t)
	s := open(t, path, checkpoint.Options{})
	begin(t, s, 20)
	ok(t, s.Close())
	_, _, err := checkpoint.Compact(t.Context(), path, nil)
	ok(t, err)
	whole, err := os.ReadFile(path)
	ok(t, err)
	for cut := 1; cut < len(whole); cut += 3 {
		_, status, files := openBytes(t, whole[:cut])
		checkAside(t, files, status, whole[:cut], false)
	}
}

// checkAside looks whether what was set aside is what was there.
func checkAside(t *testing.T, files *memFS, status resume.CheckpointStatus, want []byte, kept bool) {
	t.Helper()
	var aside *checkpoint.SetAsideError
	if !errors.As(status.Err, &aside) || aside.Kept != kept {
		t.Fatalf("set aside: %v, want one with Kept=%v", status.Err, kept)
	}
	if got, there := files.get(aside.Aside); !there || string(got) != string(want) {
		t.Fatalf("%s holds %d bytes, want %d", aside.Aside, len(got), len(want))
	}
}

func TestEachByteOfTheHeaderFlipped(t *testing.T) {
	r := record(t, 2)
	for at := range r.base {
		for _, flip := range []byte{1, 0x80, 0xff} {
			damaged := append([]byte(nil), r.bytes...)
			damaged[at] ^= flip
			got, status, files := openBytes(t, damaged)
			if got.Objects != nil {
				t.Errorf("byte %d: a state came of it", at)
			}
			checkAside(t, files, status, damaged, false)
		}
	}
}

// Behind the header a flipped byte costs what comes after it. Only in the last
// frame it cannot be told from a write that was cut off.
func TestEachByteFlipped(t *testing.T) {
	r := record(t, 6)
	last := 0
	for size := range r.states {
		if size < len(r.bytes) {
			last = max(last, size)
		}
	}
	for at := r.base; at < len(r.bytes); at++ {
		damaged := append([]byte(nil), r.bytes...)
		damaged[at] ^= 0x10
		got, status, files := openBytes(t, damaged)
		want := r.before(at)
		if diff := got.Diff(want); diff != "" {
			t.Fatalf("byte %d: %s", at, diff)
		}
		if at >= last {
			if status.Err != nil {
				t.Fatalf("byte %d, in the last frame: %v", at, status.Err)
			}
			continue
		}
		checkAside(t, files, status, damaged, want.Objects != nil)
	}
}

// Zeros at the end are what some file systems leave after a loss of power.
func TestZerosAtTheEnd(t *testing.T) {
	r := record(t, 5)
	for _, zeros := range []int{1, 10, 4096, 100_000} {
		got, status, _ := openBytes(t, append(append([]byte(nil), r.bytes...), make([]byte, zeros)...))
		if diff := got.Diff(r.before(len(r.bytes))); diff != "" || status.Err != nil {
			t.Errorf("%d zeros: %s, %v", zeros, diff, status.Err)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	future := append([]byte(nil), record(t, 0).bytes...)
	future[8] = 99
	checkpoint.FixHeader(future)
	for name, c := range map[string]struct {
		content []byte
		damage  checkpoint.Damage
	}{
		"text":          {[]byte("apiVersion: v1\nkind: Config\n"), checkpoint.Foreign},
		"one byte":      {[]byte("x"), checkpoint.Foreign},
		"zeros":         {make([]byte, 5000), checkpoint.Foreign},
		"newer program": {future, checkpoint.OtherVersion},
	} {
		t.Run(name, func(t *testing.T) {
			_, status, files := openBytes(t, c.content)
			checkAside(t, files, status, c.content, false)
			var damage *checkpoint.FormatError
			if !errors.As(status.Err, &damage) || damage.Damage != c.damage {
				t.Errorf("%v, want %v", status.Err, c.damage)
			}
		})
	}
	if _, status, _ := openBytes(t, nil); status.Err != nil {
		t.Errorf("an empty file: %v", status.Err)
	}
}

// Files set aside are kept, but not without end.
func TestAsideIsBounded(t *testing.T) {
	path := file(t)
	for range 3 * checkpoint.MaxAside {
		ok(t, os.WriteFile(path, []byte("not a checkpoint"), 0o600))
		ok(t, open(t, path, checkpoint.Options{}).Close())
	}
	entries, err := filepath.Glob(path + ".foreign-*")
	ok(t, err)
	if len(entries) != checkpoint.MaxAside {
		t.Errorf("%d files are set aside: %v", len(entries), entries)
	}
}
