package rawwatch_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

func TestEdit(t *testing.T) {
	const text = `{"metadata":{"name":"a","labels":{"x.io/y":"1"}},"n":9223372036854775807,"f":1.50,"s":"<\u2028é>","l":[{"k":null}]}`
	o := rawwatch.Object{Kind: "Lamp", APIVersion: "x.io/v1", Raw: []byte(text)}
	edited, err := o.Edit(func(f rawwatch.Fields) error {
		if v, ok := f.Value("metadata", "labels", "x.io/y"); !ok || v != "1" {
			t.Errorf("label %v %v", v, ok)
		}
		if v, ok := f.Value("n"); !ok || v != json.Number("9223372036854775807") {
			t.Errorf("number %v %v", v, ok)
		}
		if _, ok := f.Value("a", "b", "c"); ok {
			t.Error("what is not there")
		}
		return errors.Join(f.Set(true, "spec", "a", "b"), f.Set("2", "metadata", "labels", "x.io/y"), f.Remove("f"), f.Remove("no", "such"), f.Set("b", "metadata", "name"))
	})
	want := `{"kind":"Lamp","apiVersion":"x.io/v1","metadata":{"name":"b","labels":{"x.io/y":"2"}},"n":9223372036854775807,"s":"<\u2028é>","l":[{"k":null}],"spec":{"a":{"b":true}}}`
	if err != nil || !sameJSON(string(edited.Raw), want) || !strings.Contains(string(edited.Raw), "9223372036854775807") || edited.Name != "b" || edited.Kind != "Lamp" {
		t.Errorf("%s %v", edited.Raw, err)
	}
	if string(o.Raw) != text {
		t.Errorf("the original is now %s", o.Raw)
	}
}

func TestEditRefused(t *testing.T) {
	o := rawwatch.Object{Raw: []byte(`{"metadata":{"name":"a"},"s":"s3cret"}`)}
	mine := errors.New("mine")
	for name, change := range map[string]func(rawwatch.Fields) error{
		"s is not an object":    func(f rawwatch.Fields) error { return f.Set(1, "s", "x") },
		"s is not an object ":   func(f rawwatch.Fields) error { return f.Remove("s", "x") },
		"the path is empty":     func(f rawwatch.Fields) error { return f.Set(1) },
		"mine":                  func(rawwatch.Fields) error { return mine },
		"cannot be encoded":     func(f rawwatch.Fields) error { return f.Set(func() {}, "x") },
		"metadata":              func(f rawwatch.Fields) error { return f.Set(1, "metadata") },
		"is not an object  ":    func(f rawwatch.Fields) error { return f.Set(1, "metadata", "name", "x") },
		"metadata.name is not ": func(f rawwatch.Fields) error { return f.Set(1, "metadata", "name", "x") },
	} {
		if _, err := o.Edit(change); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "{", "[]", "null", `{"a":"s3cret"`, `{} {}`} {
		raw := rawwatch.Object{Raw: []byte(text)}
		if _, err := raw.Edit(func(rawwatch.Fields) error { return nil }); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, o := range []rawwatch.Object{{Identity: decode.Identity{Name: "stub"}}, {Raw: []byte("k8s\x00")}} {
		if _, err := o.Edit(func(rawwatch.Fields) error { return nil }); err == nil {
			t.Errorf("%+v was edited", o)
		}
	}
}
