package ownagent

import (
	"context"
	"flag"
	"fmt"
	"net"

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

// Agent is what its flags ask for.
type Agent struct {
	Teller *usage.Teller
	// BeforeUpdates, when not nil, is called after the sync.
	BeforeUpdates func()

	encoding, link *string
	stream         *bool
	page           *int64
	sockets        sockets
}

// Flags registers the flags that all forms of the agent have. Call it before
// flag.Parse.
func Flags() *Agent {
	return &Agent{
		Teller:   usage.Flags(),
		encoding: flag.String("encoding", "auto", "auto, json or protobuf"),
		link:     flag.String("link", "average", "average, metered or lan"),
		stream:   flag.Bool("stream", false, "get the first state as a stream of initial events"),
		page:     flag.Int64("page", 0, "objects per page of a list; 0 is the default, less than 0 all in one"),
	}
}

func (a *Agent) listWatch() (rawwatch.ListWatchOptions, error) {
	o := rawwatch.ListWatchOptions{ListFirst: !*a.stream, PageLimit: *a.page}
	switch *a.encoding {
	case "auto":
	case "json":
		o.Encoding = rawwatch.EncodingJSON
	case "protobuf":
		o.Encoding = rawwatch.EncodingProtobuf
	default:
		return o, fmt.Errorf("-encoding %s: auto, json or protobuf", *a.encoding)
	}
	return o, nil
}

func (a *Agent) client() (*rawwatch.Client, error) {
	links := map[string]rawwatch.Link{"average": rawwatch.LinkAverage, "metered": rawwatch.LinkMetered, "lan": rawwatch.LinkLAN}
	link, ok := links[*a.link]
	if !ok {
		return nil, fmt.Errorf("-link %s: average, metered or lan", *a.link)
	}
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return nil, err
	}
	a.Teller.Arrived = a.sockets.received
	return rawwatch.NewClient(config, rawwatch.ClientOptions{Link: link, DialContext: a.dial})
}

// dial dials plain connections, as the client does by itself, and remembers them.
func (a *Agent) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if tcp, ok := c.(*net.TCPConn); ok {
		a.sockets.add(tcp)
	}
	return c, err
}
