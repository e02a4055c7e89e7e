package conformance

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// TestEveryListInEveryForm: of every resource that the server lists, protobuf
// turned into JSON is the server's own JSON, object for object; metadata-only
// holds the same objects; and a Table has a row for each.
func TestEveryListInEveryForm(t *testing.T) {
	c, namespace := shared(t)
	client := newClient(t, c.Config(), rawwatch.ClientOptions{})
	mustWrite(t, c.Direct(), "POST", collection(rawwatch.Pods, namespace), named("p", object{"spec": object{
		"nodeName": "n", "containers": []object{{"name": "c", "image": "i", "resources": object{"requests": object{"cpu": "250m", "memory": "1.5Gi"}}}},
	}}))
	mustWrite(t, c.Direct(), "POST", collection(rawwatch.Deployments, namespace), named("d", object{"spec": object{
		"selector": object{"matchLabels": object{"a": "b"}},
		"template": object{"metadata": object{"labels": object{"a": "b"}}, "spec": object{"containers": []object{{"name": "c", "image": "i"}}}},
	}}))
	mustWrite(t, c.Direct(), "POST", collection(rawwatch.Secrets, namespace), named("s", object{"data": object{"k": "AP8Q"}}))
	mustWrite(t, c.Direct(), "POST", collection(rawwatch.Services, namespace), named("v", object{"spec": object{"ports": []object{{"port": 80}}}}))
	resources := listable(t, c)
	filled := 0
	for _, r := range resources {
		if stable := compareForms(t, client, r); stable > 0 {
			filled++
		}
	}
	t.Logf("%d resources, %d of them with objects", len(resources), filled)
	if len(resources) < 50 || filled < 15 {
		t.Errorf("%d resources, %d with objects: the discovery is not read", len(resources), filled)
	}
}

// listable are all resources that the server lists, custom ones included.
func listable(t *testing.T, c *realapi.Cluster) (all []rawwatch.Resource) {
	t.Helper()
	roots := []string{"/api/v1"}
	var groups struct {
		Groups []struct {
			Versions []struct{ GroupVersion string }
		}
	}
	document(t, c, "/apis", &groups)
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			roots = append(roots, "/apis/"+v.GroupVersion)
		}
	}
	for _, root := range roots {
		var found struct {
			Resources []struct {
				Name, Kind string
				Namespaced bool
				Verbs      []string
			}
		}
		document(t, c, root, &found)
		for _, f := range found.Resources {
			if strings.Contains(f.Name, "/") || !slices.Contains(f.Verbs, "list") {
				continue
			}
			r := rawwatch.Resource{Version: "v1", Name: f.Name, Kind: f.Kind, Namespaced: f.Namespaced}
			if group, version, ok := strings.Cut(strings.TrimPrefix(root, "/apis/"), "/"); ok && root != "/api/v1" {
				r.Group, r.Version = group, version
			}
			all = append(all, r)
		}
	}
	return all
}

func document(t *testing.T, c *realapi.Cluster, path string, into any) {
	t.Helper()
	body, err := c.Direct().Do(t.Context(), "GET", path, nil)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// compareForms compares the objects that have the same version in all lists;
// others change between two requests. It returns how many these were.
func compareForms(t *testing.T, client *rawwatch.Client, r rawwatch.Resource) (stable int) {
	t.Helper()
	text := formOf(t, client, r, rawwatch.ListOptions{Encoding: rawwatch.EncodingJSON})
	wire := formOf(t, client, r, rawwatch.ListOptions{Encoding: rawwatch.EncodingProtobuf})
	partial := formOf(t, client, r, rawwatch.ListOptions{MetadataOnly: true})
	rows := map[decode.Identity]bool{}
	for e, err := range client.ListTable(t.Context(), r.Query(), rawwatch.ListOptions{}) {
		if err != nil {
			t.Errorf("%s as a Table: %v", r, err)
			break
		}
		if len(e.Row.Cells) == 0 || e.Row.Cells[0] != e.Object.Name {
			t.Errorf("%s: row %q of %s", r, e.Row.Cells, e.Object.Key())
		}
		rows[e.Object.Identity] = true
	}
	for id, want := range text {
		got, there := wire[id]
		meta, known := partial[id]
		if !there || !known || !rows[id] {
			continue
		}
		stable++
		if got != want {
			t.Errorf("%s %s:\nprotobuf %s\nJSON     %s", r, id.Key(), got, want)
		}
		if !reflect.DeepEqual(metadataOf(t, meta), metadataOf(t, want)) {
			t.Errorf("%s %s: metadata only: %s\nwhole: %s", r, id.Key(), meta, want)
		}
	}
	if len(text) > 0 && stable == 0 {
		t.Errorf("%s: none of %d objects is the same in all lists", r, len(text))
	}
	return stable
}

func formOf(t *testing.T, client *rawwatch.Client, r rawwatch.Resource, o rawwatch.ListOptions) map[decode.Identity]string {
	t.Helper()
	all := map[decode.Identity]string{}
	for object, err := range client.List(t.Context(), r.Query(), o) {
		if err != nil {
			t.Errorf("%s: %v", r, err)
			return all
		}
		line, err := object.JSON()
		if err != nil {
			t.Errorf("%s %s: %v", r, object.Key(), err)
			continue
		}
		canonical, err := Canonical(line)
		if err != nil {
			t.Errorf("%s %s: %v", r, object.Key(), err)
			continue
		}
		if object.Kind != r.Kind {
			t.Errorf("%s %s calls itself %s", r, object.Key(), object.Kind)
		}
		all[object.Identity] = canonical
	}
	return all
}

func metadataOf(t *testing.T, object string) (metadata map[string]any) {
	t.Helper()
	var o struct {
		Metadata map[string]any `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		t.Error(err)
	}
	return o.Metadata
}

// TestTypedAgainstTheServer: one T, both encodings, the same values.
func TestTypedAgainstTheServer(t *testing.T) {
	type anything struct {
		APIVersion string          `json:"apiVersion"`
		Kind       string          `json:"kind"`
		Metadata   decode.Identity `json:"metadata"`
		Spec       struct {
			NodeName  string                     `json:"nodeName"`
			Replicas  *int32                     `json:"replicas"`
			Overhead  map[string]decode.Quantity `json:"overhead"`
			ClusterIP string                     `json:"clusterIP"`
		} `json:"spec"`
	}
	c, namespace := shared(t)
	client := newClient(t, c.Config(), rawwatch.ClientOptions{})
	mustWrite(t, c.Direct(), "POST", collection(rawwatch.Services, namespace), named("v", object{"spec": object{"ports": []object{{"port": 80}}}}))
	one := func(e rawwatch.Encoding) (got map[string]any) {
		type service struct {
			APIVersion string          `json:"apiVersion"`
			Kind       string          `json:"kind"`
			Metadata   decode.Identity `json:"metadata"`
			Spec       struct {
				ClusterIP string `json:"clusterIP"`
				Ports     []struct {
					Port       int32              `json:"port"`
					TargetPort decode.IntOrString `json:"targetPort"`
				} `json:"ports"`
			} `json:"spec"`
		}
		got = map[string]any{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := rawwatch.NewReflector(client, rawwatch.Services.InNamespace(namespace), rawwatch.ListWatchOptions{Encoding: e})
		for ev, err := range rawwatch.EventsAs[service](ctx, r) {
			if err != nil || ev.Err != nil {
				t.Fatal(err, ev.Err)
			}
			if ev.Type == rawwatch.Synced {
				break
			}
			got[ev.Object.Key().String()] = ev.Value
		}
		if want := e != rawwatch.EncodingJSON; (r.Status().Encoding == decode.Protobuf) != want {
			t.Errorf("encoding %v", r.Status().Encoding)
		}
		return got
	}
	wire, text := one(rawwatch.EncodingAutomatic), one(rawwatch.EncodingJSON)
	if len(wire) != 1 || !reflect.DeepEqual(wire, text) {
		t.Errorf("protobuf: %+v\nJSON: %+v", wire, text)
	}
	var asked []anything
	for v, err := range rawwatch.ListAs[anything](t.Context(), client, rawwatch.Services.InNamespace(namespace), rawwatch.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, v)
	}
	// spec.nodeName is no field of a Service: read as JSON, not silently zero.
	if len(asked) != 1 || asked[0].Spec.ClusterIP == "" || asked[0].Kind != "Service" {
		t.Errorf("got %+v", asked)
	}
}
