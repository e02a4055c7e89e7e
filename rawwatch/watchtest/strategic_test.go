package watchtest

import (
	"strings"
	"testing"
)

func TestStrategicPatch(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		const kind = "application/strategic-merge-patch+json"
		for _, c := range []struct{ have, patch, want string }{
			{`"a":{"b":1,"c":2}`, `{"a":{"b":null,"d":3}}`, `"a":{"c":2,"d":3}`},
			{`"l":[{"name":"x","v":1,"w":9007199254740993},{"name":"y"}]`, `{"l":[{"name":"x","v":2},{"name":"z"}]}`,
				`"l":[{"name":"x","v":2,"w":9007199254740993},{"name":"y"},{"name":"z"}]`},
			{`"l":[1,2]`, `{"l":[3]}`, `"l":[3]`},
			{`"l":[{"name":"x"}]`, `{"l":[{"key":"y"}]}`, `"l":[{"key":"y"}]`},
		} {
			r.pod("edge", "a", ",", c.have)
			code, text := r.ask("PATCH", "/api/v1/namespaces/edge/pods/a", c.patch, "Content-Type", kind)
			if got := restOf(Object{JSON: []byte(strings.TrimSpace(text))}); code != 200 || got != c.want {
				t.Errorf("{%s} patched by %s: %d %s", c.have, c.patch, code, text)
			}
			r.Delete(Pods, "edge", "a")
		}
		// Custom resources have no such patch.
		widgets := Resource{Group: "x.io", Version: "v1", Plural: "widgets", Kind: "Widget", Namespaced: true}
		r.Register(widgets)
		if _, err := r.Create(widgets, podText("edge", "w")); err != nil {
			t.Fatal(err)
		}
		if code, text := r.ask("PATCH", "/apis/x.io/v1/namespaces/edge/widgets/w", `{}`, "Content-Type", kind); code != 415 {
			t.Errorf("custom resource: %d %s", code, text)
		}
	})
}

// A dry run answers as the write would, and keeps nothing.
func TestDryRun(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		before := r.Revision()
		const all, one, dry = "/api/v1/namespaces/edge/pods", "/api/v1/namespaces/edge/pods/a", "?dryRun=All"
		const merge = "application/merge-patch+json"
		for _, c := range []struct {
			method, path, body, kind string
			code                     int
			want                     string
		}{
			{"POST", all + dry, podText("edge", "b"), "application/json", 201, `"name":"b"`},
			{"POST", all + dry, podText("edge", "a"), "application/json", 409, "AlreadyExists"},
			{"PUT", one + dry, podText("edge", "a", `,"x":1`), "application/json", 200, `"x":1`},
			{"PUT", one + "/status" + dry, podText("edge", "a", `,"status":{"x":1}`), "application/json", 200, `"status":{"x":1}`},
			{"PATCH", one + dry, `{"x":1}`, merge, 200, `"x":1`},
			{"PATCH", one + "/status" + dry, `{"status":{"x":1}}`, merge, 200, `"status":{"x":1}`},
			{"DELETE", one, `{"dryRun":["All"]}`, "application/json", 200, `"name":"a"`},
			{"DELETE", one + dry, ``, "application/json", 200, `"name":"a"`},
			{"DELETE", all + dry, ``, "application/json", 200, `"name":"a"`},
		} {
			code, text := r.ask(c.method, c.path, c.body, "Content-Type", c.kind)
			if code != c.code || !strings.Contains(text, c.want) {
				t.Errorf("%s %s: %d %s", c.method, c.path, code, text)
			}
		}
		if r.Revision() != before {
			t.Errorf("a dry run made a revision")
		}
		if o, err := r.Get(Pods, "edge", "a"); err != nil || strings.Contains(string(o.JSON), `"x"`) {
			t.Errorf("%s %v", o.JSON, err)
		}
	})
}
