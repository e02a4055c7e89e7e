package killtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Trial kills agents.
type Trial struct {
	// Folder of the agent; a kubeconfig is in it.
	Folder string
	// Agent is the command of a process that calls [RunAgent].
	Agent func() *exec.Cmd
	// Send reaches the server that the kubeconfig names.
	Send Send
	// Kills is how often an agent is killed, Seed what chance depends on.
	Kills int
	Seed  uint64
	// Lose makes the server lose its history; it may end all connections.
	// Losses is how often. While it runs nothing is written, but every third
	// time an agent is alive.
	Lose   func(context.Context) error
	Losses int

	random    *rand.Rand
	reference *Reference
	writer    *writer
}

// Run kills agents while the server changes, and judges them. The error says
// what could not be done; the judge what was done wrong.
func (t *Trial) Run(ctx context.Context) (*Judge, error) {
	t.random = rand.New(rand.NewPCG(t.Seed, 1))
	t.writer = &writer{send: t.Send, random: rand.New(rand.NewPCG(t.Seed, 2))}
	var err error
	if t.reference, err = Refer(ctx, t.Send, Collection); err != nil {
		return nil, err
	}
	writing, stop := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { written <- t.writer.write(writing) }()
	err = t.kill(ctx)
	stop()
	if err = errors.Join(err, <-written); err != nil {
		return nil, err
	}
	state, err := t.caughtUp(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.reference.Stop(); err != nil {
		return nil, err
	}
	return t.judge(ctx, state)
}

// kill starts and kills agents.
func (t *Trial) kill(ctx context.Context) error {
	lost := 0
	for n := range t.Kills {
		a, err := t.start()
		if err != nil {
			return err
		}
		if t.random.IntN(2) == 0 {
			err = a.await(ctx, []byte("\nSAVED"))
		}
		pass(ctx, time.Duration(t.random.Int64N(int64(100*time.Millisecond))))
		lose := n >= (lost+1)*t.Kills/(t.Losses+1) && lost < t.Losses
		alive := lost%3 == 2
		if lose && alive {
			err = errors.Join(err, t.lose(ctx))
		}
		if err = errors.Join(err, a.kill(), t.noteEnd(ctx)); err != nil {
			return err
		}
		if lose && !alive {
			if err := t.loseUnseen(ctx); err != nil {
				return err
			}
		}
		if lose {
			lost++
		}
	}
	return nil
}

// noteEnd writes into the books of a process that was killed at which version the
// server is.
func (t *Trial) noteEnd(ctx context.Context) error {
	var version string
	err := eventually(ctx, func() (err error) {
		_, version, err = List(ctx, t.Send, Collection)
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(t.Folder, booksName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(books{f}.line("\n%s%s", endMark, version), f.Close())
}

// loseUnseen lets the server lose more than the last agent can have been told.
func (t *Trial) loseUnseen(ctx context.Context) error {
	const unseen = 10
	for from := t.reference.History.Len(); t.reference.History.Len() < from+unseen && ctx.Err() == nil; {
		pass(ctx, 5*time.Millisecond)
	}
	return t.lose(ctx)
}

// lose lets the server lose its history, while nobody writes and the reference
// does not watch.
func (t *Trial) lose(ctx context.Context) error {
	t.writer.paused.Lock()
	defer t.writer.paused.Unlock()
	if _, err := t.caughtUp(ctx); err != nil {
		return err
	}
	if err := t.reference.Stop(); err != nil {
		return err
	}
	if err := t.Lose(ctx); err != nil {
		return err
	}
	return t.reference.Resume(ctx)
}

// patience bounds what a server and an agent may take under load.
const patience = 60 * time.Second

// caughtUp waits until the reference knows all that the server has.
func (t *Trial) caughtUp(ctx context.Context) (state map[string]State, err error) {
	err = eventually(ctx, func() error {
		state, _, err = List(ctx, t.Send, Collection)
		if err != nil {
			return err
		}
		if d := difference(t.reference.History.At(t.reference.History.Last()), state); d != "" {
			return errors.New("killtest: the reference differs: " + d)
		}
		return nil
	})
	return state, err
}

// judge lets a last agent catch up, and reads what all of them have left.
func (t *Trial) judge(ctx context.Context, state map[string]State) (*Judge, error) {
	last, err := t.start()
	if err != nil {
		return nil, err
	}
	judge := t.reference.History.Judge(t.Folder)
	err = eventually(ctx, func() error {
		if err := judge.Read(); err != nil {
			return err
		}
		return judge.Level(state)
	})
	if err != nil {
		judge.accuse("in the end: %v", err)
	}
	return judge, last.kill()
}

// eventually asks until there is no error, or patience is over.
func eventually(ctx context.Context, ask func() error) error {
	for deadline := time.Now().Add(patience); ; pass(ctx, 50*time.Millisecond) {
		err := ask()
		if err == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
	}
}

func pass(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// process is one life of an agent.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr bytes.Buffer
	books  string
	from   int64 // where its lines begin
}

func (t *Trial) start() (*process, error) {
	p := &process{cmd: t.Agent(), books: filepath.Join(t.Folder, booksName)}
	if info, err := os.Stat(p.books); err == nil {
		p.from = info.Size()
	}
	p.cmd.Stderr = &p.stderr
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// await waits until the process has written something like this.
func (p *process) await(ctx context.Context, sign []byte) error {
	for deadline := time.Now().Add(patience); ctx.Err() == nil; pass(ctx, 4*time.Millisecond) {
		f, err := os.Open(p.books)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.NewSectionReader(f, p.from, 1<<30))
		_ = f.Close()
		if err != nil {
			return err
		}
		if bytes.Contains(text, sign) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("killtest: an agent has not written %q", sign)
		}
	}
	return context.Cause(ctx)
}

// kill sends SIGKILL. The error says that the agent had ended by itself.
func (p *process) kill() error {
	killed := p.cmd.Process.Kill()
	err := p.cmd.Wait()
	_ = p.stdin.Close() // the process is gone
	if killed != nil || err == nil || p.cmd.ProcessState.Exited() {
		return fmt.Errorf("killtest: an agent has ended by itself: %w\n%s", errors.Join(killed, err), p.stderr.Bytes())
	}
	return nil
}
