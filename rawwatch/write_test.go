package rawwatch_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

var lamp = decode.Key{Namespace: "edge", Name: "lamp"}

func lampWith(data string) rawwatch.Object {
	return rawwatch.Object{Raw: []byte(`{"metadata":{"namespace":"edge","name":"lamp"},"data":` + data + `}`)}
}

// createLamp makes the config map that most tests write to.
func (w *world) createLamp(data string) rawwatch.Object {
	w.Helper()
	o, err := w.client.Create(w.Context(), rawwatch.ConfigMaps, lampWith(data), rawwatch.WriteOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return o
}

// lampHas checks what the server has.
func (w *world) lampHas(want string) {
	w.Helper()
	o, err := w.server.Get(watchtest.ConfigMaps, lamp.Namespace, lamp.Name)
	if err != nil || !strings.Contains(string(o.JSON), want) {
		w.Errorf("%s %v, want %s", o.JSON, err, want)
	}
}

// TestObjectOnceAround: made, read, changed, deleted.
func TestObjectOnceAround(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		ctx, none := w.Context(), rawwatch.WriteOptions{}
		made := w.createLamp(`{"n":9007199254740993,"a":"<&>"}`)
		if made.Key() != lamp || made.UID == "" || made.Kind != "ConfigMap" || made.APIVersion != "v1" {
			w.Errorf("created %+v", made)
		}
		if _, err := w.client.Create(ctx, rawwatch.ConfigMaps, lampWith(`{}`), none); !rawwatch.IsAlreadyExists(err) || rawwatch.IsConflict(err) || rawwatch.IsNotFound(err) || rawwatch.MayHaveHappened(err) {
			w.Errorf("created twice: %v", err)
		}
		got, err := w.client.Get(ctx, rawwatch.ConfigMaps, lamp, rawwatch.GetOptions{})
		if err != nil || string(got.Raw) != string(made.Raw) || got.Identity != made.Identity {
			w.Errorf("got %s, %v", got.Raw, err)
		}
		on, err := got.Edit(func(f rawwatch.Fields) error { return f.Set("on", "data", "light") })
		if err != nil {
			w.Fatal(err)
		}
		updated, err := w.client.Update(ctx, rawwatch.ConfigMaps, on, none)
		if err != nil || updated.ResourceVersion == made.ResourceVersion || !strings.Contains(string(updated.Raw), `"data":{"a":"<&>","light":"on","n":9007199254740993}`) {
			w.Errorf("updated %s, %v", updated.Raw, err)
		}
		if _, err := w.client.Update(ctx, rawwatch.ConfigMaps, on, none); !rawwatch.IsConflict(err) || rawwatch.IsAlreadyExists(err) || rawwatch.IsApplyConflict(err) || rawwatch.MayHaveHappened(err) {
			w.Errorf("stale update: %v", err)
		}
		gone, err := w.client.Delete(ctx, rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{})
		if err != nil || !gone.IsStub() || gone.UID != made.UID || gone.Key() != lamp || gone.Kind != "ConfigMap" {
			w.Errorf("deleted %+v, %v", gone, err)
		}
		for verb, err := range map[string]error{
			"get":    second(w.client.Get(ctx, rawwatch.ConfigMaps, lamp, rawwatch.GetOptions{})),
			"update": second(w.client.Update(ctx, rawwatch.ConfigMaps, updated, none)),
			"patch":  second(w.client.Patch(ctx, rawwatch.ConfigMaps, lamp, rawwatch.MergePatch([]byte(`{}`)), none)),
			"delete": second(w.client.Delete(ctx, rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{})),
		} {
			var failed *rawwatch.RequestError
			if !rawwatch.IsNotFound(err) || !errors.As(err, &failed) || failed.Verb != verb || failed.Name != "lamp" || failed.Namespace != "edge" {
				w.Errorf("%s of what is gone: %v", verb, err)
			}
			if strings.Contains(err.Error(), "CustomResourceDefinition") {
				w.Errorf("%s: the resource is served: %v", verb, err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

// TestClusterScoped: nodes have no namespace; a pod that is deleted comes back
// as it stands.
func TestClusterScoped(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		ctx := w.Context()
		node, err := w.client.Create(ctx, rawwatch.Nodes, rawwatch.Object{Raw: []byte(`{"metadata":{"generateName":"n-"}}`)}, rawwatch.WriteOptions{})
		if err != nil || !strings.HasPrefix(node.Name, "n-") {
			w.Fatalf("%+v %v", node, err)
		}
		if _, err := w.client.Patch(ctx, rawwatch.Nodes, node.Key(), rawwatch.MergePatch([]byte(`{"status":{"x":1},"spec":{"x":1}}`)), rawwatch.WriteOptions{Subresource: "status"}); err != nil {
			w.Error(err)
		}
		got, err := w.client.Get(ctx, rawwatch.Nodes, node.Key(), rawwatch.GetOptions{Subresource: "status", ResourceVersion: "0"})
		if err != nil || !strings.Contains(string(got.Raw), `"status":{"x":1}`) || strings.Contains(string(got.Raw), `"spec"`) {
			w.Errorf("%s %v", got.Raw, err)
		}
		w.create(pods, "edge", "a")
		pod, err := w.client.Delete(ctx, rawwatch.Pods, decode.Key{Namespace: "edge", Name: "a"}, rawwatch.DeleteOptions{GracePeriodSeconds: new(int64(0)), Propagation: rawwatch.PropagationForeground})
		if err != nil || pod.IsStub() || pod.Name != "a" {
			w.Errorf("%+v %v", pod, err)
		}
	})
}

// TestWholeObjectsOnly: an update with a part of an object is not sent.
func TestWholeObjectsOnly(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		made := w.createLamp(`{"a":"s3cret"}`)
		w.server.ClearJournal()
		var projected struct {
			Metadata decode.Identity   `json:"metadata"`
			Data     map[string]string `json:"data"`
		}
		if err := json.Unmarshal(made.Raw, &projected); err != nil {
			w.Fatal(err)
		}
		part, err := json.Marshal(projected)
		if err != nil {
			w.Fatal(err)
		}
		for name, o := range map[string]rawwatch.Object{
			"creationTimestamp": {Raw: part},
			"metadata only":     {Raw: []byte(strings.Replace(string(made.Raw), `"ConfigMap"`, `"PartialObjectMetadata"`, 1))},
			"resourceVersion":   {Raw: []byte(strings.Replace(string(made.Raw), `"resourceVersion"`, `"x"`, 1))},
			"stub":              {Identity: made.Identity},
			"not JSON":          {Raw: []byte("k8s\x00...")},
			"no object":         {Raw: []byte(`{"a":"s3cret"`)},
			"Raw says":          {Identity: decode.Identity{Name: "other"}, Raw: made.Raw},
			"metadata that are": {Raw: []byte(`{"metadata":{"name":"lamp","namespace":"edge","creationTimestamp":["s3cret"]}}`)},
		} {
			var refused *rawwatch.NotSentError
			_, err := w.client.Update(w.Context(), rawwatch.ConfigMaps, o, rawwatch.WriteOptions{})
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "s3cret") || rawwatch.MayHaveHappened(err) {
				w.Errorf("%s: %v", name, err)
			}
		}
		if n := len(w.server.Journal()); n != 0 {
			w.Errorf("%d requests were sent", n)
		}
	})
}

// TestUnsendable: what is no name or no option never leaves, whatever the verb.
func TestUnsendable(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		ctx, get := w.Context(), rawwatch.GetOptions{}
		key := func(namespace, name string) decode.Key { return decode.Key{Namespace: namespace, Name: name} }
		merge := rawwatch.MergePatch([]byte(`{}`))
		apply := rawwatch.ApplyPatch([]byte(`{}`))
		patch := func(p rawwatch.Patch, o rawwatch.WriteOptions) error {
			return second(w.client.Patch(ctx, rawwatch.ConfigMaps, lamp, p, o))
		}
		remove := func(o rawwatch.DeleteOptions) error {
			return second(w.client.Delete(ctx, rawwatch.ConfigMaps, lamp, o))
		}
		for name, err := range map[string]error{
			"key.Name is empty":      second(w.client.Get(ctx, rawwatch.ConfigMaps, key("n", ""), get)),
			"key.Name has":           second(w.client.Get(ctx, rawwatch.ConfigMaps, key("n", "../secrets/x"), get)),
			"key.Name has char":      second(w.client.Delete(ctx, rawwatch.ConfigMaps, key("n", ".."), rawwatch.DeleteOptions{})),
			"key.Name has chara":     second(w.client.Patch(ctx, rawwatch.ConfigMaps, key("n", "a?dryRun=All"), merge, rawwatch.WriteOptions{})),
			"key.Name has charac":    second(w.client.Get(ctx, rawwatch.ConfigMaps, key("n", "a\x00"), get)),
			"key.Namespace is empty": second(w.client.Get(ctx, rawwatch.ConfigMaps, key("", "a"), get)),
			"key.Namespace has":      second(w.client.Get(ctx, rawwatch.ConfigMaps, key("a/b", "a"), get)),
			"key.Namespace is set":   second(w.client.Get(ctx, rawwatch.Nodes, key("n", "a"), get)),
			"Subresource has":        second(w.client.Get(ctx, rawwatch.Pods, key("n", "a"), rawwatch.GetOptions{Subresource: "proxy/x"})),
			"FieldValidation":        patch(merge, rawwatch.WriteOptions{FieldValidation: "strict"}),
			"Limit is negative":      patch(merge, rawwatch.WriteOptions{Limit: -1}),
			"more than the 1":        patch(merge, rawwatch.WriteOptions{Limit: 1}),
			"FieldManager is longer": patch(merge, rawwatch.WriteOptions{FieldManager: strings.Repeat("a", 129)}),
			"FieldManager is empty":  patch(apply, rawwatch.WriteOptions{}),
			"Force is set":           patch(merge, rawwatch.WriteOptions{Force: true}),
			"the patch is empty":     patch(rawwatch.Patch{}, rawwatch.WriteOptions{}),
			"is not a JSON object":   patch(rawwatch.StrategicPatch([]byte(`a: b`)), rawwatch.WriteOptions{}),
			"not a JSON list":        patch(rawwatch.JSONPatch([]byte(`{}`)), rawwatch.WriteOptions{}),
			"cannot be completed":    patch(rawwatch.ApplyPatch([]byte(`a: b`)).IfVersion("1"), rawwatch.WriteOptions{FieldManager: "me"}),
			"GracePeriodSeconds":     remove(rawwatch.DeleteOptions{GracePeriodSeconds: new(int64(-1))}),
			"Propagation":            remove(rawwatch.DeleteOptions{Propagation: "background"}),
		} {
			var refused *rawwatch.NotSentError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), name) {
				w.Errorf("%s: %v", name, err)
			}
		}
		var query *rawwatch.QueryError
		if _, err := w.client.Get(ctx, rawwatch.Resource{Version: "v1", Name: "a/b"}, lamp, get); !errors.As(err, &query) {
			w.Errorf("resource: %v", err)
		}
		if n := len(w.server.Journal()); n != 0 {
			w.Errorf("%d requests were sent", n)
		}
		// A colon is no trouble: the names of RBAC have them.
		roles := rawwatch.Resource{Group: "rbac.authorization.k8s.io", Version: "v1", Name: "clusterroles", Kind: "ClusterRole"}
		w.server.Register(watchtest.Resource{Group: roles.Group, Version: "v1", Plural: roles.Name, Kind: roles.Kind})
		if _, err := w.client.Get(ctx, roles, key("", "system:node"), get); !rawwatch.IsNotFound(err) {
			w.Errorf("with a colon: %v", err)
		}
	})
}

// TestDryRuns: nothing is kept.
func TestDryRuns(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		ctx, dry := w.Context(), rawwatch.WriteOptions{DryRun: true, FieldManager: "me", FieldValidation: rawwatch.FieldsStrict}
		o, err := w.client.Create(ctx, rawwatch.ConfigMaps, lampWith(`{}`), dry)
		if err != nil || o.Name != "lamp" {
			w.Errorf("%+v %v", o, err)
		}
		made := w.createLamp(`{"a":"1"}`)
		if _, err := w.client.Patch(ctx, rawwatch.ConfigMaps, lamp, rawwatch.MergePatch([]byte(`{"data":{"a":"2"}}`)), dry); err != nil {
			w.Error(err)
		}
		if _, err := w.client.Delete(ctx, rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{DryRun: true}); err != nil {
			w.Error(err)
		}
		w.lampHas(`"resourceVersion":"` + made.ResourceVersion + `"`)
		for _, r := range w.requests("create")[:1] {
			if q := r.Query; q.Get("dryRun") != "All" || q.Get("fieldManager") != "me" || q.Get("fieldValidation") != "Strict" {
				w.Errorf("parameters %v", q)
			}
		}
	})
}

// TestWriteWithRotatedToken: the body of a write that met a 401 is sent again
// with the renewed credential.
func TestWriteWithRotatedToken(t *testing.T) {
	withTokenFile(t, func(w *world, file string) {
		w.createLamp(`{"a":"1"}`)
		w.server.Inject(watchtest.Fault{Verb: "patch", Count: -1, Match: func(*http.Request) bool {
			writeToken(w.T, file, "second-s3cret")
			return false
		}})
		w.server.SetToken("second-s3cret", "agent")
		w.server.RevokeToken("first-s3cret")
		if _, err := w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.MergePatch([]byte(`{"data":{"a":"2"}}`)), rawwatch.WriteOptions{}); err != nil {
			w.Fatal(err)
		}
		w.lampHas(`"a":"2"`)
		all := w.requests("patch")
		if len(all) != 2 || all[0].Code != 401 || all[1].Code != 200 {
			w.Errorf("requests: %+v", all)
		}
	})
}

// TestWriteClosed: a closed client sends nothing.
func TestWriteClosed(t *testing.T) {
	client, err := rawwatch.NewClient(&kubeconfig.Config{Server: "https://k.example"}, rawwatch.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	for verb, err := range map[string]error{
		"get":    second(client.Get(t.Context(), rawwatch.ConfigMaps, lamp, rawwatch.GetOptions{})),
		"create": second(client.Create(t.Context(), rawwatch.ConfigMaps, lampWith(`{}`), rawwatch.WriteOptions{})),
		"delete": second(client.Delete(t.Context(), rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{UID: "1"})),
	} {
		if !errors.Is(err, rawwatch.ErrClosed) || rawwatch.MayHaveHappened(err) {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

// TestWriteTransports: over HTTP/2 and HTTP/1.1, writes share a connection;
// what is too large for the server is its refusal, not a broken connection.
func TestWriteTransports(t *testing.T) {
	for name, mode := range map[string]watchtest.Mode{"HTTP/2": watchtest.Memory, "HTTP/1.1": watchtest.MemoryPlain} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{Mode: mode, BodyLimit: 64 << 10}, func(w *world) {
				w.createLamp(`{"a":"1"}`)
				for range 3 {
					_, err := w.client.Change(w.Context(), rawwatch.ConfigMaps, lamp, func(f rawwatch.Fields) error { return f.Set(strings.Repeat("x", 50_000), "data", "a") }, rawwatch.WriteOptions{})
					if err != nil {
						w.Error(err)
					}
				}
				if _, err := w.client.Delete(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{}); err != nil {
					w.Error(err)
				}
				for _, r := range w.server.Journal() {
					if r.Connection != 1 {
						w.Errorf("%s on connection %d", r.Verb, r.Connection)
					}
				}
				_, err := w.client.Create(w.Context(), rawwatch.ConfigMaps, lampWith(`{"a":"`+strings.Repeat("x", 1<<20)+`"}`), rawwatch.WriteOptions{})
				var failed *rawwatch.RequestError
				if !errors.As(err, &failed) || failed.Code != 413 || rawwatch.MayHaveHappened(err) {
					w.Errorf("too large: %v", err)
				}
			})
		})
	}
}
