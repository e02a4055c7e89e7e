package main

import (
	"compress/flate"
	"context"
	"errors"
	"sync"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// resumed follows a watch that begins where the last one with the same file has
// stopped. What was printed is saved; the file holds who the objects are, and
// nothing of their content.
func (w *watching) resumed(ctx context.Context, c *rawwatch.Client, q rawwatch.Query, o rawwatch.ListWatchOptions) (err error) {
	store, err := checkpoint.Open(ctx, w.resume, checkpoint.Options{Logger: w.logger()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	keep, err := rawwatch.KeepCompressed(flate.BestSpeed)
	if err != nil {
		return err
	}
	var mu sync.Mutex // the informer calls from two goroutines
	o.OnFailure = func(failure error) error {
		mu.Lock()
		defer mu.Unlock()
		return w.failed(failure)
	}
	informer, err := rawwatch.NewInformer(c, q, rawwatch.InformerOptions[rawwatch.CompressedObject]{
		StoreOptions: rawwatch.StoreOptions[rawwatch.CompressedObject]{Keep: keep},
		ListWatch:    o,
		Checkpoint:   rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[rawwatch.CompressedObject]{Codec: &identityOnly}),
	})
	if err != nil {
		return err
	}
	w.status = func() rawwatch.Status { return informer.Statuses()[0] }
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	_, err = informer.SubscribeBatch(func(_ context.Context, batch []rawwatch.Change[rawwatch.CompressedObject]) error {
		mu.Lock()
		defer mu.Unlock()
		err := w.changes(q, batch)
		if err != nil {
			stop(err)
		}
		return err
	}, rawwatch.SubscriptionOptions[rawwatch.CompressedObject]{Durable: true, ChangesOnly: true, Attempts: rawwatch.RetryForever})
	if err != nil {
		return err
	}
	return informer.Run(ctx)
}

// identityOnly saves nothing but what every saved object has: who it is.
var identityOnly = rawwatch.CheckpointCodec[rawwatch.CompressedObject]{
	Format: "identity",
	Append: func(dst []byte, _ *rawwatch.CompressedObject) ([]byte, error) { return dst, nil },
	Decode: func([]byte, *rawwatch.CompressedObject) error { return nil },
}

// changes prints a batch. It is acknowledged once it is out.
func (w *watching) changes(q rawwatch.Query, batch []rawwatch.Change[rawwatch.CompressedObject]) error {
	for i := range batch {
		e, err := eventOf(q, &batch[i])
		if err != nil {
			return err
		}
		if err := w.event(e); err != nil {
			return err
		}
	}
	return w.flush()
}

// eventOf is the event that a change came from.
func eventOf(q rawwatch.Query, c *rawwatch.Change[rawwatch.CompressedObject]) (rawwatch.Event, error) {
	e := rawwatch.Event{Type: c.Type, Cause: c.Cause, ResourceVersion: c.ResourceVersion, Err: c.Err}
	if c.Item == nil {
		return e, nil
	}
	raw, err := c.Item.Value.AppendRaw(nil)
	e.Object = rawwatch.Object{Identity: c.Item.Identity, APIVersion: c.Item.Value.APIVersion, Kind: c.Item.Value.Kind, Raw: raw}
	if raw == nil { // known from the file only
		e.Object.APIVersion, e.Object.Kind = q.Resource.Version, q.Resource.Kind
		if q.Resource.Group != "" {
			e.Object.APIVersion = q.Resource.Group + "/" + q.Resource.Version
		}
	}
	return e, err
}
