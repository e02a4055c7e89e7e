package contest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/bench/usage"
)

// patience bounds the wait for one report.
const patience = 3 * time.Minute

// errEnded is a program that has ended by itself, with success and no complaint.
var errEnded = errors.New("it ended by itself, with exit status 0 and no message")

// maxReport bounds a line: a report with the arrivals of some thousand events.
const maxReport = 16 << 20

// child is one run of a peer's program. Stop it.
type child struct {
	peer    Peer
	cmd     *exec.Cmd
	began   time.Time
	reports chan usage.Report // closed when the program has ended
	stderr  tail
	kill    context.CancelFunc
	failed  error // why reports is closed
}

// start starts a peer with its own arguments and more. pods is how many lines
// mean that a peer without reports is in sync.
func (a *Arena) start(ctx context.Context, p Peer, kubeconfig string, pods int, more ...string) (*child, error) {
	ctx, kill := context.WithCancel(ctx)
	args := append(append([]string(nil), p.Args...), more...)
	if p.Keeps {
		args = append(args, "-path", a.file("checkpoint"))
	}
	c := &child{peer: p, cmd: exec.CommandContext(ctx, p.binary, args...), kill: kill, reports: make(chan usage.Report, 16)}
	// HOME: kubectl caches what it knows of a server there.
	c.cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+a.folder)
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		kill()
		return nil, err
	}
	c.began = time.Now()
	if err := c.cmd.Start(); err != nil {
		kill()
		return nil, err
	}
	go c.read(ctx, out, pods)
	return c, nil
}

// read ends when the program's output does, and waits for the program.
func (c *child) read(ctx context.Context, out io.Reader, pods int) {
	defer close(c.reports)
	in := bufio.NewScanner(out)
	in.Buffer(make([]byte, 64<<10), maxReport)
	lines := lineReader{pods: pods, pid: c.cmd.Process.Pid}
	for in.Scan() {
		r, told, err := usage.Report{}, true, error(nil)
		if c.peer.Lines {
			r, told, err = lines.line(in.Text())
		} else {
			r, err = usage.Parse(in.Bytes())
		}
		if err != nil {
			c.failed = err
			break
		}
		if !told {
			continue
		}
		select {
		case c.reports <- r:
		case <-ctx.Done():
		}
	}
	_, _ = io.Copy(io.Discard, out)
	err, said := c.cmd.Wait(), c.stderr.last()
	switch {
	case c.failed != nil:
	case err == nil && said == "":
		c.failed = errEnded
	case err == nil:
		c.failed = fmt.Errorf("it ended by itself, and said: %s", said)
	default:
		c.failed = fmt.Errorf("it ended: %w: %s", err, said)
	}
}

// await waits for the report of a phase; other markers' are passed over.
func (c *child) await(ctx context.Context, phase string) (usage.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		select {
		case r, more := <-c.reports:
			if !more {
				return r, fmt.Errorf("waiting for %s: %w", phase, c.failed)
			}
			if r.Phase == phase {
				return r, nil
			}
		case <-ctx.Done():
			return usage.Report{}, fmt.Errorf("waiting for %s: %w; it said: %s", phase, ctx.Err(), c.stderr.last())
		}
	}
}

// stop ends the program and waits for its end.
func (c *child) stop() {
	c.kill()
	for range c.reports {
	}
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// resident and peak memory as of now, in MB.
func (c *child) memory() (resident, peak float64, err error) {
	r, p, err := usage.Memory(strconv.Itoa(c.pid()))
	return float64(r) / 1024, float64(p) / 1024, err
}

// lineReader makes reports of a program that prints a line for each pod and
// each change. They are the kernel's, as of the line.
type lineReader struct {
	pods, seen, pid int
}

func (l *lineReader) line(text string) (r usage.Report, told bool, err error) {
	l.seen++
	name := text[strings.LastIndexByte(text, '/')+1:]
	marker := strings.HasPrefix(name, usage.Marker)
	switch {
	case l.seen == l.pods:
		r = usage.Report{Phase: "sync", Objects: l.seen}
	case l.seen > l.pods && marker:
		r = usage.Report{Phase: name, Objects: l.pods, Events: l.seen - l.pods}
	default:
		return r, false, nil
	}
	if r.CPU, err = cpuOf(l.pid); err != nil {
		return r, false, err
	}
	r.Resident, r.Peak, err = usage.Memory(strconv.Itoa(l.pid))
	return r, true, err
}

// tail keeps the end of what a program complains of. It is safe for concurrent
// use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 4096; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(p), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastLine(t.text)
}
