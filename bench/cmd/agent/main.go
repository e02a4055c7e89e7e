// Command agent is the agent that rawwatch is for: it keeps a few fields of
// every pod, and says what that has cost when it is in sync, and again when the
// pod named "marker" has come. It is one of the programs that measure runs.
//
//	agent -as five -encoding auto|json|protobuf [-link …] [-paged]
//	agent -as metadata
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"
	"runtime/pprof"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/bench/usage"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// Pod is what the agent keeps: five fields beside the namespace and uid that
// name the object.
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
	as := flag.String("as", "five", "five or metadata: what is kept of a pod")
	encoding := flag.String("encoding", "auto", "auto, json or protobuf")
	link := flag.String("link", "average", "average, metered or lan")
	stream := flag.Bool("stream", false, "get the first state as a stream of initial events")
	page := flag.Int64("page", 0, "objects per page of a list; 0 is the default, less than 0 all in one")
	updates := flag.Bool("updates", false, "go on after the sync, until the marker comes")
	profile := flag.String("cpuprofile", "", "write a CPU profile of what comes after the sync to this file")
	flag.Parse()
	profileTo = *profile
	o := rawwatch.ListWatchOptions{
		Encoding:  map[string]rawwatch.Encoding{"json": rawwatch.EncodingJSON, "protobuf": rawwatch.EncodingProtobuf}[*encoding],
		ListFirst: !*stream, PageLimit: *page,
	}
	links := map[string]rawwatch.Link{"metered": rawwatch.LinkMetered, "lan": rawwatch.LinkLAN}
	var err error
	if *as == "metadata" {
		err = run[struct{}](links[*link], o, *updates)
	} else {
		err = run[Pod](links[*link], o, *updates)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run keeps T of every pod, in an informer.
func run[T any](link rawwatch.Link, o rawwatch.ListWatchOptions, updates bool) error {
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	var received atomic.Int64
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{Link: link, DialContext: counting(&received)})
	if err != nil {
		return err
	}
	defer client.Close()
	pods, err := rawwatch.NewInformer(client, rawwatch.Pods.AllNamespaces(), rawwatch.InformerOptions[T]{ListWatch: o})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events, marked := 0, make(chan struct{})
	if updates {
		if _, err := pods.Subscribe(func(_ context.Context, c rawwatch.Change[T]) error {
			events++
			if c.Type == rawwatch.Added && c.Item.Name == usage.Marker {
				close(marked)
			}
			return nil
		}, rawwatch.SubscriptionOptions[T]{}); err != nil {
			return err
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- pods.Run(ctx) }()
	if err := pods.WaitForSync(ctx); err != nil {
		return err
	}
	objects := pods.Store().Len()
	if err := usage.Print("sync", objects, 0, received.Load()); err != nil || !updates {
		return err
	}
	if profileTo != "" {
		defer profiled(profileTo)()
	}
	select {
	case <-marked:
	case err := <-ended:
		return err
	}
	return usage.Print("updates", pods.Store().Len(), events-objects, received.Load())
}

var profileTo string

// profiled begins a CPU profile and returns what ends it.
func profiled(file string) (end func()) {
	f, err := os.Create(file)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		log.Fatal(err)
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}
}

// counting dials connections that count what they receive.
func counting(received *atomic.Int64) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, address)
		return &countedConn{c, received}, err
	}
}

type countedConn struct {
	net.Conn
	received *atomic.Int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}
