package conformance

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// oracle is client-go's informer of the same query, with the backoff that it
// always has: after a kill it may come back up to a minute later than the
// library, so that most of a run is waiting for it.
type oracle struct {
	start    func() *running
	now      *running
	restarts int
}

// running is one life of client-go's informer.
type running struct {
	informer cache.SharedIndexInformer
	stop     func()
}

// restart replaces the informer by a new one, which lists anew.
func (o *oracle) restart() {
	o.now.stop()
	o.now = o.start()
	o.restarts++
}

// consult starts client-go's informer; beat rings with each of its events.
func consult(t *testing.T, config *kubeconfig.Config, q rawwatch.Query, beat *Beat) *oracle {
	t.Helper()
	client, err := dynamic.NewForConfig(&rest.Config{
		Host: config.Server, BearerToken: config.BearerToken,
		TLSClientConfig: rest.TLSClientConfig{CAFile: config.CAFile}, QPS: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	selected := func(o *metav1.ListOptions) { o.LabelSelector = q.LabelSelector }
	o := &oracle{start: func() *running {
		informer := dynamicinformer.NewFilteredDynamicInformer(client, gvr(q.Resource), q.Namespace, 0, cache.Indexers{}, selected).Informer()
		return run(t, informer, beat)
	}}
	o.now = o.start()
	t.Cleanup(func() { o.now.stop() })
	return o
}

func run(t *testing.T, informer cache.SharedIndexInformer, beat *Beat) *running {
	t.Helper()
	ring := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { beat.Ring() },
		UpdateFunc: func(any, any) { beat.Ring() },
		DeleteFunc: func(any) { beat.Ring() },
	}
	if _, err := informer.AddEventHandler(ring); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		informer.Run(stop)
	}()
	return &running{informer, func() {
		close(stop)
		<-done
	}}
}

// state is what client-go's store holds now.
func (o *oracle) state(t *testing.T) State {
	t.Helper()
	s := State{}
	for _, item := range o.now.informer.GetStore().List() {
		object := item.(*unstructured.Unstructured)
		text, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := Canonical(text)
		if err != nil {
			t.Fatal(err)
		}
		key := object.GetName()
		if object.GetNamespace() != "" {
			key = object.GetNamespace() + "/" + key
		}
		s[key] = canonical
	}
	return s
}
