package killtest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// Names in the agent's folder: the kubeconfig that it is given, and the file of
// lines that it leaves.
const (
	KubeconfigName = "kubeconfig"
	booksName      = "books"
)

// watchName is what the objects are saved as.
const watchName = "configmaps"

// Namespace is where the ConfigMaps are, and ContentKey the key of theirs that
// is kept.
const (
	Namespace  = "default"
	ContentKey = "n"
)

// configMap is what the agent keeps.
type configMap struct {
	Data map[string]string `json:"data"`
}

// books is a file to which each line is added by one write, so that a killed
// process leaves whole lines, in the order in which they were written. Only the
// last one may be cut off, where it crosses a page; the next process begins a new
// line.
type books struct{ *os.File }

func (b books) line(format string, args ...any) error {
	_, err := fmt.Fprintf(b, format+"\n", args...)
	return err
}

// noted is a checkpoint that writes down what it saves of the objects, before and
// after.
type noted struct {
	resume.Noter
	books
	loaded *string // the version that was loaded
}

func (n noted) Load(ctx context.Context, watch string) (*resume.Saved, error) {
	saved, err := n.Noter.Load(ctx, watch)
	if err == nil && watch == watchName {
		*n.loaded = saved.ResourceVersion
	}
	return saved, err
}

func (n noted) Commit(ctx context.Context, watch string, b *resume.Batch, version string) error {
	return n.around(version, func() error { return n.Noter.Commit(ctx, watch, b, version) })
}

func (n noted) Replace(ctx context.Context, id resume.WatchIdentity, version string, objects iter.Seq2[resume.Record, error]) error {
	if id.Watch != watchName {
		return n.Noter.Replace(ctx, id, version, objects)
	}
	return n.around(version, func() error { return n.Noter.Replace(ctx, id, version, objects) })
}

func (n noted) around(version string, save func() error) error {
	if err := n.line("SAVING %s", version); err != nil {
		return err
	}
	dawdle()
	err := save()
	if dawdle(); err != nil {
		return err
	}
	return n.line("SAVED %s", version)
}

func (n noted) Note(ctx context.Context, watch string, b *resume.Batch) error {
	dawdle()
	defer dawdle()
	return n.Noter.Note(ctx, watch, b)
}

// dawdle is a medium that takes its time now and then, before and after it has
// written: so that a kill finds out who counts on something that is not there yet.
func dawdle() {
	if rand.IntN(8) == 0 {
		time.Sleep(time.Duration(rand.Int64N(int64(3 * time.Millisecond))))
	}
}

// RunAgent is the process that is killed. It uses what is in the folder, and
// ends when its standard input does, which is when whoever started it is gone,
// or with what keeps it from going on.
func RunAgent(folder string) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	file, err := os.OpenFile(filepath.Join(folder, booksName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	a := &agent{books: books{file}}
	if err := a.line("\nSTART"); err != nil {
		return err
	}
	store, err := checkpoint.Open(ctx, filepath.Join(folder, "watch.ckpt"), checkpoint.Options{CompactFrom: 32 << 10})
	if err != nil {
		return err
	}
	defer store.Close()
	config, err := kubeconfig.Load(kubeconfig.Options{Path: filepath.Join(folder, KubeconfigName)})
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{DialContext: a.dial})
	if err != nil {
		return err
	}
	defer client.Close()
	a.informer, err = rawwatch.NewInformer(client, rawwatch.ConfigMaps.InNamespace(Namespace), rawwatch.InformerOptions[configMap]{
		ListWatch: rawwatch.ListWatchOptions{PageLimit: 20, Backoff: resume.Backoff{Min: 5 * time.Millisecond, Max: 100 * time.Millisecond}},
		Checkpoint: rawwatch.CheckpointIn(noted{store, a.books, &a.loaded}, rawwatch.CheckpointOptions[configMap]{
			Watch: watchName, Interval: 3 * time.Millisecond, BatchSize: 20, MaxUnacknowledged: 200,
		}),
	})
	if err != nil {
		return err
	}
	if err := a.subscribe(ctx); err != nil {
		return err
	}
	defer a.acknowledging.Wait()
	defer stop()
	return a.informer.Run(ctx)
}

type agent struct {
	books
	informer *rawwatch.Informer[configMap]
	loaded   string // the version that was restored; "" is none
	restored sync.Once

	acknowledging sync.WaitGroup
}

// dial writes down what is restored before it dials for the first time.
func (a *agent) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var err error
	a.restored.Do(func() { err = a.noteRestored() })
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

func (a *agent) noteRestored() error {
	if a.loaded == "" {
		return a.line("NOTHING")
	}
	for key, item := range a.informer.Store().All() {
		if err := a.line("HAS %s %s", key, stateOf(item)); err != nil {
			return err
		}
	}
	return a.line("RESTORED %s", a.loaded)
}

// stateOf is uid, version and content; the content is no more than a number. Of
// an object that is only known to have been there, the version is a dash.
func stateOf(item *rawwatch.Item[configMap]) string {
	return item.UID + " " + cmp.Or(item.ResourceVersion, "-") + " " + item.Value.Data[ContentKey]
}

// subscribe makes the subscribers: "now" acknowledges by returning, "later" by
// hand; see subscribeSome for the third.
func (a *agent) subscribe(ctx context.Context) error {
	_, err := a.informer.Subscribe(func(_ context.Context, c rawwatch.Change[configMap]) error {
		return a.told("now", &c)
	}, rawwatch.SubscriptionOptions[configMap]{Name: "now", Durable: true, ChangesOnly: true})
	if err != nil {
		return err
	}
	waiting := make(chan rawwatch.Change[configMap], 100)
	later, err := a.informer.Subscribe(func(ctx context.Context, c rawwatch.Change[configMap]) error {
		if err := a.told("later", &c); err != nil || c.Item == nil {
			return err
		}
		select {
		case waiting <- c:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}, rawwatch.SubscriptionOptions[configMap]{Name: "later", Durable: true, ChangesOnly: true, ManualAck: true})
	if err != nil {
		return err
	}
	for range 3 {
		a.acknowledging.Go(func() { a.acknowledge(ctx, later, waiting) })
	}
	return a.subscribeSome()
}

// acknowledge is one of several workers, each of which takes its time.
func (a *agent) acknowledge(ctx context.Context, s *rawwatch.Subscription[configMap], waiting <-chan rawwatch.Change[configMap]) {
	for {
		select {
		case c := <-waiting:
			time.Sleep(time.Duration(rand.Int64N(int64(2 * time.Millisecond))))
			key := c.Item.Key()
			if a.line("ACKING %s %d", key, c.Sequence) != nil || s.Ack(key, c.Sequence) != nil || a.line("ACKED %s %d", key, c.Sequence) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (a *agent) told(who string, c *rawwatch.Change[configMap]) error {
	return a.line("%s", changeLine(who, c))
}

func changeLine(who string, c *rawwatch.Change[configMap]) string {
	if c.Item == nil {
		return fmt.Sprintf("%s %s %s %s", who, c.Type, c.Cause, c.ResourceVersion)
	}
	return fmt.Sprintf("%s %s %s %s %s %d", who, c.Type, c.Cause, c.Item.Key(), stateOf(c.Item), c.Sequence)
}
