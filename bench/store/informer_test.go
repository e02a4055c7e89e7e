package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// followed is how many pods the informers of the benchmark below follow.
const followed = 1000

// feeder is as much of an API server as an informer needs, over plain HTTP in
// JSON: a list of pods, and a watch that sends what it is told to.
type feeder struct {
	pods    [][]byte
	version int
	list    []byte
	frames  chan []byte // each some frames
}

func newFeeder(tb testing.TB) *feeder {
	tb.Helper()
	f := &feeder{version: 1, frames: make(chan []byte, 1)}
	items := make([]json.RawMessage, followed)
	for n := range items {
		items[n] = text(tb, n, 0)
		f.pods = append(f.pods, items[n])
	}
	list, err := json.Marshal(map[string]any{
		"kind": "PodList", "apiVersion": "v1", "metadata": map[string]string{"resourceVersion": fmt.Sprint(90_000 + pods)}, "items": items,
	})
	if err != nil {
		tb.Fatal(err)
	}
	f.list = list
	return f
}

// ServeHTTP implements http.Handler.
func (f *feeder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/pods") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Has("sendInitialEvents") { // as a server before 1.34: both list
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`))
		return
	}
	if r.URL.Query().Get("watch") == "" {
		_, _ = w.Write(f.list)
		return
	}
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	for {
		select {
		case frames := <-f.frames:
			if _, err := w.Write(frames); err != nil {
				return
			}
			_ = flush.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// updates are frames about all pods, once each, in their next version.
func (f *feeder) updates() []byte {
	f.version++
	var all []byte
	for n, pod := range f.pods {
		all = append(all, `{"type":"MODIFIED","object":`...)
		all = append(all, bytes.Replace(pod, versionOf(n, 0), versionOf(n, f.version), 1)...)
		all = append(all, "}\n"...)
	}
	return all
}

func versionOf(n, version int) []byte {
	return fmt.Appendf(nil, `"resourceVersion":"%d"`, 80000+version*pods+n)
}

// BenchmarkInformer is 1,000 updates of as many pods, from the bytes of the
// watch to the store and all subscribers: five fields with rawwatch, whole typed
// pods with client-go. Both read JSON of the same server, which is in the
// process and counts.
func BenchmarkInformer(b *testing.B) {
	for _, subscribers := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("rawwatch/subscribers=%d", subscribers), func(b *testing.B) { benchInformer(b, subscribers, startOurs) })
		b.Run(fmt.Sprintf("client-go/subscribers=%d", subscribers), func(b *testing.B) { benchInformer(b, subscribers, startTheirs) })
	}
}

func benchInformer(b *testing.B, subscribers int, start func(*testing.B, string, int, func())) {
	f := newFeeder(b)
	server := httptest.NewServer(f)
	b.Cleanup(server.Close)
	var told atomic.Int64
	wake := make(chan struct{}, 1)
	round := int64(followed * subscribers)
	start(b, server.URL, subscribers, func() {
		if told.Add(1)%round == 0 {
			wake <- struct{}{}
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		frames := f.updates()
		b.StartTimer()
		f.frames <- frames
		<-wake
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/followed, "ns/update")
}

func startOurs(b *testing.B, url string, subscribers int, told func()) {
	b.Helper()
	client, err := rawwatch.NewClient(&kubeconfig.Config{Server: url}, rawwatch.ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	i, err := rawwatch.NewInformer(client, rawwatch.Pods.Query(), rawwatch.InformerOptions[fields]{
		StoreOptions: rawwatch.StoreOptions[fields]{Indexers: rawwatch.Indexers[fields]{
			"node": rawwatch.IndexBy(func(f *fields) string { return f.Spec.NodeName }),
		}},
		ListWatch: rawwatch.ListWatchOptions{Encoding: rawwatch.EncodingJSON},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = i.Run(ctx) })
	b.Cleanup(func() {
		stop()
		running.Wait()
		_ = client.Close()
	})
	if err := i.WaitForSync(ctx); err != nil {
		b.Fatal(err)
	}
	var ready sync.WaitGroup
	for range subscribers {
		ready.Add(1)
		_, err := i.Subscribe(func(_ context.Context, c rawwatch.Change[fields]) error {
			switch c.Type {
			case rawwatch.Synced:
				ready.Done()
			case rawwatch.Modified:
				told()
			}
			return nil
		}, rawwatch.SubscriptionOptions[fields]{})
		if err != nil {
			b.Fatal(err)
		}
	}
	ready.Wait()
}

func startTheirs(b *testing.B, url string, subscribers int, told func()) {
	b.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: url, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		b.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	i := factory.Core().V1().Pods().Informer()
	err = i.AddIndexers(cache.Indexers{"node": func(o any) ([]string, error) { return []string{o.(*corev1.Pod).Spec.NodeName}, nil }})
	if err != nil {
		b.Fatal(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	b.Cleanup(func() {
		close(stop)
		factory.Shutdown()
	})
	factory.WaitForCacheSync(stop)
	for range subscribers {
		r, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { told() }})
		if err != nil {
			b.Fatal(err)
		}
		if !cache.WaitForCacheSync(stop, r.HasSynced) {
			b.Fatal("the handler is not synced")
		}
	}
}
