// Command ericchiang follows pods with github.com/ericchiang/k8s, a small client
// made from the protobuf definitions. It has a list and a watch, and nothing
// above them, so the loop is here: it keeps of each pod what rawwatch's agent
// keeps, and lists again whenever a watch ends.
//
//	ericchiang [-follow]
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/ericchiang/k8s"
	corev1 "github.com/ericchiang/k8s/apis/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/rawwatch/rawwatch/bench/usage"
)

func main() {
	teller := usage.Flags()
	plain := flag.Bool("plain", false, "ask for no compression")
	flag.Parse()
	if err := run(teller, *plain); err != nil {
		log.Fatal(err)
	}
}

// pod is what is kept.
type pod struct{ uid, version, node, phase, ip string }

type follower struct {
	teller *usage.Teller
	client *k8s.Client
	pods   map[string]pod
}

func run(t *usage.Teller, plain bool) error {
	text, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	var config k8s.Config
	if err := yaml.Unmarshal(text, &config); err != nil {
		return err
	}
	f := follower{teller: t, pods: map[string]pod{}}
	if f.client, err = k8s.NewClient(&config); err != nil {
		return err
	}
	if err := count(f.client, t, plain); err != nil {
		return err
	}
	ctx := context.Background()
	version, err := f.list(ctx)
	if err != nil {
		return err
	}
	if err := t.Synced(func() int { return len(f.pods) }); err != nil || !t.Follows() {
		return err
	}
	go f.follow(ctx, version) // ends with the process
	return t.Wait(ctx)
}

// follow watches, and lists again when a watch ends, for ever.
func (f *follower) follow(ctx context.Context, version string) {
	for {
		err := f.watch(ctx, version)
		fmt.Fprintln(os.Stderr, "ericchiang: the watch has ended:", err)
		for {
			if version, err = f.list(ctx); err == nil {
				break
			}
			time.Sleep(800 * time.Millisecond)
		}
	}
}

// list replaces what is kept. The client has no pages.
func (f *follower) list(ctx context.Context) (version string, err error) {
	var list corev1.PodList
	if err := f.client.List(ctx, k8s.AllNamespaces, &list); err != nil {
		return "", err
	}
	before := f.pods
	f.pods = make(map[string]pod, len(list.Items))
	for _, p := range list.Items {
		if key, now := f.keep(p); before[key].version != now.version {
			f.teller.Event(p.GetMetadata().GetName(), now.version)
		}
	}
	return list.GetMetadata().GetResourceVersion(), nil
}

func (f *follower) keep(p *corev1.Pod) (key string, kept pod) {
	m := p.GetMetadata()
	key = m.GetNamespace() + "/" + m.GetName()
	kept = pod{m.GetUid(), m.GetResourceVersion(), p.GetSpec().GetNodeName(), p.GetStatus().GetPhase(), p.GetStatus().GetPodIP()}
	f.pods[key] = kept
	return key, kept
}

func (f *follower) watch(ctx context.Context, version string) error {
	var example corev1.Pod
	w, err := f.client.Watch(ctx, k8s.AllNamespaces, &example, k8s.ResourceVersion(version))
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		p := new(corev1.Pod)
		kind, err := w.Next(p)
		switch {
		case err != nil:
			return err
		case kind == k8s.EventAdded || kind == k8s.EventModified:
			_, kept := f.keep(p)
			f.teller.Event(p.GetMetadata().GetName(), kept.version)
		case kind == k8s.EventDeleted:
			delete(f.pods, p.GetMetadata().GetNamespace()+"/"+p.GetMetadata().GetName())
		default:
			return fmt.Errorf("an event of type %s", kind)
		}
	}
}
