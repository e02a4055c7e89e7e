package watchtest

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDiscovery(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		for _, version := range []string{"v1", "v1beta1"} {
			r.Register(Resource{Group: "foo.io", Version: version, Plural: "bars", Kind: "Bar", Singular: "barre", ShortNames: []string{"br"}, Namespaced: true})
		}
		for path, want := range map[string]string{
			"/healthz":         "ok",
			"/livez":           "ok",
			"/readyz":          "ok",
			"/version":         `"gitVersion":"v1.37.2"`,
			"/api":             `{"kind":"APIVersions"`,
			"/api/v1":          `{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["po"]}`,
			"/apis":            `{"name":"foo.io","versions":[{"groupVersion":"foo.io/v1","version":"v1"},{"groupVersion":"foo.io/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"foo.io/v1","version":"v1"}}`,
			"/apis/apps":       `{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]`,
			"/apis/apps/v1":    `"groupVersion":"apps/v1"`,
			"/apis/foo.io/v1/": `{"name":"bars","singularName":"barre","namespaced":true,"kind":"Bar",`,
		} {
			if code, text := r.ask("GET", path, ""); code != 200 || !strings.Contains(text, want) {
				t.Errorf("%s: %d %s", path, code, text)
			}
		}
		for _, path := range []string{"/", "/apis/none.io", "/apis/none.io/v1", "/apis/apps/v2", "/api/v2", "/metrics", "/api/v1/namespaces/edge/"} {
			code, text := r.ask("GET", path, "")
			if want := 404; path == "/api/v1/namespaces/edge/" && !strings.Contains(text, `namespaces \"edge\" not found`) || code != want {
				t.Errorf("%s: %d %s", path, code, text)
			}
		}
		if code, _ := r.ask("POST", "/api", ""); code != 404 {
			t.Errorf("POST /api: %d", code)
		}
	})
}

func TestAggregatedDiscovery(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		for path, want := range map[string]string{"/api": "pods", "/apis": "deployments"} {
			resp := r.do(t.Context(), "GET", path, "", "Accept", aggregatedType+",application/json")
			text, err := readAll(t, resp)
			var list struct {
				Kind  string
				Items []struct {
					Versions []struct {
						Version   string
						Resources []struct {
							Resource, Scope string
							ResponseKind    struct{ Kind string }
						}
					}
				}
			}
			if err != nil || json.Unmarshal([]byte(text), &list) != nil || list.Kind != "APIGroupDiscoveryList" || !strings.Contains(text, `"resource":"`+want+`"`) {
				t.Errorf("%s: %s %v", path, text, err)
			}
			if len(list.Items) != 1 || list.Items[0].Versions[0].Version != "v1" || resp.Header.Get("Content-Type") != aggregatedType {
				t.Errorf("%s: %+v %v", path, list, resp.Header)
			}
		}
	})
}

func TestUnregister(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		bars := Resource{Group: "foo.io", Version: "v1", Plural: "bars", Kind: "Bar", Namespaced: true}
		r.Register(bars)
		r.Register(bars)
		o, err := r.Create(bars, `{"metadata":{"namespace":"edge","name":"x"}}`)
		if err != nil {
			t.Fatal(err)
		}
		w := r.watch(bars.Path(""), since(o))
		r.Unregister(bars)
		r.Unregister(bars)
		w.want("DELETED x")
		w.end()
		if code, text := r.ask("GET", bars.Path(""), ""); code != 404 || text != "404 page not found\n" {
			t.Errorf("%d %s", code, text)
		}
		if code, _ := r.ask("GET", "/apis/foo.io", ""); code != 404 {
			t.Errorf("group: %d", code)
		}
		if n := r.DeleteAll(bars, ""); n != 0 {
			t.Errorf("%d left", n)
		}
	})
}
