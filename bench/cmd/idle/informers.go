package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// configMap is all that the object has.
type configMap struct {
	Metadata decode.Identity   `json:"metadata"`
	Data     map[string]string `json:"data"`
}

// ownInformers are rawwatch's informers of one object each, with a handler.
type ownInformers struct {
	network *faultnet.Network
	client  *rawwatch.Client
	all     []*rawwatch.Informer[configMap]
	events  atomic.Int64
}

func (o *ownInformers) open(ctx context.Context, n int) error {
	query := rawwatch.ConfigMaps.InNamespace("default").Named("idle")
	count := func(context.Context, rawwatch.Change[configMap]) error { o.events.Add(1); return nil }
	for range n {
		i, err := rawwatch.NewInformer(o.client, query, rawwatch.InformerOptions[configMap]{ListWatch: longWatches})
		if err != nil {
			return err
		}
		if _, err := i.Subscribe(count, rawwatch.SubscriptionOptions[configMap]{}); err != nil {
			return err
		}
		o.all = append(o.all, i)
		go func() { // ends with the process
			if err := i.Run(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, "idle:", err)
			}
		}()
	}
	return nil
}

func (o *ownInformers) ready() bool {
	for _, i := range o.all {
		for _, s := range i.Statuses() {
			if !s.Synced || !s.Connected {
				return false
			}
		}
	}
	return o.events.Load() >= int64(len(o.all))
}

func (o *ownInformers) connections() (opened, open int) { return o.network.Dialed(), o.network.Open() }
