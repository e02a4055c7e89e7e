package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// writeCheckpoint makes a file of 20 pods and 30 commits.
func writeCheckpoint(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "watch.ckpt")
	s, err := checkpoint.Open(t.Context(), path, checkpoint.Options{Sync: checkpoint.SyncOnClose})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(t.Context(), checkpointtest.PodsIdentity("pods"), "20", checkpointtest.Pods(20)); err != nil {
		t.Fatal(err)
	}
	var b resume.Batch
	var r resume.Record
	for i := range 30 {
		b.Reset()
		checkpointtest.Pod(&r, i%20, 100+i)
		b.Add(&r)
		if err := s.Commit(t.Context(), "pods", &b, fmt.Sprint(100+i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheckpointShow(t *testing.T) {
	path := writeCheckpoint(t)
	got := invoke(t, "checkpoint", "show", path, "-o", "json")
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	var report checkpoint.Report
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Watches) != 1 {
		t.Fatalf("%+v", report)
	}
	w := report.Watches[0]
	if w.Identity != checkpointtest.PodsIdentity("pods") || w.ResourceVersion != "129" || w.Objects != 20 || w.WithBytes != 20 || w.Commits != 30 || w.Stored <= 0 || w.ObjectBytes <= 0 {
		t.Errorf("%+v", w)
	}
	if text := invoke(t, "checkpoint", "show", path); !strings.Contains(text.stdout, "resourceVersion: \"129\"\n") {
		t.Errorf("%+v", text)
	}
}

func TestCheckpointVerify(t *testing.T) {
	path := writeCheckpoint(t)
	got := invoke(t, "checkpoint", "verify", path)
	if got.code != exitOK || !strings.Contains(got.stdout, "good, format 1, ") || !strings.Contains(got.stdout, "1 watches\n") {
		t.Errorf("%+v", got)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(whole[:len(whole)-3])
	if got := invoke(t, "checkpoint", "verify", path); got.code != exitOK || !strings.Contains(got.stdout, "cut off") {
		t.Errorf("torn: %+v", got)
	}
	damaged := append([]byte(nil), whole...)
	damaged[len(damaged)/2] ^= 1
	write(damaged)
	checkFailure(t, invoke(t, "checkpoint", "verify", path), []string{"checksum", "at byte"})
	checkFailure(t, invoke(t, "checkpoint", "compact", path), []string{"checksum", "at byte"})
	// What is before the damage is shown.
	if got := invoke(t, "checkpoint", "show", path); got.code != exitOK || !strings.Contains(got.stderr, "warning: ") || !strings.Contains(got.stdout, "objects: 20\n") {
		t.Errorf("show: %+v", got)
	}
	write([]byte("kind: Config\n"))
	checkFailure(t, invoke(t, "checkpoint", "verify", path), []string{"not a checkpoint"})
}

func TestCheckpointCompact(t *testing.T) {
	path := writeCheckpoint(t)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	got := invoke(t, "checkpoint", "compact", path)
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s: %d bytes, was %d\n", path, after.Size(), before.Size())
	if got != (answer{stdout: want}) || after.Size() >= before.Size() {
		t.Errorf("%+v, want %q", got, want)
	}
	// Not while another has it.
	s, err := checkpoint.Open(t.Context(), path, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkFailure(t, invoke(t, "checkpoint", "compact", path), []string{"in use", fmt.Sprint(os.Getpid())})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCheckpointBadInput(t *testing.T) {
	for _, verb := range []string{"show", "verify", "compact"} {
		checkFailure(t, invoke(t, "checkpoint", verb, filepath.Join(t.TempDir(), "none")), []string{"none"})
		checkFailure(t, invoke(t, "checkpoint", verb, t.TempDir()), []string{"not a regular file"})
		for _, args := range [][]string{{}, {""}, {"a", "b"}} {
			if got := invoke(t, append([]string{"checkpoint", verb}, args...)...); got.code != exitUsage || got.stdout != "" {
				t.Errorf("%s %q: %+v", verb, args, got)
			}
		}
	}
	if got := invoke(t, "checkpoint", "shwo"); got.code != exitUsage || !strings.Contains(got.stderr, "did you mean show?") {
		t.Errorf("%+v", got)
	}
}
