package watchtest

import (
	"strings"
	"testing"
)

// rest is what follows the metadata of an object.
func restOf(o Object) string {
	_, rest, _ := strings.Cut(string(o.JSON), `"uid":`)
	_, rest, _ = strings.Cut(rest, "},")
	return strings.TrimSuffix(rest, "}")
}

// The cases of RFC 7396, appendix A, as far as they concern objects.
func TestMergePatch(t *testing.T) {
	for _, c := range []struct{ have, patch, want string }{
		{`"a":"b"`, `"a":"c"`, `"a":"c"`},
		{`"a":"b"`, `"b":"c"`, `"a":"b","b":"c"`},
		{`"a":"b","b":"c"`, `"a":null`, `"b":"c"`},
		{`"a":["b"]`, `"a":"c"`, `"a":"c"`},
		{`"a":"c"`, `"a":["b"]`, `"a":["b"]`},
		{`"a":{"b":"c"}`, `"a":{"b":"d","c":null}`, `"a":{"b":"d"}`},
		{`"a":[{"b":"c"}]`, `"a":[1]`, `"a":[1]`},
		{`"e":null`, `"a":1`, `"a":1,"e":null`},
		{`"e":1`, `"a":{"bb":{"ccc":null}}`, `"a":{"bb":{}},"e":1`},
		{`"n":9007199254740993`, `"a": { "b" : [ 1, 2 ] }`, `"a":{"b":[1,2]},"n":9007199254740993`},
	} {
		s := NewServer(Options{Mode: MemoryPlain})
		if _, err := s.Create(Pods, podText("edge", "a", ",", c.have)); err != nil {
			t.Fatal(err)
		}
		o, err := s.Patch(Pods, "edge", "a", "{"+c.patch+"}")
		if err != nil || restOf(o) != c.want {
			t.Errorf("{%s} patched by {%s}: %s %v, want %s", c.have, c.patch, o.JSON, err, c.want)
		}
		s.Close()
	}
}

func TestPatchLabels(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		w := r.watch(pods, "&resourceVersion=80401&labelSelector=app%3Ddb")
		for _, label := range []string{`"db"`, `null`} {
			if _, err := r.Patch(Pods, "edge", "a", `{"metadata":{"labels":{"app":`+label+`}}}`); err != nil {
				t.Fatal(err)
			}
		}
		w.want("ADDED a", "DELETED a")
		w.close()
	})
}

// The operations of RFC 6902.
func TestJSONPatch(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		for _, c := range []struct{ have, patch, want string }{
			{`"a":1`, `[{"op":"add","path":"/b","value":{"c":[]}}]`, `"a":1,"b":{"c":[]}`},
			{`"a":[1,3]`, `[{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}]`, `"a":[1,2,3,4]`},
			{`"a":[1,2]`, `[{"op":"remove","path":"/a/0"}]`, `"a":[2]`},
			{`"a":{"x/y":1,"m~n":2}`, `[{"op":"remove","path":"/a/x~1y"},{"op":"replace","path":"/a/m~0n","value":3}]`, `"a":{"m~n":3}`},
			{`"a":{"b":1}`, `[{"op":"move","from":"/a/b","path":"/c"}]`, `"a":{},"c":1`},
			{`"a":{"b":[1]}`, `[{"op":"copy","from":"/a","path":"/c"},{"op":"replace","path":"/a/b/0","value":2}]`, `"a":{"b":[2]},"c":{"b":[1]}`},
			{`"a":[{"b":1}]`, `[{"op":"test","path":"/a/0/b","value":1},{"op":"replace","path":"/a/0/b","value":9007199254740993}]`, `"a":[{"b":9007199254740993}]`},
			{`"a":1`, `[{"op":"remove","path":"/b"}]`, ""},
			{`"a":1`, `[{"op":"add","path":"/b/c","value":1}]`, ""},
			{`"a":[1]`, `[{"op":"replace","path":"/a/1","value":1}]`, ""},
			{`"a":[1]`, `[{"op":"add","path":"/a/3","value":1}]`, ""},
			{`"a":1`, `[{"op":"test","path":"/a","value":2}]`, ""},
			{`"a":1`, `[{"op":"dance","path":"/a"}]`, ""},
			{`"a":1`, `[{"op":"move","from":"/b","path":"/a"}]`, ""},
			{`"a":1`, `[{"op":"replace","path":"","value":1}]`, ""},
			{`"a":1`, `{}`, ""},
		} {
			r.pod("edge", "a", ",", c.have)
			code, text := r.ask("PATCH", "/api/v1/namespaces/edge/pods/a", c.patch, "Content-Type", "application/json-patch+json")
			got := restOf(Object{JSON: []byte(strings.TrimSpace(text))})
			if c.want == "" && code < 400 || c.want != "" && (code != 200 || got != c.want) {
				t.Errorf("{%s} patched by %s: %d %s", c.have, c.patch, code, text)
			}
			r.Delete(Pods, "edge", "a")
		}
	})
}
