package clientgo

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rawwatch/rawwatch/bench/usage"
)

// Config is what KUBECONFIG says, with connections that count into the teller
// what they receive. plain asks for no compression.
func Config(t *usage.Teller, plain bool) (*rest.Config, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return nil, err
	}
	config.DisableCompression = plain
	if t.CountDecoded {
		config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return usage.CountBodies(rt, &t.Decoded) })
	}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{c, t}, nil
	}
	return config, nil
}

type countedConn struct {
	net.Conn
	teller *usage.Teller
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.teller.Received.Add(int64(n))
	return n, err
}

// Handler is what tells the teller of events.
func Handler(t *usage.Teller) cache.ResourceEventHandler {
	seen := func(o any) {
		if object, err := meta.Accessor(o); err == nil {
			t.Event(object.GetName(), object.GetResourceVersion())
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: seen, UpdateFunc: func(_, o any) { seen(o) }}
}

// Run runs the informer until the teller has told all. A program that goes on
// after its sync has a handler, which has seen every object by then.
func Run(t *usage.Teller, informer cache.SharedIndexInformer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	synced := informer.HasSyncedChecker()
	if t.Follows() {
		handler, err := informer.AddEventHandler(Handler(t))
		if err != nil {
			return err
		}
		synced = handler.HasSyncedChecker()
	}
	go informer.RunWithContext(ctx) // ends with the process
	if !cache.WaitFor(ctx, "", synced) {
		return fmt.Errorf("never in sync: %w", context.Cause(ctx))
	}
	if err := t.Synced(func() int { return len(informer.GetStore().ListKeys()) }); err != nil {
		return err
	}
	return t.Wait(ctx)
}
