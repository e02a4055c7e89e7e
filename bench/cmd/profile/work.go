package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"

	"github.com/rawwatch/rawwatch/bench/ownagent"
	"github.com/rawwatch/rawwatch/bench/usage"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// work does the job under the profilers. It says "ready" when the server's part
// may begin, and ends when its input does.
func work(ctx context.Context, job, folder string) error {
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	cpu, err := os.Create(filepath.Join(folder, "cpu.pprof"))
	if err != nil {
		return err
	}
	defer cpu.Close()
	w := worker{client: client, begin: func() error { return pprof.StartCPUProfile(cpu) }}
	var held any
	switch job {
	case "sync":
		held, err = w.syncs(ctx)
	case "idle":
		held, err = w.idle(ctx)
	default:
		held, err = w.follow(ctx)
	}
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	runtime.GC()
	err = errors.Join(save(folder, "heap"), save(folder, "allocs"))
	runtime.KeepAlive(held)
	return err
}

func save(folder, name string) error {
	f, err := os.Create(filepath.Join(folder, name+".pprof"))
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup(name).WriteTo(f, 0), f.Close())
}

type worker struct {
	client *rawwatch.Client
	begin  func() error // starts the CPU profile
}

func ready() { fmt.Println("ready") }

func ended() { _, _ = io.Copy(io.Discard, os.Stdin) }

// syncs brings informers into sync, one after the other, and keeps the last.
func (w worker) syncs(ctx context.Context) (any, error) {
	if err := w.begin(); err != nil {
		return nil, err
	}
	ready()
	var last *rawwatch.Informer[ownagent.Pod]
	for range syncs {
		i, stop, err := w.start(ctx, rawwatch.Pods.AllNamespaces(), nil)
		if err != nil {
			return nil, err
		}
		stop()
		last = i
	}
	return last, nil
}

// start starts an informer and waits for its sync. stop ends it; its store stays.
func (w worker) start(ctx context.Context, q rawwatch.Query, handler func(context.Context, rawwatch.Change[ownagent.Pod]) error) (*rawwatch.Informer[ownagent.Pod], func(), error) {
	i, err := rawwatch.NewInformer(w.client, q, rawwatch.InformerOptions[ownagent.Pod]{})
	if err != nil {
		return nil, nil, err
	}
	if handler != nil {
		if _, err := i.Subscribe(handler, rawwatch.SubscriptionOptions[ownagent.Pod]{}); err != nil {
			return nil, nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = i.Run(ctx) })
	stop := func() { cancel(); running.Wait() }
	if err := i.WaitForSync(ctx); err != nil {
		stop()
		return nil, nil, err
	}
	return i, stop, nil
}

// follow has one informer through what happens, until the marker comes.
func (w worker) follow(ctx context.Context) (any, error) {
	marked := make(chan struct{})
	var once sync.Once
	i, _, err := w.start(ctx, rawwatch.Pods.AllNamespaces(), func(_ context.Context, c rawwatch.Change[ownagent.Pod]) error {
		if c.Item != nil && c.Item.Name == usage.Marker {
			once.Do(func() { close(marked) })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := w.begin(); err != nil {
		return nil, err
	}
	ready()
	select {
	case <-marked:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return i, nil
}

// idle has many watches of nothing, open.
func (w worker) idle(ctx context.Context) (any, error) {
	if err := w.begin(); err != nil {
		return nil, err
	}
	var all []*rawwatch.Informer[ownagent.Pod]
	for n := range watches {
		i, _, err := w.start(ctx, rawwatch.Pods.WithField(fmt.Sprintf("metadata.name=none-%d", n)), nil)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	ready()
	ended()
	return all, nil
}
