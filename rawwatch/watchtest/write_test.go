package watchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// metaOf reads the metadata of an object.
func metaOf(t *testing.T, raw string) map[string]any {
	t.Helper()
	var o struct{ Metadata map[string]any }
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return o.Metadata
}

func TestWriteOverHTTP(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		const one = "/apis/apps/v1/namespaces/edge/deployments/web"
		code, created := r.ask("POST", "/apis/apps/v1/namespaces/edge/deployments", `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web"},"spec":{"replicas":9007199254740993}}`)
		if code != 201 || !strings.Contains(created, `"replicas":9007199254740993`) {
			t.Fatalf("create: %d %s", code, created)
		}
		meta := metaOf(t, created)
		if meta["namespace"] != "edge" || meta["generation"] != 1.0 || meta["creationTimestamp"] != "2000-01-01T00:00:00Z" || len(meta["uid"].(string)) != 36 {
			t.Errorf("created: %v", meta)
		}
		code, scaled := r.ask("PUT", one, strings.Replace(created, "9007199254740993", "2", 1))
		if m := metaOf(t, scaled); code != 200 || m["generation"] != 2.0 || m["uid"] != meta["uid"] {
			t.Errorf("update: %d %s", code, scaled)
		}
		if code, text := r.ask("PUT", one, created); code != 409 || !strings.Contains(text, "the object has been modified") {
			t.Errorf("stale update: %d %s", code, text)
		}
		before := r.Revision()
		if code, text := r.ask("PUT", one, scaled); code != 200 || r.Revision() != before || text != scaled {
			t.Errorf("an update without a change made revision %d of %d: %s", r.Revision(), before, text)
		}
		code, patched := r.ask("PATCH", one+"/status", `{"spec":{"replicas":7},"status":{"ready":1}}`, "Content-Type", "application/merge-patch+json")
		if code != 200 || !strings.HasSuffix(patched, `"spec":{"replicas":2},"status":{"ready":1}}`+"\n") || metaOf(t, patched)["generation"] != 2.0 {
			t.Errorf("status patch: %d %s", code, patched)
		}
		if code, text := r.ask("DELETE", one, ""); code != 200 || !strings.Contains(text, `"status":"Success","details":{"name":"web","group":"apps","kind":"deployments"`) {
			t.Errorf("delete: %d %s", code, text)
		}
		if code, _ := r.ask("GET", one, ""); code != 404 {
			t.Errorf("deleted: %d", code)
		}
	})
}

func TestWriteRefused(t *testing.T) {
	bubble(t, Options{BodyLimit: 400}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		const all, one = "/api/v1/namespaces/edge/pods", "/api/v1/namespaces/edge/pods/a"
		const merge = "application/merge-patch+json"
		for _, c := range []struct{ method, path, body, kind, want string }{
			{"POST", all, podText("edge", "a"), "", "409 AlreadyExists"},
			{"POST", all, podText("other", "b"), "", "400 BadRequest"},
			{"POST", all, `{`, "", "400 BadRequest"},
			{"POST", all, `[]`, "", "400 BadRequest"},
			{"POST", all, `{"kind":"Node"}`, "", "400 BadRequest"},
			{"POST", all, `{"apiVersion":"v2"}`, "", "400 BadRequest"},
			{"POST", all, `{}`, "", "422 Invalid"},
			{"POST", all, `{"metadata":{"name":"A_b"}}`, "", "422 Invalid"},
			{"POST", all, `{"metadata":{"name":"b","labels":{"a":1}}}`, "", "400 BadRequest"},
			{"POST", all, `{"metadata":{"name":"b","resourceVersion":"1"}}`, "", "500 "},
			{"POST", all, podText("edge", "b", strings.Repeat(" ", 400)), "", "413 RequestEntityTooLarge"},
			{"POST", all, podText("edge", "b"), "text/plain", "415 UnsupportedMediaType"},
			{"POST", pods, podText("edge", "b"), "", "405 MethodNotAllowed"},
			{"POST", one, podText("edge", "a"), "", "405 MethodNotAllowed"},
			{"PUT", all, podText("edge", "a"), "", "405 MethodNotAllowed"},
			{"PUT", one, podText("edge", "b"), "", "400 BadRequest"},
			{"PUT", one + "x", podText("edge", "ax"), "", "404 NotFound"},
			{"PUT", one, `{"metadata":{"name":"a","uid":"1"}}`, "", "409 Conflict"},
			{"PATCH", one, `{"metadata":{"resourceVersion":"1"},"x":1}`, merge, "409 Conflict"},
			{"PATCH", one, `{"metadata":{"name":"b"}}`, merge, "400 BadRequest"},
			{"PATCH", one, `{`, merge, "400 BadRequest"},
			{"PATCH", one, `{}`, "application/apply-patch+yaml", "422 Invalid"},
			{"PATCH", one + "?fieldManager=m", `a: b`, "application/apply-patch+yaml", "400 BadRequest"},
			{"PATCH", one + "?fieldManager=m", `{"metadata":{"managedFields":[]}}`, "application/apply-patch+yaml", "400 BadRequest"},
			{"PATCH", one, `{"$patch":"delete"}`, "application/strategic-merge-patch+json", "400 BadRequest"},
			{"PATCH", one, `[{"op":"test","path":"/metadata/name","value":"b"}]`, "application/json-patch+json", "422 Invalid"},
			{"DELETE", one, `{"preconditions":{"uid":"1"}}`, "", "409 Conflict"},
			{"DELETE", one, `{"preconditions":{"resourceVersion":"1"}}`, "", "409 Conflict"},
			{"DELETE", one, `{`, "", "400 BadRequest"},
			{"DELETE", one + "x", ``, "", "404 NotFound"},
			{"GET", one + "x", ``, "", "404 NotFound"},
			{"GET", one + "/log", ``, "", "404 NotFound"},
			{"GET", "/api/v1/namespaces/edge/nodes", ``, "", "404 NotFound"},
			{"GET", "/api/v1/gadgets", ``, "", "404 NotFound"},
			{"OPTIONS", all, ``, "", "405 MethodNotAllowed"},
		} {
			kind := c.kind
			if kind == "" {
				kind = "application/json"
			}
			code, text := r.ask(c.method, c.path, c.body, "Content-Type", kind)
			var status struct{ Kind, Reason string }
			if err := json.Unmarshal([]byte(text), &status); err != nil || status.Kind != "Status" {
				t.Errorf("%s %s: no Status: %s", c.method, c.path, text)
			}
			if got := fmt.Sprint(code, " ", status.Reason); got != c.want {
				t.Errorf("%s %s %s: %s, want %s: %s", c.method, c.path, c.body, got, c.want, text)
			}
		}
		if code, text := r.ask("GET", "/apis/foo.io/v1/bars", ""); code != 404 || text != "404 page not found\n" {
			t.Errorf("unknown group: %d %q", code, text)
		}
		if r.Revision() != firstRevision+1 {
			t.Errorf("a refused write made a revision")
		}
	})
}

func TestWriteByGoCalls(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		node, err := r.Create(Nodes, map[string]any{"metadata": map[string]any{"generateName": "node-"}})
		if err != nil || node.Namespace != "" || !strings.HasPrefix(node.Name, "node-") || len(node.Name) != 10 {
			t.Fatalf("%+v %v", node, err)
		}
		again, err := r.Update(Nodes, node)
		if err != nil || again.ResourceVersion != node.ResourceVersion {
			t.Errorf("nothing to change: %+v %v", again, err)
		}
		if got, err := r.Get(Nodes, "", node.Name); err != nil || string(got.JSON) != string(node.JSON) {
			t.Errorf("%s %v", got.JSON, err)
		}
		var status *StatusError
		if _, err := r.Create(Nodes, node); !errors.As(err, &status) || status.Code != 500 {
			t.Errorf("create with a version: %v", err)
		}
		if _, err := r.Create(Resource{Plural: "gadgets", Version: "v1"}, `{}`); !errors.As(err, &status) || status.Code != 404 {
			t.Errorf("not registered: %v", err)
		}
		if _, err := r.Create(Pods, podText("", "a")); !errors.As(err, &status) || status.Code != 400 {
			t.Errorf("without namespace: %v", err)
		}
		if _, err := r.Create(Pods, func() {}); !errors.As(err, &status) || status.Code != 400 {
			t.Errorf("no JSON: %v", err)
		}
		if gone, err := r.Delete(Nodes, "", node.Name); err != nil || gone.UID != node.UID {
			t.Errorf("%+v %v", gone, err)
		}
	})
}

func TestDeleteCollection(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		five(r)
		r.pod("other", "a")
		w := r.watch(pods, "&resourceVersion="+fmt.Sprint(r.Revision()))
		code, text := r.ask("DELETE", "/api/v1/namespaces/edge/pods?fieldSelector=metadata.name!%3Dc", "")
		if code != 200 || !strings.HasPrefix(text, `{"kind":"PodList"`) {
			t.Errorf("%d %s", code, text)
		}
		w.want("DELETED a", "DELETED b", "DELETED d", "DELETED e")
		if n := r.DeleteAll(Pods, ""); n != 2 {
			t.Errorf("%d left", n)
		}
		w.want("DELETED c", "DELETED a")
		w.close()
	})
}
