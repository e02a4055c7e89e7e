package watchtest_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// This file is an example: how a program tests its own handler, with the real
// client and informer, without a network and without waiting.

// address is what the program wants to know of a pod.
type address struct {
	Status struct {
		PodIP string `json:"podIP"`
	} `json:"status"`
}

// table is the program: it keeps the addresses of pods, by name. write may fail.
type table struct {
	write func() error

	mu   sync.Mutex // guards rows
	rows map[string]string
}

func (t *table) handle(_ context.Context, c rawwatch.Change[address]) error {
	if c.Item == nil {
		return nil // Synced
	}
	if err := t.write(); err != nil {
		return err // the informer comes again, after a backoff
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.Type == rawwatch.Deleted {
		delete(t.rows, c.Item.Name)
	} else {
		t.rows[c.Item.Name] = c.Item.Value.Status.PodIP
	}
	return nil
}

// TestTable is the program's test: the table follows the cluster through a disk
// that is full for a minute and a server that loses its history.
func TestTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory})
		defer server.Close()
		client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{DialContext: server.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		pods, err := rawwatch.NewInformer(client, rawwatch.Pods.Query(), rawwatch.InformerOptions[address]{})
		if err != nil {
			t.Fatal(err)
		}
		var full atomic.Bool
		program := &table{rows: map[string]string{}, write: func() error {
			if full.Load() {
				return errors.New("the disk is full")
			}
			return nil
		}}
		if _, err := pods.Subscribe(program.handle, rawwatch.SubscriptionOptions[address]{Attempts: rawwatch.RetryForever}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- pods.Run(ctx) }()

		create(t, server, "camera", "10.0.0.1")
		create(t, server, "gateway", "10.0.0.2")
		want(t, program, map[string]string{"camera": "10.0.0.1", "gateway": "10.0.0.2"})

		full.Store(true)
		create(t, server, "lamp", "10.0.0.3")
		time.Sleep(time.Minute) // of virtual time: it takes none
		want(t, program, map[string]string{"camera": "10.0.0.1", "gateway": "10.0.0.2"})
		full.Store(false)
		time.Sleep(time.Minute)
		want(t, program, map[string]string{"camera": "10.0.0.1", "gateway": "10.0.0.2", "lamp": "10.0.0.3"})

		thaw := server.Freeze(watchtest.Selector{})
		if _, err := server.Delete(watchtest.Pods, "edge", "camera"); err != nil {
			t.Fatal(err)
		}
		server.Compact(server.Revision())
		thaw()
		server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		time.Sleep(time.Minute)
		want(t, program, map[string]string{"gateway": "10.0.0.2", "lamp": "10.0.0.3"})

		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func create(t *testing.T, server *watchtest.Server, name, ip string) {
	t.Helper()
	if _, err := server.Create(watchtest.Pods, `{"metadata":{"namespace":"edge","name":"`+name+`"},"status":{"podIP":"`+ip+`"}}`); err != nil {
		t.Fatal(err)
	}
}

// want waits until nothing can happen without time passing, and compares.
func want(t *testing.T, program *table, rows map[string]string) {
	t.Helper()
	synctest.Wait()
	program.mu.Lock()
	defer program.mu.Unlock()
	if !maps.Equal(program.rows, rows) {
		t.Errorf("the table holds %v, want %v", program.rows, rows)
	}
}
