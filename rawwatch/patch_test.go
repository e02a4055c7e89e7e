package rawwatch_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestPatches: each kind goes out under its content type, and changes what it
// says, with and without a precondition.
func TestPatches(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.createLamp(`{"a":"1"}`)
		for _, c := range []struct {
			patch       rawwatch.Patch
			contentType string
			want        string
		}{
			{rawwatch.MergePatch([]byte(`{"data":{"a":null,"b":"2"}}`)), "application/merge-patch+json", `"data":{"b":"2"}`},
			{rawwatch.JSONPatch([]byte(`[{"op":"add","path":"/data/c","value":"3"}]`)), "application/json-patch+json", `"data":{"b":"2","c":"3"}`},
			{rawwatch.StrategicPatch([]byte(`{"data":{"c":"4"}}`)), "application/strategic-merge-patch+json", `"data":{"b":"2","c":"4"}`},
			{rawwatch.ApplyPatch([]byte(`{"data":{"d":"5"}}`)), "application/apply-patch+yaml", `"data":{"b":"2","c":"4","d":"5"}`},
		} {
			o := rawwatch.WriteOptions{}
			if strings.Contains(c.contentType, "apply") {
				o.FieldManager = "me"
			}
			if _, err := w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, c.patch.IfVersion("1"), o); !rawwatch.IsConflict(err) || rawwatch.IsApplyConflict(err) {
				w.Errorf("%s with an old version: %v", c.contentType, err)
			}
			now, err := w.client.Get(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.GetOptions{})
			if err != nil {
				w.Fatal(err)
			}
			got, err := w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, c.patch.IfVersion(now.ResourceVersion), o)
			if err != nil || !strings.Contains(string(got.Raw), c.want) {
				w.Errorf("%s: %s %v, want %s", c.contentType, got.Raw, err, c.want)
			}
			all := w.requests("patch")
			if kind := all[len(all)-1].Header.Get("Content-Type"); kind != c.contentType {
				w.Errorf("content type %s, want %s", kind, c.contentType)
			}
		}
	})
}

// TestApplyConflict: fields of another manager, by name, and taken by force.
func TestApplyConflict(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		apply := func(manager, value string, force bool) error {
			patch := rawwatch.ApplyPatch([]byte(`{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"` + value + `"}}`))
			return second(w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, patch, rawwatch.WriteOptions{FieldManager: manager, Force: force}))
		}
		if err := apply("me", "1", false); err != nil { // also creates
			w.Fatal(err)
		}
		err := apply("you", "s3cret", false)
		var invalid *rawwatch.InvalidError
		if !rawwatch.IsApplyConflict(err) || rawwatch.IsConflict(err) || !errors.As(err, &invalid) || len(invalid.Fields) != 1 || invalid.Fields[0].Field != ".data.a" {
			w.Errorf("%v", err)
		}
		for _, part := range []string{`conflict with "me"`, ".data.a", "FieldManagerConflict"} {
			if !strings.Contains(err.Error(), part) {
				w.Errorf("%v does not say %s", err, part)
			}
		}
		if err := apply("you", "2", true); err != nil {
			w.Error(err)
		}
		w.lampHas(`"data":{"a":"2"}`)
	})
}

// lampView is what a program sees of a config map that has more fields.
type lampView struct {
	Metadata struct {
		decode.Identity
		Labels map[string]string `json:"labels,omitempty"`
	} `json:"metadata"`
	Data struct {
		Light string   `json:"light,omitempty"`
		Level int      `json:"level"`
		Tags  []string `json:"tags,omitempty"`
		Bulbs []struct {
			Watt int `json:"watt"`
		} `json:"bulbs,omitempty"`
		Room *struct {
			Name string `json:"name"`
		} `json:"room,omitempty"`
	} `json:"data"`
}

// TestDiffPatch: what a struct does not name is never lost.
func TestDiffPatch(t *testing.T) {
	const data = `{"light":"off","level":1,"colour":"red","n":9007199254740993,"bulbs":[{"watt":5,"id":"x"}],"room":{"name":"hall","floor":2}}`
	for name, c := range map[string]struct {
		change func(*lampView)
		want   string // of the data afterwards; "" where there is no patch
	}{
		"nothing": {func(*lampView) {}, data},
		"values": {func(v *lampView) { v.Data.Light, v.Data.Level = "on", 0 },
			`{"light":"on","level":0,"colour":"red","n":9007199254740993,"bulbs":[{"watt":5,"id":"x"}],"room":{"name":"hall","floor":2}}`},
		"left out": {func(v *lampView) { v.Data.Light = "" },
			`{"level":1,"colour":"red","n":9007199254740993,"bulbs":[{"watt":5,"id":"x"}],"room":{"name":"hall","floor":2}}`},
		"inside": {func(v *lampView) {
			v.Data.Room = &struct {
				Name string `json:"name"`
			}{"attic"}
		},
			`{"light":"off","level":1,"colour":"red","n":9007199254740993,"bulbs":[{"watt":5,"id":"x"}],"room":{"name":"attic","floor":2}}`},
		"removed": {func(v *lampView) { v.Data.Room, v.Data.Bulbs = nil, nil },
			`{"light":"off","level":1,"colour":"red","n":9007199254740993}`},
		"plain list": {func(v *lampView) { v.Data.Tags = []string{"a<b"} },
			`{"light":"off","level":1,"colour":"red","n":9007199254740993,"bulbs":[{"watt":5,"id":"x"}],"room":{"name":"hall","floor":2},"tags":["a<b"]}`},
		"list of objects": {func(v *lampView) { v.Data.Bulbs[0].Watt = 7 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				made := w.createLamp(data)
				var before, after lampView
				for _, v := range []*lampView{&before, &after} {
					if err := json.Unmarshal(made.Raw, v); err != nil {
						w.Fatal(err)
					}
				}
				c.change(&after)
				patch, err := rawwatch.DiffPatch(before, after, before.Metadata.ResourceVersion)
				var field *rawwatch.FieldError
				if c.want == "" {
					if !errors.As(err, &field) || field.Path != "data.bulbs" {
						w.Errorf("%v", err)
					}
					return
				}
				if err != nil {
					w.Fatal(err)
				}
				got, err := w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, patch, rawwatch.WriteOptions{})
				var result struct{ Data json.RawMessage }
				if err != nil || json.Unmarshal(got.Raw, &result) != nil || !sameJSON(string(result.Data), c.want) {
					w.Errorf("%s %v\nwant %s", got.Raw, err, c.want)
				}
				w.touch(watchtest.ConfigMaps, lamp.Namespace, lamp.Name, "by another")
				if _, err := w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, patch, rawwatch.WriteOptions{}); !rawwatch.IsConflict(err) {
					w.Errorf("a difference from an old version: %v", err)
				}
			})
		})
	}
	if _, err := rawwatch.DiffPatch(lampView{}, lampView{}, ""); err == nil {
		t.Error("a difference without a version")
	}
	if _, err := rawwatch.DiffPatch(1, 2, "1"); err == nil {
		t.Error("numbers are no objects")
	}
}
