package rawwatch_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// childVariable names the directory in which a child process finds what it needs,
// and keeps its books.
const childVariable = "RAWWATCH_TEST_CHECKPOINT_CHILD"

// books is a file to which each line is added by one write, so that a killed
// process leaves whole lines.
type books struct{ *os.File }

func (b books) line(format string, args ...any) error {
	_, err := fmt.Fprintf(b, format+"\n", args...)
	return err
}

// noted is a checkpoint that notes up to which version it has saved, once it has.
type noted struct {
	resume.Checkpoint
	books
}

func (n noted) Commit(ctx context.Context, watch string, b *resume.Batch, version string) error {
	err := n.Checkpoint.Commit(ctx, watch, b, version)
	if err == nil {
		err = n.line("SAVED %s", version)
	}
	return err
}

func (n noted) Replace(ctx context.Context, id resume.WatchIdentity, version string, objects iter.Seq2[resume.Record, error]) error {
	err := n.Checkpoint.Replace(ctx, id, version, objects)
	if err == nil {
		err = n.line("SAVED %s", version)
	}
	return err
}

// TestCheckpointChild is the process that TestCheckpointKilled kills: an agent
// that writes each change into its books, and acknowledges it by that.
func TestCheckpointChild(t *testing.T) {
	dir := os.Getenv(childVariable)
	if dir == "" {
		t.Skip("for TestCheckpointKilled")
	}
	if err := childRun(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
}

func childRun(ctx context.Context, dir string) error {
	file, err := os.OpenFile(dir+"/books", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	log := books{file}
	if err := log.line("START"); err != nil {
		return err
	}
	store, err := checkpoint.Open(ctx, dir+"/watch.ckpt", checkpoint.Options{CompactFrom: 32 << 10})
	if err != nil {
		return err
	}
	defer store.Close()
	config, err := kubeconfig.Load(kubeconfig.Options{Path: dir + "/kubeconfig"})
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	informer, err := rawwatch.NewInformer(client, rawwatch.Pods.Query(), rawwatch.InformerOptions[pod]{
		ListWatch:  rawwatch.ListWatchOptions{PageLimit: 50, Backoff: resume.Backoff{Min: 5 * time.Millisecond}},
		Checkpoint: rawwatch.CheckpointIn(noted{store, log}, rawwatch.CheckpointOptions[pod]{Interval: 3 * time.Millisecond, BatchSize: 20}),
	})
	if err != nil {
		return err
	}
	_, err = informer.Subscribe(func(_ context.Context, c rawwatch.Change[pod]) error {
		if c.Item == nil {
			return log.line("%s %s", c.Type, c.Cause)
		}
		return log.line("%s %s %s %s %s", c.Type, c.Cause, c.Item.Key(), c.Item.UID, c.Item.ResourceVersion)
	}, rawwatch.SubscriptionOptions[pod]{Durable: true, ChangesOnly: true})
	if err != nil {
		return err
	}
	return informer.Run(ctx)
}
