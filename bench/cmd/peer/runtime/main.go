// Command runtime is controller-runtime's cache with its defaults, and an
// informer of pods from it.
//
//	runtime [-plain] [-follow]
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/rawwatch/rawwatch/bench/clientgo"
	"github.com/rawwatch/rawwatch/bench/usage"
)

func main() {
	teller := usage.Flags()
	plain := flag.Bool("plain", false, "ask for no compression")
	flag.Parse()
	crlog.SetLogger(zap.New()) // as its own examples do
	if err := run(teller, *plain); err != nil {
		log.Fatal(err)
	}
}

func run(t *usage.Teller, plain bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	config, err := clientgo.Config(t, plain)
	if err != nil {
		return err
	}
	c, err := cache.New(config, cache.Options{})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }() // ends with the process
	pods, err := c.GetInformer(ctx, &corev1.Pod{}, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	// The cache shows copies of its objects only; so they are counted here.
	var held atomic.Int64
	tell := clientgo.Handler(t)
	handler, err := pods.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(o any, initial bool) {
			held.Add(1)
			tell.OnAdd(o, initial)
		},
		UpdateFunc: tell.OnUpdate,
		DeleteFunc: func(any) { held.Add(-1) },
	})
	if err != nil {
		return err
	}
	if !toolscache.WaitFor(ctx, "", handler.HasSyncedChecker()) {
		return errors.New("never in sync")
	}
	if err := t.Synced(func() int { return int(held.Load()) }); err != nil {
		return err
	}
	return t.Wait(ctx)
}
