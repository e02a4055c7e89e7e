package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// writer makes random changes. What the server refuses (there already, gone,
// in conflict, restarting) is as good as what it accepts.
type writer struct {
	id      int
	random  *rand.Rand
	direct  *realapi.Direct
	history *History
}

// names per kind and namespace: few, so that objects are deleted and created
// again under the same name, and writers meet.
const names = 25

var namespaces = []string{"default", "elsewhere"}

// write makes n changes. A failure without an answer means that the server is
// down: then the writer waits until up says otherwise.
func (w *writer) write(ctx context.Context, n int, up func(context.Context) error) error {
	for range n {
		method, path, body := w.change()
		err := w.once(ctx, method, path, body)
		w.history.note("write", fmt.Sprintf("%d: %s %s: %v", w.id, method, path, err))
		if err == nil || realapi.Code(err) != 0 {
			continue
		}
		if err := up(ctx); err != nil {
			return err
		}
	}
	return nil
}

// writePatience is how long an API server whose store is down may think about
// a write. What became of it then nobody knows, which is as good as any end.
const writePatience = 5 * time.Second

func (w *writer) once(ctx context.Context, method, path string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writePatience)
	defer cancel()
	_, err := w.direct.Do(ctx, method, path, body)
	return err
}

// change draws one change.
func (w *writer) change() (method, path string, body []byte) {
	k := kinds[w.random.IntN(len(kinds))]
	path = collection(k.resource, namespaces[w.random.IntN(len(namespaces))])
	name := fmt.Sprintf("n%d", w.random.IntN(names))
	meta := object{"labels": object{"color": [...]any{"red", "blue", nil}[w.random.IntN(3)]}}
	switch p := w.random.IntN(10); {
	case p < 4: // change everything
		content := k.content(w.random)
		content["metadata"] = meta
		return "PATCH", path + "/" + name, encode(content)
	case p < 5: // change labels alone
		return "PATCH", path + "/" + name, encode(object{"metadata": meta})
	case p < 7:
		return "DELETE", path + "/" + name, nil
	}
	content := k.content(w.random)
	meta["name"] = name
	content["metadata"] = meta
	content["apiVersion"], content["kind"] = apiVersion(k), k.resource.Kind
	if color := meta["labels"].(object); color["color"] == nil {
		delete(color, "color")
	}
	return "POST", path, encode(content)
}

func apiVersion(k kind) string {
	if k.resource.Group == "" {
		return k.resource.Version
	}
	return k.resource.Group + "/" + k.resource.Version
}

func encode(o object) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // maps of strings and numbers always marshal
	}
	return text
}
