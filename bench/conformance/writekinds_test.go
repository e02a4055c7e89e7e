package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

func deploymentSpec(replicas int) object {
	labels := object{"app": "web"}
	return object{"spec": object{
		"replicas": replicas, "selector": object{"matchLabels": labels},
		"template": object{"metadata": object{"labels": labels}, "spec": object{"containers": []object{{"name": "c", "image": "i", "env": []object{{"name": "PASSWORD", "value": "s3cret-env"}}}}}},
	}}
}

func (w *writes) deployment(t *testing.T) {
	ctx, none := t.Context(), rawwatch.WriteOptions{}
	made := w.create(t, rawwatch.Deployments, "web", deploymentSpec(1))
	key := w.key("web")

	status, err := w.client.Patch(ctx, rawwatch.Deployments, key, rawwatch.MergePatch([]byte(`{"spec":{"replicas":9},"status":{"observedGeneration":1}}`)), rawwatch.WriteOptions{Subresource: "status"})
	if err != nil {
		t.Fatal(err)
	}
	has(t, status, 1, "spec", "replicas")
	has(t, status, 1, "status", "observedGeneration")

	// The scale is an object of another kind, which is updated as a whole.
	scale, err := w.client.Get(ctx, rawwatch.Deployments, key, rawwatch.GetOptions{Subresource: "scale"})
	if err != nil || scale.Kind != "Scale" {
		t.Fatalf("%+v %v", scale, err)
	}
	if scale, err = scale.Edit(set(3, "spec", "replicas")); err == nil {
		scale, err = w.client.Update(ctx, rawwatch.Deployments, scale, rawwatch.WriteOptions{Subresource: "scale"})
	}
	if err != nil {
		t.Fatal(err)
	}
	has(t, scale, 3, "spec", "replicas")
	if scale, err = w.client.Change(ctx, rawwatch.Deployments, key, set(4, "spec", "replicas"), rawwatch.WriteOptions{Subresource: "scale"}); err != nil {
		t.Error(err)
	}
	has(t, scale, 4, "spec", "replicas")

	// Three fields are wrong; the password in the template is in no error.
	broken, err := w.get(t, rawwatch.Deployments, "web").Edit(func(f rawwatch.Fields) error {
		return errors.Join(f.Set(-71234, "spec", "replicas"), f.Set("s3cret policy", "spec", "strategy", "type"), f.Set("s3cret label", "metadata", "labels", "x"))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = second(w.client.Update(ctx, rawwatch.Deployments, broken, none))
	var invalid *rawwatch.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("%v", err)
	}
	t.Log(err)
	var fields []string
	for _, f := range invalid.Fields {
		fields = append(fields, f.Field+" "+f.Type)
	}
	slices.Sort(fields)
	if got, want := strings.Join(fields, ", "), "metadata.labels FieldValueInvalid, spec.replicas FieldValueInvalid, spec.strategy FieldValueNotSupported"; got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
	withoutSecrets(t, err)

	// What does not decode, and what is not in the schema.
	for text, want := range map[string]string{
		`{"spec":{"replicas":"s3cret"}}`: "replicas", `{"spec":{"replicas":71234.5}}`: "replicas", `{"metadata":{"creationTimestamp":"s3cret"}}`: "time",
	} {
		err := second(w.client.Patch(ctx, rawwatch.Deployments, key, rawwatch.MergePatch([]byte(text)), none))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		t.Log(err)
		withoutSecrets(t, err)
	}
	unknown := rawwatch.MergePatch([]byte(`{"spec":{"colour":"s3cret"}}`))
	err = second(w.client.Patch(ctx, rawwatch.Deployments, key, unknown, rawwatch.WriteOptions{FieldValidation: rawwatch.FieldsStrict}))
	if err == nil || !strings.Contains(err.Error(), `unknown field "spec.colour"`) {
		t.Errorf("strict: %v", err)
	}
	t.Log(err)
	withoutSecrets(t, err)
	var warnings []string
	if err := second(w.client.Patch(ctx, rawwatch.Deployments, key, unknown, rawwatch.WriteOptions{FieldValidation: rawwatch.FieldsWarn, OnWarning: func(text string) { warnings = append(warnings, text) }})); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "spec.colour") {
		t.Errorf("warnings %q, %v", warnings, err)
	}

	// With what it owns, in the foreground: it stays until the garbage
	// collector, which does not run here, has been through.
	gone, err := w.client.Delete(ctx, rawwatch.Deployments, key, rawwatch.DeleteOptions{UID: made.UID, Propagation: rawwatch.PropagationForeground})
	if err != nil || gone.IsStub() || !strings.Contains(string(gone.Raw), `"foregroundDeletion"`) {
		t.Errorf("%s %v", gone.Raw, err)
	}
}

// withoutSecrets checks all errors in the chain.
func withoutSecrets(t *testing.T, err error) {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		text := e.Error()
		if status, ok := e.(*decode.StatusError); ok {
			text += status.Status.Message
			if status.Status.Details != nil {
				for _, cause := range status.Status.Details.Causes {
					text += cause.Message
				}
			}
		}
		if strings.Contains(text, "s3cret") || strings.Contains(text, "71234") {
			t.Errorf("a value is in the error: %s", text)
		}
	}
}

func (w *writes) secret(t *testing.T) {
	ctx := t.Context()
	for name, o := range map[string]object{
		"no base64":    {"data": object{"a": "s3cret!"}},
		"wrong type":   {"type": "kubernetes.io/dockerconfigjson", "stringData": object{".dockerconfigjson": "s3cret"}},
		"bad key":      {"stringData": object{"a b": "s3cret"}},
		"bad label":    {"metadata": object{"name": "s", "labels": object{"x": "s3cret!"}}},
		"not a string": {"stringData": object{"a": object{"s3cret": 1}}},
	} {
		err := second(w.client.Create(ctx, rawwatch.Secrets, whole(w.namespace, "s", o), rawwatch.WriteOptions{}))
		if err == nil || statusCode(err) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v", name, err)
		withoutSecrets(t, err)
	}
}

func (w *writes) custom(t *testing.T) {
	ctx := t.Context()
	lights := rawwatch.Resource{Group: "writes.rawwatch.dev", Version: "v1", Name: "lights", Kind: "Light", Namespaced: true}
	if err := second(w.client.Get(ctx, lights, w.key("x"), rawwatch.GetOptions{})); err == nil || rawwatch.IsNotFound(err) || !strings.Contains(err.Error(), "CustomResourceDefinition") {
		t.Errorf("not installed: %v", err)
	}
	mustWrite(t, w.cluster.Direct(), "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", named("lights."+lights.Group, object{
		"spec": object{
			"group": lights.Group, "scope": "Namespaced", "names": object{"plural": "lights", "singular": "light", "kind": "Light"},
			"versions": []object{{"name": "v1", "served": true, "storage": true, "subresources": object{"status": object{}}, "schema": object{"openAPIV3Schema": object{
				"type": "object", "properties": object{
					"spec": object{"type": "object", "properties": object{
						"password": object{"type": "string", "minLength": 8, "maxLength": 64, "pattern": "^[a-z]+$"}, "level": object{"type": "integer", "maximum": 100},
						"mode": object{"type": "string", "maxLength": 8, "enum": []string{"on", "off"}},
					}, "x-kubernetes-validations": []object{{"rule": "!has(self.mode) || self.mode != 'off' || self.level == 0", "message": "off has no level"}}},
					"status": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
				},
			}}}},
		},
	}))
	eventually(t, "the server serves lights", func(ctx context.Context) error {
		_, err := w.cluster.Direct().Do(ctx, "GET", collection(lights, ""), nil)
		return err
	})
	// No kind in the text: it is filled in.
	w.create(t, lights, "x", object{"spec": object{"level": 5}})
	if _, err := w.client.Patch(ctx, lights, w.key("x"), rawwatch.StrategicPatch([]byte(`{}`)), rawwatch.WriteOptions{}); statusCode(err) != 415 {
		t.Errorf("strategic: %v", err)
	}
	if got, err := w.client.Change(ctx, lights, w.key("x"), set("ok", "status", "health"), rawwatch.WriteOptions{Subresource: "status"}); err != nil {
		t.Error(err)
	} else {
		has(t, got, "ok", "status", "health")
	}
	_, err := w.client.Change(ctx, lights, w.key("x"), func(f rawwatch.Fields) error {
		return errors.Join(f.Set("S3cretS3cret", "spec", "password"), f.Set(71234, "spec", "level"), f.Set("s3cret", "spec", "mode"))
	}, rawwatch.WriteOptions{})
	var invalid *rawwatch.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Fields) < 4 {
		t.Errorf("%v", err)
	}
	t.Log(err)
	for _, part := range []string{"^[a-z]+$", "less than or equal to 100", `"on", "off"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the rule %q is not in %v", part, err)
		}
	}
	if strings.Contains(err.Error(), "S3cret") {
		t.Errorf("a value is in the error: %v", err)
	}
	withoutSecrets(t, err)
	err = second(w.client.Change(ctx, lights, w.key("x"), set("off", "spec", "mode"), rawwatch.WriteOptions{}))
	if !errors.As(err, &invalid) || invalid.Fields[0].Field != "spec" || !strings.Contains(err.Error(), "off has no level") {
		t.Errorf("a rule over two fields: %v", err)
	}
	if gone, err := w.client.Delete(ctx, lights, w.key("x"), rawwatch.DeleteOptions{Propagation: rawwatch.PropagationBackground}); err != nil || !gone.IsStub() {
		t.Errorf("%+v %v", gone, err)
	}
}

func (w *writes) pods(t *testing.T) {
	ctx := t.Context()
	more := object{"spec": object{"nodeName": "n", "containers": []object{{"name": "c", "image": "i"}}}}
	pod := w.create(t, rawwatch.Pods, "p", more)
	if got, err := w.client.Patch(ctx, rawwatch.Pods, w.key("p"), rawwatch.StrategicPatch([]byte(`{"metadata":{"finalizers":["x.io/f"]},"spec":{"containers":[{"name":"c","image":"j"}]}}`)), rawwatch.WriteOptions{}); err != nil {
		t.Error(err)
	} else if !strings.Contains(string(got.Raw), `"image":"j"`) || strings.Contains(string(got.Raw), `"image":"i"`) {
		t.Errorf("%s", got.Raw)
	}
	err := second(w.client.Patch(ctx, rawwatch.Pods, w.key("p"), rawwatch.StrategicPatch([]byte(`{"spec":{"containers":[{"name":"c","env":[{"name":"PASSWORD","value":"s3cret"}]}]}}`)), rawwatch.WriteOptions{}))
	var invalid *rawwatch.InvalidError
	if !errors.As(err, &invalid) {
		t.Errorf("%v", err)
	}
	t.Log(err)
	withoutSecrets(t, err)
	// An eviction is an object that is created below the pod.
	eviction := rawwatch.Object{Raw: []byte(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"` + w.namespace + `","name":"p"}}`)}
	if _, err := w.client.Create(ctx, rawwatch.Pods, eviction, rawwatch.WriteOptions{Subresource: "eviction", DryRun: true}); err != nil {
		t.Error(err)
	}
	gone, err := w.client.Delete(ctx, rawwatch.Pods, w.key("p"), rawwatch.DeleteOptions{UID: pod.UID, GracePeriodSeconds: new(int64(0))})
	if err != nil || gone.IsStub() || !strings.Contains(string(gone.Raw), `"deletionTimestamp"`) {
		t.Errorf("held by a finalizer: %s %v", gone.Raw, err)
	}
	if _, err := w.client.Change(ctx, rawwatch.Pods, w.key("p"), func(f rawwatch.Fields) error { return f.Remove("metadata", "finalizers") }, rawwatch.WriteOptions{}); err != nil {
		t.Error(err)
	}
	if err := second(w.client.Get(ctx, rawwatch.Pods, w.key("p"), rawwatch.GetOptions{})); !rawwatch.IsNotFound(err) {
		t.Errorf("without its finalizer: %v", err)
	}
	token := rawwatch.Object{Identity: decode.Identity{Namespace: w.namespace, Name: "sa"}, Raw: []byte(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":600}}`)}
	w.create(t, rawwatch.ServiceAccounts, "sa", nil)
	if got, err := w.client.Create(ctx, rawwatch.ServiceAccounts, token, rawwatch.WriteOptions{Subresource: "token"}); err != nil || got.Kind != "TokenRequest" {
		t.Errorf("%s %v", got.Kind, err)
	}
}

func (w *writes) count(t *testing.T) {
	const writers, each = 4, 10
	w.create(t, rawwatch.ConfigMaps, "counter", object{"data": object{"n": "0"}})
	var writing sync.WaitGroup
	for range writers {
		writing.Go(func() {
			for range each {
				_, err := w.client.Change(t.Context(), rawwatch.ConfigMaps, w.key("counter"), func(f rawwatch.Fields) error {
					v, _ := f.Value("data", "n")
					var n int
					_, err := fmt.Sscan(v.(string), &n)
					return errors.Join(err, f.Set(fmt.Sprint(n+1), "data", "n"))
				}, rawwatch.WriteOptions{})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	has(t, w.get(t, rawwatch.ConfigMaps, "counter"), writers*each, "data", "n")
}

func (w *writes) forbidden(t *testing.T) {
	client := newClient(t, w.cluster.As(slowly), rawwatch.ClientOptions{})
	ctx := t.Context()
	status := rawwatch.WriteOptions{Subresource: "status"}
	for want, err := range map[string]error{
		"grant the verb get on configmaps in":           second(client.Get(ctx, rawwatch.ConfigMaps, w.key("x"), rawwatch.GetOptions{})),
		"grant the verb create on configmaps in":        second(client.Create(ctx, rawwatch.ConfigMaps, whole(w.namespace, "x", nil), rawwatch.WriteOptions{})),
		"grant the verb patch on pods/status in":        second(client.Patch(ctx, rawwatch.Pods, w.key("x"), rawwatch.MergePatch([]byte(`{}`)), status)),
		"grant the verb delete on deployments.apps in ": second(client.Delete(ctx, rawwatch.Deployments, w.key("x"), rawwatch.DeleteOptions{})),
	} {
		if statusCode(err) != 403 || !strings.Contains(err.Error(), want+" namespace "+w.namespace) && !strings.Contains(err.Error(), want+"namespace "+w.namespace) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
