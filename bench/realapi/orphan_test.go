//go:build linux

package realapi_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"golang.org/x/sys/unix"
)

// launchVariable makes the test binary launch a cluster and wait to be killed.
const launchVariable = "REALAPI_TEST_LAUNCH"

func TestMain(m *testing.M) {
	if os.Getenv(launchVariable) == "" {
		os.Exit(m.Run())
	}
	c, err := realapi.Launch(context.Background(), realapi.Options{Folder: os.Getenv(launchVariable)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(strings.Trim(fmt.Sprint(c.PIDs()), "[]"))
	select {}
}

// The servers die with the process that started them, even when that one is
// killed and can clean up nothing.
func TestNoOrphans(t *testing.T) {
	ctx := bounded(t)
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), launchVariable+"="+t.TempDir())
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var servers [2]int
	if _, err := fmt.Sscan(line, &servers[0], &servers[1]); err != nil {
		t.Fatalf("child said %q: %v", line, err)
	}
	ends := make([]int, 0, len(servers))
	for _, pid := range servers {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatalf("server %d: %v", pid, err)
		}
		defer unix.Close(fd)
		ends = append(ends, fd)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	for i, fd := range ends {
		// A pidfd becomes readable when its process has ended.
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 30_000)
		if err != nil || n != 1 {
			t.Errorf("server %d lives on (%v)", servers[i], err)
		}
	}
}
