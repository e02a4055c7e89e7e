package checkpoint_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

var recordFormats = flag.Bool("record-formats", false, "record the stored files of testdata anew")

// fixture is what a stored file holds. What is recorded stays as it is: it is
// what users have on their disks.
type fixture struct {
	Identity        resume.WatchIdentity
	ResourceVersion string
	Objects         map[string]string
}

func fixtureOf(t *testing.T, s *checkpoint.Store) fixture {
	t.Helper()
	saved, err := s.Load(t.Context(), "pods")
	ok(t, err)
	state, err := checkpointtest.Fold(saved)
	ok(t, err)
	f := fixture{saved.Identity, saved.ResourceVersion, map[string]string{}}
	for key, object := range state.Objects {
		f.Objects[key.String()] = object
	}
	return f
}

func fixtureName(format int, suffix string) string {
	return filepath.Join("testdata", fmt.Sprintf("format%d%s", format, suffix))
}

// go test ./resume/checkpoint -run TestRecordFormats -record-formats
func TestRecordFormats(t *testing.T) {
	if !*recordFormats {
		t.Skip("nothing to record: see the flag -record-formats")
	}
	for format := checkpoint.FormatOldest; format <= checkpoint.FormatCurrent; format++ {
		name := fixtureName(format, ".ckpt")
		_ = os.Remove(name)
		s := open(t, name, checkpoint.Options{})
		ok(t, s.WriteAs(format))
		begin(t, s, 30)
		churn := checkpointtest.NewChurn(uint64(format), 30)
		var b resume.Batch
		for range 20 {
			b.Reset()
			ok(t, s.Commit(t.Context(), "pods", &b, churn.Next(&b, 10)))
		}
		text, err := json.MarshalIndent(fixtureOf(t, s), "", " ")
		ok(t, err)
		ok(t, os.WriteFile(fixtureName(format, ".json"), text, 0o644))
		ok(t, s.Close())
		ok(t, os.Remove(name+".lock"))
	}
}

// Files that older programs wrote are read, rewritten in today's format, and
// gone on from.
func TestStoredFormats(t *testing.T) {
	for format := checkpoint.FormatOldest; format <= checkpoint.FormatCurrent; format++ {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			content, err := os.ReadFile(fixtureName(format, ".ckpt"))
			ok(t, err)
			text, err := os.ReadFile(fixtureName(format, ".json"))
			ok(t, err)
			var want fixture
			ok(t, json.Unmarshal(text, &want))
			path := file(t)
			ok(t, os.WriteFile(path, content, 0o600))

			report, err := checkpoint.Verify(t.Context(), path, nil)
			ok(t, err)
			if report.Format != format || len(report.Watches) != 1 || report.Watches[0].Objects != len(want.Objects) || report.Watches[0].SavedAt.IsZero() {
				t.Errorf("%+v", report)
			}
			for _, version := range []string{want.ResourceVersion, "after the upgrade"} {
				s := open(t, path, checkpoint.Options{})
				got := fixtureOf(t, s)
				want.ResourceVersion = version
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("got  %v\nwant %v", got, want)
				}
				ok(t, s.Commit(t.Context(), "pods", nil, "after the upgrade"))
				ok(t, s.Close())
			}
			if report, err = checkpoint.Verify(t.Context(), path, nil); err != nil || report.Format != checkpoint.FormatCurrent {
				t.Errorf("%+v, %v", report, err)
			}
		})
	}
}

// Where there is no room for the upgrade, the old format goes on.
func TestUpgradeWithoutRoom(t *testing.T) {
	content, err := os.ReadFile(fixtureName(0, ".ckpt"))
	ok(t, err)
	files := newMemFS()
	files.put(memPath, content)
	f := newFaulty(files)
	f.room = 3000
	s := open(t, memPath, checkpoint.Options{FS: f})
	ok(t, s.Commit(t.Context(), "pods", nil, "next"))
	saved, err := s.Load(t.Context(), "pods")
	ok(t, err)
	if age := time.Since(saved.SavedAt); age > time.Minute {
		t.Errorf("saved %v ago", age)
	}
	ok(t, s.Close())
	again := open(t, memPath, checkpoint.Options{FS: files})
	if got := fixtureOf(t, again); got.ResourceVersion != "next" {
		t.Errorf("version %s", got.ResourceVersion)
	}
}
