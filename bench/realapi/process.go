package realapi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// stopGrace is how long a server may take to end after SIGTERM before it is
// killed.
const stopGrace = 3 * time.Second

// process is one run of one program. A goroutine of its own waits for it.
type process struct {
	name string
	log  string // file with everything that it printed
	proc *os.Process
	done chan struct{} // closed when it has ended
	err  error         // why; read after done
}

// spawn starts the program, its output appended to a log file in folder.
func spawn(name, binary, folder string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(folder, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, log, log
	// The servers must not find a cluster, or a proxy, in the environment.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder}
	cmd.SysProcAttr = dieWithParent()
	started := make(chan error)
	go func() {
		// The kernel's promise to kill the child is tied to the thread that
		// started it, so this goroutine keeps its thread until the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		_ = log.Close()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("realapi: starting %s: %w", name, err)
	}
	p.proc = cmd.Process
	return p, nil
}

// kill ends the process at once, as a crash would, and waits for its end.
func (p *process) kill() {
	_ = p.proc.Kill() // an error means that it has ended
	<-p.done
}

// stop asks the process to end, and kills it when it takes too long.
func (p *process) stop() {
	_ = p.proc.Signal(syscall.SIGTERM)
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.kill()
	}
}

// ready asks probe every 50 ms until it succeeds, the process ends, or the
// context is done.
func (p *process) ready(ctx context.Context, probe func(context.Context) error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := probe(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-p.done:
			return fmt.Errorf("realapi: %s ended before it was ready: %w\n%s", p.name, errors.Join(p.err, err), p.logTail())
		case <-ctx.Done():
			return fmt.Errorf("realapi: %s is not ready: %w\n%s", p.name, errors.Join(ctx.Err(), err), p.logTail())
		}
	}
}

// logTail is the end of the log, for an error or a failed test.
func (p *process) logTail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return tail(text, 3000)
}
