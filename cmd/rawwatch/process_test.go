package main

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// startWatch starts watch as a process and returns after its first line.
func startWatch(t *testing.T, config string) (cmd *exec.Cmd, stdout io.ReadCloser, stderr *bytes.Buffer) {
	t.Helper()
	cmd = process(t.Context(), t, "watch", "pods", "-o", "json", "--sync-line", "--kubeconfig", config)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(stdout); s.Scan(); {
		if strings.Contains(s.Text(), "SYNCED") {
			return cmd, stdout, stderr
		}
	}
	_ = cmd.Wait()
	t.Fatalf("it never was in sync:\n%s", stderr)
	return nil, nil, nil
}

func TestSignalsEndAWatch(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a")
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd, stdout, stderr := startWatch(t, config)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(stdout); err != nil || len(rest) > 0 {
				t.Errorf("after the signal: %q, %v", rest, err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v; stderr:\n%s", err, stderr)
			}
			if strings.Contains(stderr.String(), "error") {
				t.Errorf("stderr:\n%s", stderr)
			}
		})
	}
}

// TestClosedPipeEndsQuietly: the reader leaves, as head does, and the next
// line finds nobody.
func TestClosedPipeEndsQuietly(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a")
	cmd, stdout, stderr := startWatch(t, config)
	_ = stdout.Close()
	createPods(t, server, "shop", "b")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v; stderr:\n%s", err, stderr)
	}
	if s := stderr.String(); strings.Contains(s, "pipe") || strings.Contains(s, "error") {
		t.Errorf("stderr:\n%s", s)
	}
}

func TestClosedPipeEndsAListQuietly(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a", "b", "c")
	cmd := process(t.Context(), t, "list", "pods", "--kubeconfig", config)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = stdout.Close()
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v; stderr:\n%s", err, stderr.String())
	}
}
