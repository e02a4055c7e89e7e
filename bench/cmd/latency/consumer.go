package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
)

// arrival is one state of one object that reached the consumer.
type arrival struct {
	resourceVersion string
	at              time.Time
}

// consumer is one way to follow pods.
type consumer struct {
	name string
	// follow tells of every state until the context ends, and calls synced when
	// the first list is through. told may be called from one goroutine at a time.
	follow    func(ctx context.Context, config *kubeconfig.Config, synced func(), told func(resourceVersion string)) error
	latencies []time.Duration
}

// writer changes pods one after the other.
type writer struct {
	direct *realapi.Direct
	pods   int
	pause  time.Duration
	done   int // writes so far
}

// write makes n writes and returns when each version was acknowledged.
func (w *writer) write(ctx context.Context, n int) (map[string]time.Time, error) {
	acknowledged := make(map[string]time.Time, n)
	for range n {
		w.done++
		status, err := json.Marshal(load.PodStatus(w.done%w.pods, w.done))
		if err != nil {
			return nil, err
		}
		path := load.PodPath(w.done%w.pods) + "/status?fieldManager=kubelet"
		answer, err := w.direct.Do(ctx, http.MethodPatch, path, status)
		at := time.Now()
		if err != nil {
			return nil, err
		}
		var object struct{ Metadata decode.Identity }
		if err := json.Unmarshal(answer, &object); err != nil {
			return nil, err
		}
		acknowledged[object.Metadata.ResourceVersion] = at
		time.Sleep(w.pause)
	}
	return acknowledged, nil
}

// late is how long the last events may take after the last write.
const late = 10 * time.Second

// run follows the pods while the writer writes, and matches what arrived with
// what was acknowledged. That an event is missing is an error.
func (c consumer) run(ctx context.Context, config *kubeconfig.Config, w *writer, writes int) ([]time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	synced := make(chan struct{})
	arrivals := make(chan arrival, writes+w.pods) // never full
	ended := make(chan error, 1)
	go func() {
		ended <- c.follow(ctx, config, func() { close(synced) }, func(version string) {
			arrivals <- arrival{version, time.Now()}
		})
	}()
	defer func() {
		cancel()
		<-ended
	}()
	select {
	case <-synced:
	case err := <-ended:
		ended <- err
		return nil, fmt.Errorf("ended before it was in sync: %w", err)
	}
	acknowledged, err := w.write(ctx, writes)
	if err != nil {
		return nil, err
	}
	latencies := make([]time.Duration, 0, writes)
	timer := time.NewTimer(late)
	defer timer.Stop()
	for len(acknowledged) > 0 {
		select {
		case a := <-arrivals:
			if at, ok := acknowledged[a.resourceVersion]; ok {
				latencies = append(latencies, a.at.Sub(at))
				delete(acknowledged, a.resourceVersion)
			}
		case <-timer.C:
			return nil, errors.New("events are missing")
		}
	}
	return latencies, nil
}
