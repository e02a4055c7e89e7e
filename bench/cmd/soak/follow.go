package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

// followers are reflectors of the pods in every way there is.
type followers struct {
	client     *rawwatch.Client
	reflectors []*rawwatch.Reflector
	running    sync.WaitGroup
	events     atomic.Int64
	ended      atomic.Int64
}

// follow starts them; the context ends them.
func follow(ctx context.Context, config *kubeconfig.Config, network *faultnet.Network) (*followers, error) {
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{DialContext: network.DialContext})
	if err != nil {
		return nil, err
	}
	f := &followers{client: client}
	for _, encoding := range []rawwatch.Encoding{rawwatch.EncodingJSON, rawwatch.EncodingProtobuf} {
		for _, streamed := range []bool{false, true} {
			f.begin(ctx, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{Encoding: encoding, ListFirst: !streamed})
		}
	}
	for n := range 20 { // and some that hear little
		query := rawwatch.Pods.WithField(fmt.Sprintf("spec.nodeName=node-%d", n))
		f.begin(ctx, query, rawwatch.ListWatchOptions{WatchTimeoutMin: 20 * time.Second, WatchTimeoutMax: time.Minute})
	}
	return f, nil
}

func (f *followers) begin(ctx context.Context, q rawwatch.Query, o rawwatch.ListWatchOptions) {
	o.Backoff = resume.Backoff{Min: 100 * time.Millisecond, Max: 2 * time.Second}
	r := rawwatch.NewReflector(f.client, q, o)
	f.reflectors = append(f.reflectors, r)
	f.running.Go(func() {
		for _, err := range r.Events(ctx) {
			f.events.Add(1)
			if err != nil && ctx.Err() == nil {
				f.ended.Add(1)
				fmt.Fprintln(os.Stderr, "soak:", q, "ended:", err)
			}
		}
	})
}

// counts are the lists and streams that were begun so far.
func (f *followers) counts() (lists, streams int) {
	for _, r := range f.reflectors {
		s := r.Status()
		lists += s.Lists
		streams += s.Streams
	}
	return lists, streams
}

func (f *followers) close() {
	f.running.Wait()
	_ = f.client.Close() // nothing is left to lose
}
