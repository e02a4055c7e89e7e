// Command agent keeps five fields of every pod, with or without a checkpoint, and
// says what that has cost when its state can be read, when it is in sync, when
// that is saved, and when the pod named "marker" has come. It is one of the programs that restart
// runs.
//
//	agent [-checkpoint FILE [-changes-only]] [-until readable|sync|updates] [-decoded]
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/bench/usage"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// Pod is what is kept: five fields beside the namespace and uid that name the
// object.
type Pod struct {
	Metadata decode.Identity `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

func main() {
	var a agent
	flag.StringVar(&a.file, "checkpoint", "", "the checkpoint's file; \"\" is none")
	flag.StringVar(&a.until, "until", "sync", "readable, sync or updates: when to end")
	flag.BoolVar(&a.count, "decoded", false, "count the bytes of answers after unpacking")
	flag.BoolVar(&a.changesOnly, "changes-only", false, "the subscriber keeps a state of its own: what it is told is noted, too")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		defer pprof.StopCPUProfile()
	}
	if err := a.run(); err != nil {
		log.Fatal(err)
	}
}

type agent struct {
	file, until string
	count       bool
	changesOnly bool

	pods     *rawwatch.Informer[Pod]
	store    *checkpoint.Store
	decoded  atomic.Int64
	dialled  sync.Once
	readable chan struct{} // closed when what was saved can be read
}

func (a *agent) run() error {
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	o := rawwatch.ClientOptions{DialContext: a.dial}
	if a.count {
		o.WrapTransport = func(rt http.RoundTripper) http.RoundTripper { return usage.CountBodies(rt, &a.decoded) }
	}
	client, err := rawwatch.NewClient(config, o)
	if err != nil {
		return err
	}
	defer client.Close()
	var options rawwatch.InformerOptions[Pod]
	if a.file != "" {
		if a.store, err = checkpoint.Open(context.Background(), a.file, checkpoint.Options{}); err != nil {
			return err
		}
		options.Checkpoint = rawwatch.CheckpointIn(a.store, rawwatch.CheckpointOptions[Pod]{})
	}
	if a.pods, err = rawwatch.NewInformer(client, rawwatch.Pods.AllNamespaces(), options); err != nil {
		return err
	}
	marked := make(chan int, 1)
	if a.until == "updates" {
		if err := a.subscribe(marked); err != nil {
			return err
		}
	}
	a.readable = make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- a.pods.Run(ctx) }()
	err = a.follow(ctx, marked)
	stop()
	if e := <-ended; !errors.Is(e, context.Canceled) {
		err = errors.Join(err, e)
	}
	if a.store != nil {
		err = errors.Join(err, a.store.Close())
	}
	return err
}

// dial opens a connection. Before the first one, what was saved is in the store.
func (a *agent) dial(ctx context.Context, network, address string) (net.Conn, error) {
	a.dialled.Do(func() { close(a.readable) })
	return new(net.Dialer).DialContext(ctx, network, address)
}

func (a *agent) subscribe(marked chan<- int) error {
	events := 0
	_, err := a.pods.Subscribe(func(_ context.Context, c rawwatch.Change[Pod]) error {
		if c.Type == rawwatch.Modified {
			events++
		}
		if c.Type == rawwatch.Added && c.Item.Name == usage.Marker {
			marked <- events
		}
		return nil
	}, rawwatch.SubscriptionOptions[Pod]{Durable: a.store != nil, ChangesOnly: a.changesOnly})
	return err
}

// follow reports what was asked for.
func (a *agent) follow(ctx context.Context, marked <-chan int) error {
	if a.store != nil {
		<-a.readable
		if err := a.report("readable", 0); err != nil || a.until == "readable" {
			return err
		}
	}
	if err := a.pods.WaitForSync(ctx); err != nil {
		return err
	}
	if err := a.report("sync", 0); err != nil || a.until == "sync" {
		return err
	}
	for a.store != nil && a.pods.Status().Checkpoint.LastSave.IsZero() {
		time.Sleep(10 * time.Millisecond)
	}
	if err := a.report("saved", 0); err != nil {
		return err
	}
	events := <-marked
	// The last changes are saved, and the collector has had its rest.
	time.Sleep(3 * rawwatch.DefaultCheckpointInterval)
	if err := a.report("updates", events); err != nil {
		return err
	}
	debug.FreeOSMemory()
	return a.report("freed", events)
}

func (a *agent) report(phase string, events int) error {
	r := usage.Report{Phase: phase, Objects: a.pods.Store().Len(), Events: events, Decoded: a.decoded.Load()}
	if a.store != nil {
		s := a.store.Status()
		r.Written, r.Payload = s.Written, s.Payload
	}
	return r.Print()
}
