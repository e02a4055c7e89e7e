package contest

import (
	"os/exec"
	"strings"
)

// Peer is a program that follows all pods.
type Peer struct {
	// Name is shown in tables.
	Name string
	// Package is what it is built from, a folder below the bench module; "" for
	// a program that is found on the PATH as Tool.
	Package, Tool string
	// Args are its arguments, Plain those that ask for no compression as well.
	Args, Plain []string
	// Follow is added for it to go on after its sync.
	Follow []string
	// Keeps: it has a checkpoint, and is given the path of a fresh file.
	Keeps bool
	// Lines: it prints a line that ends in a pod's name for each pod and each
	// change, and no reports.
	Lines bool
	// NoRelist says why it does not come through an expired history; "" when it
	// does.
	NoRelist string
	// NoResume says why it may end while changes come, without an error; "" when
	// that is a failure as everybody else's. It is given fewer changes, gently.
	NoResume string
	// Latency: it takes part in the measurement of latencies.
	Latency bool
	// Skip says why it cannot be measured here; "" when it can.
	Skip string

	binary string
}

// Base is the peer that ratios are told against.
const Base = "client-go typed"

// Peers are all that are compared. rawwatch has its defaults: the first state
// as a stream, relists in pages.
func Peers() []Peer {
	own := func(name, as, encoding string) Peer {
		return Peer{Name: "rawwatch " + name, Package: "cmd/agent", Args: []string{"-as", as, "-encoding", encoding, "-stream"}, Plain: []string{"-link", "lan"}}
	}
	clientGo := func(name, program string) Peer {
		return Peer{Name: name, Package: "cmd/peer/" + program, Plain: []string{"-plain"}}
	}
	checkpointed := own("protobuf struct, checkpoint", "", "protobuf")
	checkpointed.Package, checkpointed.Keeps = "cmd/agent/checkpointed", true
	checkpointed.Args = []string{"-encoding", "protobuf", "-stream"}
	all := []Peer{
		own("raw", "raw", "auto"),
		own("JSON struct", "five", "json"),
		own("protobuf struct", "five", "protobuf"),
		own("metadata", "metadata", "auto"),
		checkpointed,
		clientGo(Base, "typed"),
		clientGo("client-go typed, SetTransform", "transform"),
		clientGo("client-go dynamic", "dynamic"),
		clientGo("client-go metadata", "metadata"),
		clientGo("controller-runtime cache", "runtime"),
		{Name: "ericchiang/k8s", Package: "peers/ericchiang", Plain: []string{"-plain"}},
	}
	for i := range all {
		all[i].Follow = []string{"-follow"}
		all[i].Latency = !strings.HasSuffix(all[i].Name, "metadata") && !strings.HasSuffix(all[i].Name, "SetTransform")
	}
	return append(all, kubectl())
}

func kubectl() Peer {
	p := Peer{
		Name: "kubectl get --watch", Tool: "kubectl", Lines: true,
		Args:     []string{"get", "pods", "--all-namespaces", "--watch", "--output", "name"},
		Plain:    []string{"--disable-compression"},
		NoRelist: "kubectl ends when the history that it watches from has expired, so there is no relist",
		NoResume: "the server closes a watch that does not take its events at once, and kubectl does not watch again: it ends",
	}
	path, err := exec.LookPath(p.Tool)
	if err != nil {
		p.Skip = "kubectl is not on the PATH"
	}
	p.binary = path
	return p
}

// Choose keeps the peers whose names hold one of the texts, which have commas
// between; "" keeps all.
func Choose(peers []Peer, texts string) []Peer {
	if texts == "" {
		return peers
	}
	var chosen []Peer
	for _, p := range peers {
		for _, text := range strings.Split(texts, ",") {
			if strings.Contains(p.Name, strings.TrimSpace(text)) {
				chosen = append(chosen, p)
				break
			}
		}
	}
	return chosen
}

// Skipped are the peers that cannot be measured here, each with the reason.
func (a *Arena) Skipped() []string {
	var all []string
	for _, p := range a.peers {
		if p.Skip != "" {
			all = append(all, p.Name+": "+p.Skip)
		}
	}
	return all
}
