// Command peer is the agent that client-go's documentation leads to: a pod
// informer with all its defaults. It says what that has cost when it is in
// sync, and again when the pod named "marker" has come. It is what measure
// compares with.
//
//	peer -as typed|dynamic|metadata
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rawwatch/rawwatch/bench/usage"
)

var received atomic.Int64

func main() {
	as := flag.String("as", "typed", "typed, dynamic or metadata")
	updates := flag.Bool("updates", false, "go on after the sync, until the marker comes")
	flag.Parse()
	if err := run(*as, *updates); err != nil {
		log.Fatal(err)
	}
}

func run(as string, updates bool) error {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return err
	}
	config.Dial = dial
	pods, err := informer(as, config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events, done := 0, make(chan struct{})
	if updates {
		seen := func(o any) {
			events++
			if object, err := meta.Accessor(o); err == nil && object.GetName() == usage.Marker {
				close(done)
			}
		}
		if _, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: seen, UpdateFunc: func(_, o any) { seen(o) },
		}); err != nil {
			return err
		}
	}
	go pods.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
		return fmt.Errorf("never in sync")
	}
	objects := len(pods.GetStore().ListKeys())
	if err := usage.Print("sync", objects, 0, received.Load()); err != nil || !updates {
		return err
	}
	<-done
	return usage.Print("updates", len(pods.GetStore().ListKeys()), events-objects, received.Load())
}

func informer(as string, config *rest.Config) (cache.SharedIndexInformer, error) {
	resource := corev1.SchemeGroupVersion.WithResource("pods")
	switch as {
	case "dynamic":
		c, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewDynamicSharedInformerFactory(c, 0).ForResource(resource).Informer(), nil
	case "metadata":
		c, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewSharedInformerFactory(c, 0).ForResource(resource).Informer(), nil
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return informers.NewSharedInformerFactory(c, 0).Core().V1().Pods().Informer(), nil
}

// dial opens connections that count what they receive.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	return &countedConn{c}, err
}

type countedConn struct{ net.Conn }

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	received.Add(int64(n))
	return n, err
}
