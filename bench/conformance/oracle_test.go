package conformance

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// oracle is client-go's reflector and store for the same query, which is what
// its informers are made of. The informer itself has no setting for the
// backoff, and its own would spend minutes of each run waiting.
type oracle struct {
	cache.Store
	beat *Beat
}

// consult starts client-go; beat rings whenever its store changes.
func consult(t *testing.T, config *kubeconfig.Config, q rawwatch.Query, beat *Beat) *oracle {
	t.Helper()
	client, err := dynamic.NewForConfig(&rest.Config{
		Host: config.Server, BearerToken: config.BearerToken,
		TLSClientConfig: rest.TLSClientConfig{CAFile: config.CAFile}, QPS: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	resource := client.Resource(gvr(q.Resource)).Namespace(q.Namespace)
	source := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = q.LabelSelector
			return resource.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = q.LabelSelector
			return resource.Watch(ctx, o)
		},
	}, client)
	o := &oracle{cache.NewStore(cache.MetaNamespaceKeyFunc), beat}
	reflector := cache.NewReflectorWithOptions(source, &unstructured.Unstructured{}, o, cache.ReflectorOptions{
		Backoff: &wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 4, Cap: time.Second},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		reflector.RunWithContext(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return o
}

// The store rings after each change.

func (o *oracle) Add(object any) error    { defer o.beat.Ring(); return o.Store.Add(object) }
func (o *oracle) Update(object any) error { defer o.beat.Ring(); return o.Store.Update(object) }
func (o *oracle) Delete(object any) error { defer o.beat.Ring(); return o.Store.Delete(object) }
func (o *oracle) Replace(objects []any, version string) error {
	defer o.beat.Ring()
	return o.Store.Replace(objects, version)
}

// state is what client-go's store holds now.
func (o *oracle) state(t *testing.T) State {
	t.Helper()
	s := State{}
	for _, item := range o.List() {
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
