package killed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/internal/killtest"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// TestDownForLong: an agent is down while 30 % of 10,000 objects change, 10 %
// vanish, and some are new or made again. Within the server's history and beyond
// it each difference is told once, and nothing else; so it is where the server is
// another one by then.
func TestDownForLong(t *testing.T) {
	d := down{T: t, cluster: realapi.Start(t, realapi.Options{}), file: filepath.Join(t.TempDir(), "watch.ckpt")}
	const objects = 10_000
	d.all(objects, 1, 0, func(n int) []change { return []change{d.create(n)} })
	d.agent(map[string]int{}, rawwatch.CauseList)

	want := d.meanwhile(rawwatch.CauseCheckpoint, func() {
		d.all(objects, 10, 3, func(n int) []change { return []change{d.touch(n)} })
		d.all(objects, 10, 6, func(n int) []change { return []change{d.touch(n)} })
		d.all(objects, 10, 9, func(n int) []change { return []change{d.touch(n)} })
		d.all(objects, 10, 0, func(n int) []change { return []change{d.remove(n)} })
		d.all(objects, 100, 1, func(n int) []change { return []change{d.create(objects + n)} })
	})
	d.agent(want, rawwatch.CauseCheckpoint)

	want = d.meanwhile(rawwatch.CauseRelist, func() {
		for _, rest := range []int{2, 4, 8} {
			d.all(objects, 10, rest, func(n int) []change { return []change{d.touch(n)} })
		}
		d.all(objects, 10, 3, func(n int) []change { return []change{d.remove(n)} })
		d.all(objects, 100, 5, func(n int) []change { return []change{d.remove(n), d.create(n)} })
		d.all(objects, 100, 0, func(n int) []change { return []change{d.create(n)} })
		d.must(second(d.cluster.Compact(t.Context())))
		d.must(d.cluster.Restart(t.Context()))
	})
	d.agent(want, rawwatch.CauseRelist)

	// Another cluster under the same address, with objects of the same names.
	want = d.meanwhile(rawwatch.CauseRelist, func() {
		d.must(d.cluster.Wipe(t.Context()))
		d.namespaceIsThere()
		d.all(objects, 200, 2, func(n int) []change { return []change{d.create(n)} })
	})
	d.agent(want, rawwatch.CauseRelist)
	if aside, err := filepath.Glob(d.file + ".watch-*"); err != nil || len(aside) != 1 {
		t.Errorf("set aside: %v, %v", aside, err)
	}
}

// namespaceIsThere waits for what a new cluster makes by itself.
func (d *down) namespaceIsThere() {
	d.Helper()
	for {
		_, err := d.cluster.Direct().Do(d.Context(), http.MethodGet, "/api/v1/namespaces/"+killtest.Namespace, nil)
		if err == nil {
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-d.Context().Done():
			d.Fatal(err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

type down struct {
	*testing.T
	cluster *realapi.Cluster
	file    string
}

func (d *down) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// change is one request.
type change struct{ method, path, body string }

func (d *down) create(n int) change {
	return change{http.MethodPost, killtest.Collection, fmt.Sprintf(`{"metadata":{"name":"c%05d"},"data":{"n":"1"}}`, n)}
}

func (d *down) touch(n int) change {
	return change{http.MethodPatch, killtest.Collection + fmt.Sprintf("/c%05d", n), `{"data":{"n":"2"}}`}
}

func (d *down) remove(n int) change {
	return change{http.MethodDelete, killtest.Collection + fmt.Sprintf("/c%05d", n), ""}
}

// all makes the changes of every number below total that leaves this rest, by
// many writers.
func (d *down) all(total, of, rest int, changes func(n int) []change) {
	d.Helper()
	numbers := make(chan int, total)
	for n := rest; n < total; n += of {
		numbers <- n
	}
	close(numbers)
	var writing sync.WaitGroup
	for range 32 {
		writing.Go(func() {
			for n := range numbers {
				for _, c := range changes(n) {
					var body []byte
					if c.body != "" {
						body = []byte(c.body)
					}
					if _, err := d.cluster.Direct().Do(d.Context(), c.method, c.path, body); err != nil {
						d.Error(err)
						return
					}
				}
			}
		})
	}
	writing.Wait()
	if d.Failed() {
		d.FailNow()
	}
}

// meanwhile is what has to be told of what happened, by the difference of the
// server's lists before and after.
func (d *down) meanwhile(cause rawwatch.Cause, happen func()) map[string]int {
	d.Helper()
	before := d.list()
	happen()
	after := d.list()
	want := map[string]int{}
	note := func(typ rawwatch.EventType, key string, s killtest.State) {
		want[line(typ, cause, key, s.UID, fmt.Sprint(s.Version))]++
	}
	for key, was := range before {
		switch is, there := after[key]; {
		case !there:
			note(rawwatch.Deleted, key, was)
		case is.UID != was.UID:
			note(rawwatch.Deleted, key, was)
			note(rawwatch.Added, key, is)
		case is.Version != was.Version:
			note(rawwatch.Modified, key, is)
		}
	}
	for key, is := range after {
		if _, there := before[key]; !there {
			note(rawwatch.Added, key, is)
		}
	}
	if len(want) < len(before)*4/10 {
		d.Fatalf("only %d of %d objects are different", len(want), len(before))
	}
	return want
}

// line is a change. The version of a deletion is not compared: the server's event
// has one of its own, a list has none.
func line(typ rawwatch.EventType, cause rawwatch.Cause, key, uid, version string) string {
	if typ == rawwatch.Deleted {
		version = "-"
	}
	return fmt.Sprint(typ, " ", cause, " ", key, " ", uid, " ", version)
}

func (d *down) list() map[string]killtest.State {
	d.Helper()
	state, _, err := killtest.List(d.Context(), func(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
		return d.cluster.Direct().Open(ctx, method, path, nil, body)
	}, killtest.Collection)
	d.must(err)
	return state
}

// agent is one process of an agent: it lives until it is in sync, and has to be
// told this; if nothing is given, all there is.
func (d *down) agent(want map[string]int, cause rawwatch.Cause) {
	d.Helper()
	ctx, stop := context.WithCancel(d.Context())
	defer stop()
	store, err := checkpoint.Open(ctx, d.file, checkpoint.Options{})
	d.must(err)
	client, err := rawwatch.NewClient(d.cluster.Config(), rawwatch.ClientOptions{})
	d.must(err)
	type configMap struct {
		Data map[string]string `json:"data"`
	}
	informer, err := rawwatch.NewInformer(client, rawwatch.ConfigMaps.InNamespace(killtest.Namespace), rawwatch.InformerOptions[configMap]{
		Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[configMap]{}),
	})
	d.must(err)
	got, synced := map[string]int{}, make(chan rawwatch.Cause, 1)
	_, err = informer.Subscribe(func(_ context.Context, c rawwatch.Change[configMap]) error {
		switch {
		case c.Item != nil:
			got[line(c.Type, c.Cause, c.Item.Key().String(), c.Item.UID, c.Item.ResourceVersion)]++
		case c.Type == rawwatch.Synced:
			synced <- c.Cause
		}
		return nil
	}, rawwatch.SubscriptionOptions[configMap]{Durable: true, ChangesOnly: true})
	d.must(err)
	ended := make(chan error, 1)
	begun := time.Now()
	go func() { ended <- informer.Run(ctx) }()
	var how rawwatch.Cause
	select {
	case how = <-synced:
	case err := <-ended:
		d.Fatal(err)
	case <-time.After(time.Minute):
		d.Fatalf("not in sync after a minute: %+v", informer.Status())
	}
	took := time.Since(begun)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		d.Error(err)
	}
	d.must(store.Close())
	d.must(client.Close())
	if how != cause {
		d.Errorf("in sync by %s, want %s", how, cause)
	}
	d.Logf("%d changes told, in sync by %s after %v", len(got), how, took.Round(time.Millisecond))
	if cause != rawwatch.CauseList {
		d.same(got, want)
	} else if server := d.list(); len(got) != len(server) {
		d.Errorf("%d objects told, the server has %d", len(got), len(server))
	}
}

func (d *down) same(got, want map[string]int) {
	d.Helper()
	const most = 10
	wrong := 0
	for text, n := range want {
		if got[text] != n {
			if wrong++; wrong <= most {
				d.Errorf("told %d times, want %d: %s", got[text], n, text)
			}
		}
	}
	for text, n := range got {
		if want[text] == 0 {
			if wrong++; wrong <= most {
				d.Errorf("told %d times for no reason: %s", n, text)
			}
		}
	}
}
