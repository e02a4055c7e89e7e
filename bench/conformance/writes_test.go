package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// whole is an object to create, in the namespace.
func whole(namespace, name string, more object) rawwatch.Object {
	o := named(name, more)
	o["metadata"].(object)["namespace"] = namespace
	return rawwatch.Object{Raw: encode(o)}
}

func second[T any](_ T, err error) error { return err }

// set is the change of an Edit or a Change.
func set(value any, path ...string) func(rawwatch.Fields) error {
	return func(f rawwatch.Fields) error { return f.Set(value, path...) }
}

// Every write that the library offers, on a server that validates.
func TestWrites(t *testing.T) {
	c, namespace := shared(t)
	client := newClient(t, c.Config(), rawwatch.ClientOptions{UserAgent: "writes-test"})
	w := &writes{T: t, cluster: c, client: client, namespace: namespace}
	t.Run("create, read, update, delete", w.onceAround)
	t.Run("patches and their preconditions", w.patches)
	t.Run("server-side apply", w.applies)
	t.Run("deployment: status, scale, validation, cascade", w.deployment)
	t.Run("what is left of a Secret in errors", w.secret)
	t.Run("custom resource", w.custom)
	t.Run("finalizers and subresources of pods", w.pods)
	t.Run("many writers count in one object", w.count)
	t.Run("a user who may not", w.forbidden)
}

type writes struct {
	*testing.T
	cluster   *realapi.Cluster
	client    *rawwatch.Client
	namespace string
}

func (w *writes) key(name string) decode.Key {
	return decode.Key{Namespace: w.namespace, Name: name}
}

func (w *writes) create(t *testing.T, r rawwatch.Resource, name string, more object) rawwatch.Object {
	t.Helper()
	o, err := w.client.Create(t.Context(), r, whole(w.namespace, name, more), rawwatch.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (w *writes) get(t *testing.T, r rawwatch.Resource, name string) rawwatch.Object {
	t.Helper()
	o, err := w.client.Get(t.Context(), r, w.key(name), rawwatch.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// has checks one field of an object.
func has(t *testing.T, o rawwatch.Object, want any, path ...string) {
	t.Helper()
	_, err := o.Edit(func(f rawwatch.Fields) error {
		if got, _ := f.Value(path...); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", strings.Join(path, "."), got, want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func (w *writes) onceAround(t *testing.T) {
	ctx, none, dry := t.Context(), rawwatch.WriteOptions{}, rawwatch.WriteOptions{DryRun: true}
	if _, err := w.client.Create(ctx, rawwatch.ConfigMaps, whole(w.namespace, "a", nil), dry); err != nil {
		t.Error(err)
	}
	made := w.create(t, rawwatch.ConfigMaps, "a", object{"data": object{"a": "<&>\u2028"}})
	if err := second(w.client.Create(ctx, rawwatch.ConfigMaps, whole(w.namespace, "a", nil), none)); !rawwatch.IsAlreadyExists(err) || rawwatch.IsConflict(err) {
		t.Errorf("created twice: %v", err)
	}
	if err := second(w.client.Create(ctx, rawwatch.ConfigMaps, whole("no-such-namespace", "a", nil), none)); !rawwatch.IsNotFound(err) {
		t.Errorf("without its namespace: %v", err)
	}
	if got := w.get(t, rawwatch.ConfigMaps, "a"); string(got.Raw) != string(made.Raw) {
		t.Errorf("created %s\ngot %s", made.Raw, got.Raw)
	}
	edited, err := made.Edit(set("b", "data", "b"))
	if err != nil {
		t.Fatal(err)
	}
	updated, err := w.client.Update(ctx, rawwatch.ConfigMaps, edited, rawwatch.WriteOptions{FieldManager: "me"})
	if err != nil {
		t.Fatal(err)
	}
	has(t, updated, "<&>\u2028", "data", "a")
	if !strings.Contains(string(updated.Raw), `"manager":"me"`) {
		t.Errorf("no field manager: %s", updated.Raw)
	}
	if err := second(w.client.Update(ctx, rawwatch.ConfigMaps, edited, none)); !rawwatch.IsConflict(err) || rawwatch.MayHaveHappened(err) {
		t.Errorf("stale update: %v", err)
	}
	for name, o := range map[string]rawwatch.DeleteOptions{
		"uid": {UID: "00000000-0000-0000-0000-000000000000"}, "version": {ResourceVersion: made.ResourceVersion},
	} {
		if err := second(w.client.Delete(ctx, rawwatch.ConfigMaps, w.key("a"), o)); !rawwatch.IsConflict(err) {
			t.Errorf("delete of another %s: %v", name, err)
		}
	}
	if err := second(w.client.Delete(ctx, rawwatch.ConfigMaps, w.key("a"), rawwatch.DeleteOptions{DryRun: true})); err != nil {
		t.Error(err)
	}
	gone, err := w.client.Delete(ctx, rawwatch.ConfigMaps, w.key("a"), rawwatch.DeleteOptions{UID: made.UID, ResourceVersion: updated.ResourceVersion})
	if err != nil || !gone.IsStub() || gone.UID != made.UID {
		t.Errorf("deleted %+v, %v", gone, err)
	}
	if err := second(w.client.Get(ctx, rawwatch.ConfigMaps, w.key("a"), rawwatch.GetOptions{})); !rawwatch.IsNotFound(err) {
		t.Errorf("after the deletion: %v", err)
	}
}

func (w *writes) patches(t *testing.T) {
	made := w.create(t, rawwatch.ConfigMaps, "patched", object{"data": object{"a": "1"}})
	patch := func(p rawwatch.Patch) (rawwatch.Object, error) {
		return w.client.Patch(t.Context(), rawwatch.ConfigMaps, w.key("patched"), p, rawwatch.WriteOptions{FieldManager: "me", Force: false})
	}
	for i, p := range []rawwatch.Patch{
		rawwatch.MergePatch([]byte(`{"data":{"a":null,"n":"0"}}`)),
		rawwatch.JSONPatch([]byte(`[{"op":"replace","path":"/data/n","value":"1"}]`)),
		rawwatch.StrategicPatch([]byte(`{"data":{"n":"2"}}`)),
	} {
		if _, err := patch(p.IfVersion("1")); !rawwatch.IsConflict(err) || rawwatch.IsApplyConflict(err) {
			t.Errorf("patch %d to an old version: %v", i, err)
		}
		got, err := patch(p.IfVersion(w.get(t, rawwatch.ConfigMaps, "patched").ResourceVersion))
		if err != nil {
			t.Fatal(err)
		}
		has(t, got, i, "data", "n")
		has(t, got, nil, "data", "a")
	}
	type view struct {
		Metadata struct {
			Labels map[string]string `json:"labels,omitempty"`
		} `json:"metadata"`
	}
	var before, after view
	if err := json.Unmarshal(made.Raw, &before); err != nil {
		t.Fatal(err)
	}
	after.Metadata.Labels = map[string]string{"x.io/y": "z"}
	for name, version := range map[string]string{"old": made.ResourceVersion, "": w.get(t, rawwatch.ConfigMaps, "patched").ResourceVersion} {
		difference, err := rawwatch.DiffPatch(before, after, version)
		if err != nil {
			t.Fatal(err)
		}
		got, err := patch(difference)
		if name == "old" && !rawwatch.IsConflict(err) || name == "" && err != nil {
			t.Errorf("difference from version %s: %v", version, err)
		}
		if err == nil {
			has(t, got, "z", "metadata", "labels", "x.io/y")
			has(t, got, 2, "data", "n")
		}
	}
	if err := second(patch(rawwatch.JSONPatch([]byte(`[{"op":"test","path":"/data/n","value":"9"}]`)))); err == nil || rawwatch.IsConflict(err) || statusCode(err) != 422 {
		t.Errorf("a test that fails: %v", err)
	}
}

// statusCode is the server's own.
func statusCode(err error) int {
	var status *decode.StatusError
	if !errors.As(err, &status) {
		return 0
	}
	return status.Status.Code
}

func (w *writes) applies(t *testing.T) {
	apply := func(manager, data string, o rawwatch.WriteOptions, version string) (rawwatch.Object, error) {
		o.FieldManager = manager
		p := rawwatch.ApplyPatch([]byte(`{"apiVersion":"v1","kind":"ConfigMap","data":` + data + `}`)).IfVersion(version)
		return w.client.Patch(t.Context(), rawwatch.ConfigMaps, w.key("applied"), p, o)
	}
	none := rawwatch.WriteOptions{}
	for _, step := range []struct {
		manager, data string
		force         bool
		a, b          any
		conflict      string
	}{
		{"me", `{"a":"1","b":"1"}`, false, 1, 1, ""},
		{"you", `{"b":"2"}`, false, 1, 1, ".data.b"},
		{"you", `{"b":"2"}`, true, 1, 2, ""},
		{"me", `{}`, false, nil, 2, ""},
	} {
		got, err := apply(step.manager, step.data, rawwatch.WriteOptions{Force: step.force}, "")
		if step.conflict != "" {
			var fields *rawwatch.InvalidError
			if !rawwatch.IsApplyConflict(err) || rawwatch.IsConflict(err) || !errors.As(err, &fields) || fields.Fields[0].Field != step.conflict {
				t.Errorf("%s by %s: %v", step.data, step.manager, err)
			}
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		has(t, got, step.a, "data", "a")
		has(t, got, step.b, "data", "b")
	}
	if _, err := apply("me", `{"c":"1"}`, none, "1"); !rawwatch.IsConflict(err) {
		t.Errorf("to an old version: %v", err)
	}
	yaml := rawwatch.ApplyPatch([]byte("apiVersion: v1\nkind: ConfigMap\ndata:\n  y: \"1\"\n"))
	if _, err := w.client.Patch(t.Context(), rawwatch.ConfigMaps, w.key("applied"), yaml, rawwatch.WriteOptions{FieldManager: "yaml"}); err != nil {
		t.Error(err)
	}
}
