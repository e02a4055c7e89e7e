package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// world is the server's side of the demo: pods, and what is done to them. The
// first failure ends the story; see failed.
type world struct {
	server *watchtest.Server
	random *rand.Rand
	serial int

	mu   sync.Mutex            // guards the fields below
	pods map[decode.Key]string // as the server has them, see plain
	err  error
}

func newWorld(server *watchtest.Server) *world {
	// A fixed seed: the same story each time.
	return &world{server: server, random: rand.New(rand.NewPCG(7, 7)), pods: map[decode.Key]string{}}
}

// populate creates the pods that exist before the watch begins.
func (w *world) populate() error {
	for _, set := range []struct {
		namespace, app string
		replicas       int
	}{{"shop", "web", 20}, {"shop", "cart", 12}, {"jobs", "nightly", 8}} {
		for i := range set.replicas {
			w.create(set.namespace, fmt.Sprintf("%s-%d", set.app, i))
		}
	}
	return w.failed()
}

func (w *world) create(namespace, name string) {
	object, err := w.server.Create(watchtest.Pods, w.pod(namespace, name))
	w.note(object, err)
}

func (w *world) change(namespace, name string) {
	object, err := w.server.Update(watchtest.Pods, w.pod(namespace, name))
	w.note(object, err)
}

func (w *world) remove(namespace, name string) {
	_, err := w.server.Delete(watchtest.Pods, namespace, name)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.err == nil {
		w.err = err
	}
	delete(w.pods, decode.Key{Namespace: namespace, Name: name})
}

// note remembers what the server made of a pod.
func (w *world) note(object watchtest.Object, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := ""
	if err == nil {
		text, err = plain(object.JSON)
	}
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	w.pods[decode.Key{Namespace: object.Namespace, Name: object.Name}] = text
}

// forget takes the server's history up to now away.
func (w *world) forget() { w.server.Compact(w.server.Revision()) }

// shake does n random things to random pods.
func (w *world) shake(n int) {
	for range n {
		keys := slices.SortedFunc(maps.Keys(w.state()), func(a, b decode.Key) int {
			return strings.Compare(a.String(), b.String())
		})
		pick := keys[w.random.IntN(len(keys))]
		switch dice := w.random.IntN(10); {
		case dice < 2:
			w.serial++
			w.create("shop", fmt.Sprintf("storm-%d", w.serial))
		case dice < 4 && len(keys) > 20:
			w.remove(pick.Namespace, pick.Name)
		default:
			w.change(pick.Namespace, pick.Name)
		}
	}
}

// state is a copy of what the server has.
func (w *world) state() map[decode.Key]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.pods)
}

func (w *world) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return fmt.Errorf("the demo's own server refused: %w", w.err)
	}
	return nil
}

// pod is one state of a pod, each different from the one before.
func (w *world) pod(namespace, name string) map[string]any {
	w.serial++
	return map[string]any{
		"metadata": map[string]any{
			"namespace": namespace, "name": name,
			"labels":      map[string]any{"app": name, "tier": namespace},
			"annotations": map[string]any{"demo/serial": fmt.Sprint(w.serial)},
		},
		"spec": map[string]any{
			"nodeName": fmt.Sprintf("node-%d", w.serial%5),
			"containers": []any{map[string]any{
				"name": "main", "image": "registry.example/" + name + ":1",
				"resources": map[string]any{"limits": map[string]any{"cpu": "500m", "memory": "128Mi"}},
			}},
		},
		"status": map[string]any{"phase": "Running", "podIP": fmt.Sprintf("10.0.%d.%d", w.serial/250%250, w.serial%250)},
	}
}
