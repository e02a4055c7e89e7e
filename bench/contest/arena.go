package contest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/bench/trial"
)

// Options say how much is done.
type Options struct {
	// Peers are measured.
	Peers []Peer
	// Module is the folder of the bench module.
	Module string
	// Updates are how many changes the steady churn makes, PerSecond how fast.
	Updates, PerSecond int
	// Writes are how many changes latency is measured on, in each run.
	Writes int
	// Watches are how many idle watches one process has.
	Watches int
	// Progress, when not nil, is told what takes long.
	Progress func(string)
}

// Arena is a real API server, and the programs that are measured on it. Its
// methods must not be called at the same time.
type Arena struct {
	Options
	cluster *realapi.Cluster
	peers   []Peer
	module  string
	folder  string       // for programs and their files
	pods    int          // that are loaded
	changed int          // changes that were made
	files   atomic.Int64 // that have been named
}

// NewArena makes the folder that everything is in; no server is started.
// Close it.
func NewArena(o Options) (*Arena, error) {
	folder, err := os.MkdirTemp("", "contest-")
	if err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return &Arena{Options: o, peers: append([]Peer(nil), o.Peers...), module: o.Module, folder: folder}, nil
}

func (a *Arena) progress(line string) { a.Progress(line) }

// Launch starts the server.
func (a *Arena) Launch(ctx context.Context) (err error) {
	a.cluster, err = realapi.Launch(ctx, realapi.Options{Progress: a.Progress})
	return err
}

// ServerVersion is what the server says of itself.
func (a *Arena) ServerVersion(ctx context.Context) (string, error) {
	answer, err := a.cluster.Direct().Do(ctx, http.MethodGet, "/version", nil)
	if err != nil {
		return "", err
	}
	var version struct {
		GitVersion string `json:"gitVersion"`
	}
	err = json.Unmarshal(answer, &version)
	return version.GitVersion, err
}

// Close ends the server and removes everything.
func (a *Arena) Close() error {
	var err error
	if a.cluster != nil {
		err = a.cluster.Close()
	}
	return errors.Join(err, os.RemoveAll(a.folder))
}

// Load brings the server to that many pods, never to fewer. It is refused when
// servers and the largest of the peers would not fit into memory.
func (a *Arena) Load(ctx context.Context, pods int) error {
	if err := RoomFor(pods); err != nil {
		return err
	}
	if pods <= a.pods {
		return nil
	}
	a.progress(fmt.Sprintf("loading %d pods", pods-a.pods))
	if err := load.Pods(ctx, a.cluster.Direct(), a.pods, pods); err != nil {
		return err
	}
	a.pods = pods
	return nil
}

// bytesPerPod are what servers and a dynamic informer of client-go take, the
// largest of the programs, as measured with 10,000 pods of 7.7 KB.
const (
	bytesPerPod = 160 << 10
	bytesAtRest = 512 << 20
)

// RoomFor says why so many pods do not fit, or nil.
func RoomFor(pods int) error {
	available, err := availableMemory()
	if err != nil {
		return nil // nothing is known, so nothing speaks against it
	}
	if need := int64(bytesAtRest) + int64(pods)*bytesPerPod; available < need {
		return &trial.SkipError{Reason: fmt.Sprintf("too little memory: %d pods need about %d MB for servers and peers, %d MB are available",
			pods, need>>20, available>>20)}
	}
	return nil
}

// door is a way to the server of its own for one program.
type door struct {
	counter    *faultnet.Counter
	kubeconfig string
}

// open makes a door; the caller closes its counter. via is the address that
// leads to the server, "" for the server itself.
func (a *Arena) open(via string) (door, error) {
	config := a.cluster.Config()
	if via == "" {
		server, err := url.Parse(config.Server)
		if err != nil {
			return door{}, err
		}
		via = server.Host
	}
	counter, err := faultnet.NewCounter(via)
	if err != nil {
		return door{}, err
	}
	config.Server = "https://" + counter.Address()
	kubeconfig, err := a.cluster.WriteKubeconfig(a.name("kubeconfig"), config)
	if err != nil {
		counter.Close()
		return door{}, err
	}
	return door{counter, kubeconfig}, nil
}

// name makes a file name that was not given out before. It and file are safe for
// concurrent use.
func (a *Arena) name(kind string) string {
	return fmt.Sprintf("%s-%d", kind, a.files.Add(1))
}

// file is the path of a fresh file in the arena's folder.
func (a *Arena) file(kind string) string { return filepath.Join(a.folder, a.name(kind)) }
