package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// object is a Kubernetes object to write.
type object = map[string]any

// kind is one kind that the suite writes and watches.
type kind struct {
	resource rawwatch.Resource
	// content makes the fields beside metadata that a create or an update sets.
	content func(*rand.Rand) object
}

var widgets = rawwatch.Resource{Group: "conformance.rawwatch.dev", Version: "v1", Name: "widgets", Kind: "Widget", Namespaced: true}

// kinds are a namespaced built-in, a cluster-scoped built-in and a custom
// resource.
var kinds = []kind{
	{rawwatch.ConfigMaps, func(r *rand.Rand) object {
		return object{"data": object{"value": fmt.Sprint(r.Uint64()), "text": randomText(r)}}
	}},
	{rawwatch.Nodes, func(r *rand.Rand) object {
		return object{"spec": object{"unschedulable": r.IntN(2) == 0, "taints": []object{{"key": "k", "value": fmt.Sprint(r.Uint32()), "effect": "NoSchedule"}}}}
	}},
	{widgets, func(r *rand.Rand) object {
		return object{"spec": object{"size": r.Int64(), "text": randomText(r), "nested": object{"metadata": object{"name": "not mine", "uid": "0"}}}}
	}},
}

// randomText holds what is awkward in JSON.
func randomText(r *rand.Rand) string {
	pieces := []string{"plain", `"quoted"`, `\`, "line\nbreak", "\u2028", "é", "😀", "<&>", `{"type":"ADDED"}`, "\t", "]}"}
	text := ""
	for range r.IntN(8) {
		text += pieces[r.IntN(len(pieces))]
	}
	return text
}

// collection is the path below which objects of one namespace are; all of
// them for "".
func collection(r rawwatch.Resource, namespace string) string {
	root := "/api/v1"
	if r.Group != "" {
		root = "/apis/" + r.Group + "/" + r.Version
	}
	if namespace != "" && r.Namespaced {
		root += "/namespaces/" + namespace
	}
	return root + "/" + r.Name
}

func gvr(r rawwatch.Resource) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Name}
}

// serverState is the server's own list.
func serverState(ctx context.Context, d *realapi.Direct, q rawwatch.Query) (State, error) {
	path := collection(q.Resource, q.Namespace) + "?labelSelector=" + url.QueryEscape(q.LabelSelector)
	body, err := d.Do(ctx, "GET", path, nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		APIVersion, Kind string
		Items            []object
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	var raw struct{ Items []json.RawMessage }
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, err
	}
	state := State{}
	for _, item := range raw.Items {
		key, canonical, err := typed(item, list.APIVersion, q.Resource.Kind)
		if err != nil {
			return nil, err
		}
		state[key] = canonical
	}
	return state, nil
}

// typed fills in what items of a list lack.
func typed(item []byte, apiVersion, kind string) (key, canonical string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(item, &fields); err != nil {
		return "", "", err
	}
	fields["apiVersion"], _ = json.Marshal(apiVersion)
	fields["kind"], _ = json.Marshal(kind)
	var meta decode.Identity
	if err := json.Unmarshal(fields["metadata"], &meta); err != nil {
		return "", "", err
	}
	whole, err := json.Marshal(fields)
	if err != nil {
		return "", "", err
	}
	canonical, err = Canonical(whole)
	return meta.Key().String(), canonical, err
}

// mustWrite writes one object and returns its identity.
func mustWrite(t *testing.T, d *realapi.Direct, method, path string, o object) decode.Identity {
	t.Helper()
	var body []byte
	if o != nil {
		var err error
		if body, err = json.Marshal(o); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := d.Do(t.Context(), method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	var written struct{ Metadata decode.Identity }
	if err := json.Unmarshal(answer, &written); err != nil {
		t.Fatal(err)
	}
	return written.Metadata
}

func named(name string, more object) object {
	o := object{"metadata": object{"name": name}}
	for field, value := range more {
		o[field] = value
	}
	return o
}

// installWidgets creates the custom resource definition and waits until the
// server serves it.
func installWidgets(t *testing.T, d *realapi.Direct) {
	t.Helper()
	definition := named("widgets."+widgets.Group, object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"spec": object{
			"group": widgets.Group, "scope": "Namespaced",
			"names": object{"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": []string{"wd"}},
			"versions": []object{{
				"name": "v1", "served": true, "storage": true,
				"schema": object{"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	})
	mustWrite(t, d, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
	eventually(t, "the server serves widgets", func(ctx context.Context) error {
		_, err := d.Do(ctx, "GET", collection(widgets, ""), nil)
		return err
	})
}

// patience bounds every wait for something that is to come. It is long, since
// a loaded machine is slow and a backoff may have grown; nothing waits for it
// when all is well.
const patience = 3 * time.Minute

// eventually asks every 100 ms until the answer is nil.
func eventually(t *testing.T, what string, ask func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ask(ctx)
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, err)
		}
	}
}
