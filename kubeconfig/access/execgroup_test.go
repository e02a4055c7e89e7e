//go:build unix

package access

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestPluginThatHangs(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	c := execUser(t, "hang with child", EnvVar{"TEST_PID", pid})
	s := open(t, c, SessionOptions{PluginTimeout: time.Second})
	_, err := authorize(t, s)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "did not end within 1s") {
		t.Fatalf("got %v", err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	// A killed process is gone when the kernel gets to it.
	for deadline := time.Now().Add(30 * time.Second); alive(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what the plugin started is still there")
		}
	}
}

// alive reports whether a process runs; one that is dead, but not reaped by
// whoever inherited it, does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !bytes.Contains(text, []byte(") Z "))
}

func TestPluginThatLeavesAChild(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	s := open(t, execUser(t, "leave child", EnvVar{"TEST_PID", pid}), SessionOptions{})
	got, err := authorize(t, s)
	if err != nil || got != "Bearer left" {
		t.Errorf("%q, %v", got, err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	child, _ := strconv.Atoi(string(text))
	_ = syscall.Kill(child, syscall.SIGKILL)
}

func TestOneRunForAll(t *testing.T) {
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, execUser(t, "wait", EnvVar{"TEST_RUNS", filepath.Join(dir, "runs")}, EnvVar{"TEST_GATE", gate}), SessionOptions{})
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 100 {
		all.Go(func() {
			got, err := authorize(t, s)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				got = err.Error()
			}
			seen[got]++
		})
	}
	if err := os.WriteFile(gate, []byte("open\n"), 0o600); err != nil { // waits for the plugin to read
		t.Fatal(err)
	}
	all.Wait()
	if len(seen) != 1 || seen["Bearer token-1-open-<nil>"] != 100 {
		t.Errorf("got %v", seen)
	}
}
