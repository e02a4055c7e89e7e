package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// The roles of a process.
const (
	roleOwn          = "rawwatch"
	roleOwnInformer  = "rawwatch-informer"
	rolePeer         = "watch"
	rolePeerInformer = "informer"
)

func newProgram(role string) (program, error) {
	network := new(faultnet.Network)
	if role == roleOwn || role == roleOwnInformer {
		config, err := kubeconfig.Load(kubeconfig.Options{})
		if err != nil {
			return nil, err
		}
		client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{DialContext: network.DialContext})
		if role == roleOwnInformer {
			return &ownInformers{network: network, client: client}, err
		}
		return &own{network: network, client: client}, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.Dial = network.DialContext
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	clients, err := kubernetes.NewForConfig(rest.CopyConfig(config))
	if err != nil {
		return nil, err
	}
	switch role {
	case rolePeer:
		return &bare{network: network, clients: clients}, nil
	case rolePeerInformer:
		return &informed{network: network, clients: clients}, nil
	}
	return nil, fmt.Errorf("unknown role %q", role)
}

// longWatches are not renewed while they are measured.
var longWatches = rawwatch.ListWatchOptions{WatchTimeoutMin: time.Hour, WatchTimeoutMax: 2 * time.Hour}

// own is rawwatch: one ListWatch of one object each.
type own struct {
	network    *faultnet.Network
	client     *rawwatch.Client
	reflectors []*rawwatch.Reflector
	reading    sync.WaitGroup
}

func (o *own) open(_ context.Context, n int) error {
	query := rawwatch.ConfigMaps.InNamespace("default").Named("idle")
	for range n {
		r := rawwatch.NewReflector(o.client, query, longWatches)
		o.reflectors = append(o.reflectors, r)
		o.reading.Go(func() { // ends with the process
			for _, err := range r.Events(context.Background()) {
				if err != nil {
					fmt.Fprintln(os.Stderr, "idle:", err)
				}
			}
		})
	}
	return nil
}

func (o *own) ready() bool {
	for _, r := range o.reflectors {
		if s := r.Status(); !s.Synced || !s.Connected {
			return false
		}
	}
	return true
}

func (o *own) connections() (opened, open int) { return o.network.Dialed(), o.network.Open() }

// bare is client-go's typed watch, read by one goroutine.
type bare struct {
	network *faultnet.Network
	clients kubernetes.Interface
}

func (b *bare) open(ctx context.Context, n int) error {
	api := b.clients.CoreV1().ConfigMaps("default")
	selector := fields.OneTermEqualSelector("metadata.name", "idle").String()
	seconds := int64(7200)
	for range n {
		list, err := api.List(ctx, metav1.ListOptions{FieldSelector: selector})
		if err != nil {
			return err
		}
		w, err := api.Watch(context.Background(), metav1.ListOptions{
			FieldSelector: selector, ResourceVersion: list.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &seconds,
		})
		if err != nil {
			return err
		}
		go func() { // ends with the process
			for range w.ResultChan() {
			}
		}()
	}
	return nil
}

func (b *bare) ready() bool { return true } // Watch returns when it is open

func (b *bare) connections() (opened, open int) { return b.network.Dialed(), b.network.Open() }

// informed is client-go's typed informer, one factory each, as separate parts
// of a program have it.
type informed struct {
	network *faultnet.Network
	clients kubernetes.Interface
	all     []cache.SharedIndexInformer
	events  atomic.Int64
}

func (i *informed) open(_ context.Context, n int) error {
	for range n {
		factory := informers.NewSharedInformerFactoryWithOptions(i.clients, 0, informers.WithNamespace("default"),
			informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=idle" }))
		informer := factory.Core().V1().ConfigMaps().Informer()
		count := func(any) { i.events.Add(1) }
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: count}); err != nil {
			return err
		}
		factory.Start(context.Background().Done())
		i.all = append(i.all, informer)
	}
	return nil
}

func (i *informed) ready() bool {
	for _, informer := range i.all {
		if !informer.HasSynced() {
			return false
		}
	}
	return i.events.Load() >= int64(len(i.all))
}

func (i *informed) connections() (opened, open int) { return i.network.Dialed(), i.network.Open() }
