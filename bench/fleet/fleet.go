// Package fleet is an API server in this process, filled with pods of the shape
// and size that real ones have, for measurements that have to be quick and come
// out the same each time. What it costs itself is in this process; what is
// measured runs in others.
package fleet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/usage"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// Template is the pod that all others are like: 7.7 KB of JSON, managed fields
// included. The path is relative to the folder bench.
const Template = "../decode/testdata/pod.json"

// Fleet is a server with pods. Close it.
type Fleet struct {
	*watchtest.Server
	// Pods is how many there are.
	Pods int
	// Kubeconfig is the path of a file that leads to the server.
	Kubeconfig string

	folder   string
	template []byte
}

// Start starts a server and creates the pods.
func Start(pods int) (*Fleet, error) {
	template, err := os.ReadFile(Template)
	if err != nil {
		return nil, fmt.Errorf("run this in the folder bench: %w", err)
	}
	folder, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return nil, err
	}
	// No watch is to be cut for being slow: what it then lists anew is luck.
	server := watchtest.NewServer(watchtest.Options{History: 1 << 20})
	f := &Fleet{Server: server, Kubeconfig: filepath.Join(folder, "kubeconfig"), folder: folder, template: template}
	if err := os.WriteFile(f.Kubeconfig, server.Kubeconfig(), 0o600); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.Grow(pods); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Grow creates pods until there are so many.
func (f *Fleet) Grow(pods int) error {
	for ; f.Pods < pods; f.Pods++ {
		pod, err := f.pod(f.Pods)
		if err != nil {
			return err
		}
		if _, err := f.Create(watchtest.Pods, pod); err != nil {
			return err
		}
	}
	return nil
}

// pod is the template with the names, the node and the address of pod n.
func (f *Fleet) pod(n int) (map[string]any, error) {
	var pod struct {
		Metadata, Spec, Status map[string]any
	}
	if err := json.Unmarshal(f.template, &pod); err != nil {
		return nil, err
	}
	delete(pod.Metadata, "resourceVersion")
	pod.Metadata["namespace"], pod.Metadata["name"] = load.Namespace(n), name(n)
	pod.Metadata["uid"] = fmt.Sprintf("6f1d2c3b-0a9e-4b7c-8d5e-%012x", n)
	pod.Spec["nodeName"] = load.Node(n)
	ip := address(n, 0)
	pod.Status["podIP"], pod.Status["podIPs"] = ip, []any{map[string]any{"ip": ip}}
	return map[string]any{"metadata": pod.Metadata, "spec": pod.Spec, "status": pod.Status}, nil
}

func name(n int) string { return fmt.Sprintf("web-7d4b9c6f5d-%05d", n) }

func address(n, round int) string {
	return fmt.Sprintf("10.%d.%d.%d", 2+round%200, n/200%250, n%200)
}

// Churn makes so many changes, each to the next of the pods, whose address is
// another one then. Each run of it goes on from round, counted from 1.
func (f *Fleet) Churn(updates, round int) error {
	for i := range updates {
		n := i % f.Pods
		patch := map[string]any{"status": map[string]any{"podIP": address(n, round+i/f.Pods)}}
		if _, err := f.Patch(watchtest.Pods, load.Namespace(n), name(n), patch); err != nil {
			return err
		}
	}
	return nil
}

// Mark creates the pod that ends the phase of updates, and removes it again.
func (f *Fleet) Mark() error {
	_, err := f.Create(watchtest.Pods, fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q}}`, load.Namespace(0), usage.Marker))
	if err != nil {
		return err
	}
	_, err = f.Delete(watchtest.Pods, load.Namespace(0), usage.Marker)
	return err
}

// Close ends the server.
func (f *Fleet) Close() {
	f.Server.Close()
	_ = os.RemoveAll(f.folder)
}
