package checkpoint_test

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// FuzzFile opens any bytes as a checkpoint. With sums set, the sums of header
// and frames are made to hold first, so that what they cover is looked at too.
func FuzzFile(f *testing.F) {
	for format := checkpoint.FormatOldest; format <= checkpoint.FormatCurrent; format++ {
		content, err := os.ReadFile(fixtureName(format, ".ckpt"))
		ok(f, err)
		f.Add(content, false)
		f.Add(content, true)
	}
	r := record(f, 3)
	f.Add(r.bytes, true)
	f.Add(r.bytes[:r.base], true)
	f.Fuzz(func(t *testing.T, content []byte, sums bool) {
		if len(content) > 1<<20 {
			return
		}
		if sums {
			checkpoint.FixSums(content)
		}
		files := newMemFS()
		files.put(memPath, content)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := open(t, memPath, checkpoint.Options{FS: files})
		state, err := checkpointtest.Load(t.Context(), s, "pods")
		runtime.ReadMemStats(&after)
		if took, limit := after.TotalAlloc-before.TotalAlloc, uint64(64<<20+len(content)*4096); took > limit {
			t.Errorf("%d bytes were allocated for %d", took, len(content))
		}
		var damage *checkpoint.FormatError
		var seal *checkpoint.SealError
		switch {
		case err == nil, errors.Is(err, resume.ErrNothingSaved):
		case errors.As(err, &damage), errors.As(err, &seal):
			state = checkpointtest.State{}
		default:
			t.Fatal(err)
		}
		// Whatever it was, a watch can begin anew in it, and go on.
		if err != nil || state.Objects == nil {
			state = begin(t, s, 3)
		}
		ok(t, s.Commit(t.Context(), "pods", nil, "after"))
		state.ResourceVersion = "after"
		ok(t, s.Close())
		again := open(t, memPath, checkpoint.Options{FS: files})
		holds(t, again, "pods", state)
		ok(t, again.Close())
	})
}
