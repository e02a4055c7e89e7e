package checkpoint_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// childVariable makes this test binary a process that commits to the file that
// it names until it is killed.
const childVariable = "RAWWATCH_TEST_CHECKPOINT"

const (
	childObjects = 40
	childChanges = 12
)

// childStep is the n-th commit: the same in the child and in the test.
func childStep(n int, b *resume.Batch) (version string) {
	b.Reset()
	version = checkpointtest.NewChurn(uint64(n), childObjects).Next(b, childChanges)
	return fmt.Sprintf("%d-%s", n, version)
}

// child goes on from the number in the stored version, and says each number
// when it is committed.
func child(path string) {
	ctx := context.Background()
	s, err := checkpoint.Open(ctx, path, checkpoint.Options{CompactFrom: 4 << 10, FS: unsynced{checkpoint.OS}})
	if err != nil {
		fmt.Println("open:", err)
		return
	}
	saved, err := s.Load(ctx, "pods")
	if err != nil {
		fmt.Println("load:", err)
		return
	}
	n := stepOf(saved.ResourceVersion)
	var b resume.Batch
	for {
		n++
		if err := s.Commit(ctx, "pods", &b, childStep(n, &b)); err != nil {
			fmt.Println("commit:", err)
			return
		}
		if _, err := fmt.Println(n); err != nil {
			return
		}
	}
}

func stepOf(version string) int {
	number, _, _ := strings.Cut(version, "-")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}

// killed runs the child, kills it after some time, and gives the last number
// that it said.
func killed(t *testing.T, path string, after time.Duration) (said int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0]) // where an emulator runs it, that starts the emulator
	cmd.Env = append(os.Environ(), childVariable+"="+path)
	out, err := cmd.StdoutPipe()
	ok(t, err)
	ok(t, cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() { // it is at work
		t.Fatal("the child says nothing")
	}
	first := lines.Text()
	time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	rest, _ := io.ReadAll(out)
	_ = cmd.Wait() // it was killed
	for _, line := range append([]string{first}, strings.Fields(string(lines.Bytes())+"\n"+string(rest))...) {
		n, err := strconv.Atoi(line)
		if err != nil {
			continue // half a line
		}
		said = max(said, n)
	}
	return said
}

// A process is killed at any instant, again and again. What it said to be
// committed is there, and at most the commit that was under way beside it.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGKILL")
	}
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	path := file(t)
	s := open(t, path, checkpoint.Options{})
	want := begin(t, s, childObjects)
	ok(t, s.Close())
	at := childObjects // the version that begin stored
	random := rand.New(rand.NewPCG(1, 2))
	var b resume.Batch
	for round := range rounds {
		said := killed(t, path, time.Duration(random.IntN(8000))*time.Microsecond)
		s := open(t, path, checkpoint.Options{})
		if err := s.Status().Err; err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		saved, err := s.Load(t.Context(), "pods")
		ok(t, err)
		stored := stepOf(saved.ResourceVersion)
		if stored < said {
			t.Fatalf("round %d: commit %d was acknowledged, %d is stored", round, said, stored)
		}
		for at < stored {
			at++
			version := childStep(at, &b)
			ok(t, want.Apply(&b, version))
		}
		holds(t, s, "pods", want)
		ok(t, s.Close())
	}
	t.Logf("%d commits in %d lives", at-childObjects, rounds)
	if at < childObjects+rounds {
		t.Errorf("only %d commits", at-childObjects)
	}
}

// Two processes do not write one file, and the one that comes too late is told
// who has it.
func TestLockedByAnotherProcess(t *testing.T) {
	path := file(t)
	s := open(t, path, checkpoint.Options{})
	begin(t, s, 5)
	ok(t, s.Close())
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+path)
	out, err := cmd.StdoutPipe()
	ok(t, err)
	ok(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Scan()
	_, err = checkpoint.Open(t.Context(), path, checkpoint.Options{LockWait: -1})
	checkLocked(t, err, path, cmd.Process.Pid)
	// It can be looked into meanwhile.
	if report, err := checkpoint.Show(t.Context(), path, nil); err != nil || len(report.Watches) != 1 {
		t.Errorf("Show: %+v, %v", report, err)
	}
	// The lock goes with the process.
	ok(t, cmd.Process.Kill())
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	open(t, path, checkpoint.Options{LockWait: -1})
}
