package ownagent

import (
	"context"

	"github.com/rawwatch/rawwatch/bench/usage"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// Keep keeps T of every pod, in an informer, until the teller has told all. An
// agent that goes on after its sync has a handler, which has seen every pod by
// then. A checkpoint may be nil.
func Keep[T any](a *Agent, checkpoint rawwatch.Checkpointer[T]) error {
	o, err := a.listWatch()
	if err != nil {
		return err
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	defer client.Close()
	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.AllNamespaces(), rawwatch.InformerOptions[T]{ListWatch: o, Checkpoint: checkpoint})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	seen := make(chan struct{}, 1)
	if a.Teller.Follows() {
		err = subscribe(pods, a.Teller, checkpoint != nil, seen)
	} else {
		close(seen)
	}
	if err != nil {
		cancel(nil)
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(pods.Run(ctx)) // the end of Run is the reason why nothing more comes
	}()
	err = a.tell(ctx, pods.Store().Len, func() error {
		if err := pods.WaitForSync(ctx); err != nil {
			return err
		}
		return wait(ctx, seen)
	})
	cancel(nil)
	<-ended
	return err
}

// tell reports the sync, which synced waits for, and waits for the rest.
func (a *Agent) tell(ctx context.Context, count func() int, synced func() error) error {
	if err := synced(); err != nil {
		return err
	}
	if err := a.Teller.Synced(count); err != nil {
		return err
	}
	if a.BeforeUpdates != nil {
		a.BeforeUpdates()
	}
	return a.Teller.Wait(ctx)
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// subscribe tells the teller of changes. seen gets a value with each sync. With
// a checkpoint, what is saved is what the handler has acknowledged.
func subscribe[T any](pods *rawwatch.Informer[T], t *usage.Teller, durable bool, seen chan<- struct{}) error {
	_, err := pods.Subscribe(func(_ context.Context, c rawwatch.Change[T]) error {
		switch c.Type {
		case rawwatch.Added, rawwatch.Modified:
			t.Event(c.Item.Name, c.Item.ResourceVersion)
		case rawwatch.Synced:
			select {
			case seen <- struct{}{}:
			default:
			}
		}
		return nil
	}, rawwatch.SubscriptionOptions[T]{Durable: durable})
	return err
}
