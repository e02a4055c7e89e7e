package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// result is what one run of a process cost.
type result struct {
	cpu  time.Duration // user and system
	wall time.Duration
	peak int64 // KiB, VmHWM
}

// maxLine bounds a line of output: an object is below etcd's limit of 1.5 MB.
const maxLine = 16 << 20

// run runs the job once and checks that it saw every pod.
func (j job) run(ctx context.Context, kubeconfig string, pods int) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, j.binary, j.args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		return result{}, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	memory := followMemory(cmd.Process.Pid)
	lines, readErr := j.read(out, cmd.Process)
	r := result{peak: memory(), wall: time.Since(begin)}
	if err := cmd.Wait(); err != nil {
		return r, fmt.Errorf("%s: %w\n%s", j.name, err, complaints.Bytes())
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if readErr != nil {
		return r, readErr
	}
	if j.pods && lines != pods {
		return r, fmt.Errorf("%s printed %d pods, want %d", j.name, lines, pods)
	}
	return r, nil
}

// read counts the lines until the end, or until the one that ends the run.
func (j job) read(out io.Reader, p *os.Process) (lines int, err error) {
	in := bufio.NewScanner(out)
	in.Buffer(make([]byte, 64<<10), maxLine)
	for in.Scan() {
		if j.until != "" && bytes.HasPrefix(in.Bytes(), []byte(j.until)) {
			err = p.Signal(syscall.SIGTERM)
			_, _ = io.Copy(io.Discard, out)
			return lines, err
		}
		lines++
	}
	return lines, in.Err()
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// followMemory reads the process's high-water mark until the returned function
// is called, which returns the last one read.
func followMemory(pid int) (stop func() int64) {
	done := make(chan struct{})
	var follower sync.WaitGroup
	var peak int64
	follower.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			if text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status"); err == nil {
				if m := highWater.FindSubmatch(text); m != nil {
					kib, _ := strconv.ParseInt(string(m[1]), 10, 64)
					peak = max(peak, kib)
				}
			}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() int64 { close(done); follower.Wait(); return peak }
}
