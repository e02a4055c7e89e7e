package watchtest

import (
	"net/url"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		const one = "/api/v1/namespaces/edge/configmaps/c"
		for _, step := range []struct {
			query, body string
			code        int
			want        string // of the data; of the message for refusals
		}{
			{"fieldManager=me", `{"metadata":{"name":"c"},"data":{"a":"1","b":"2"}}`, 201, `"data":{"a":"1","b":"2"}`},
			{"fieldManager=me", `{"metadata":{"name":"c"},"data":{"a":"1","b":"2"}}`, 200, `"data":{"a":"1","b":"2"}`},
			{"fieldManager=you", `{"metadata":{"name":"c"},"data":{"b":"3"}}`, 409, `"reason":"FieldManagerConflict","message":"conflict with \"me\"","field":".data.b"`},
			{"fieldManager=you", `{"metadata":{"name":"c"},"data":{"b":"2","c":"4"}}`, 200, `"data":{"a":"1","b":"2","c":"4"}`},
			{"fieldManager=me", `{"metadata":{"name":"c"},"data":{"b":"2"}}`, 200, `"data":{"b":"2","c":"4"}`},
			{"fieldManager=me", `{"metadata":{"name":"c"},"data":{}}`, 200, `"data":{"b":"2","c":"4"}`},
			{"fieldManager=me&force=true", `{"metadata":{"name":"c"},"data":{"b":"5"}}`, 200, `"data":{"b":"5","c":"4"}`},
			{"fieldManager=you", `{"metadata":{"name":"c"},"data":{}}`, 200, `"data":{"b":"5"}`},
			{"fieldManager=me&dryRun=All", `{"metadata":{"name":"c"},"data":{"b":"6"}}`, 200, `"data":{"b":"6"}`},
			{"fieldManager=me", `{"metadata":{"name":"c","resourceVersion":"1"},"data":{"b":"7"}}`, 409, `the object has been modified`},
			{"fieldManager=me", `{"metadata":{"name":"c"},"data":{"b":"5"}}`, 200, `"data":{"b":"5"}`},
		} {
			code, text := r.ask("PATCH", one+"?"+step.query, step.body, "Content-Type", applyType)
			if code != step.code || !strings.Contains(text, step.want) {
				t.Errorf("%s by %s: %d %s, want %d %s", step.body, step.query, code, text, step.code, step.want)
			}
		}
		if code, text := r.ask("PATCH", one+"?fieldManager=me", `{"data":{}}`, "Content-Type", applyType); code != 400 || !strings.Contains(text, "name must be provided") {
			t.Errorf("without a name: %d %s", code, text)
		}
		before := r.Revision()
		if _, text := r.ask("PATCH", one+"?fieldManager=me", `{"metadata":{"name":"c"},"data":{"b":"5"}}`, "Content-Type", applyType); r.Revision() != before {
			t.Errorf("the same again made a revision: %s", text)
		}
		// The status is applied apart.
		const pod = "/api/v1/namespaces/edge/pods/p"
		if code, text := r.ask("PATCH", pod+"/status?fieldManager=me", `{"metadata":{"name":"p"},"status":{"phase":"Running"}}`, "Content-Type", applyType); code != 404 {
			t.Errorf("status of nothing: %d %s", code, text)
		}
		r.pod("edge", "p")
		if code, text := r.ask("PATCH", pod+"/status?"+url.Values{"fieldManager": {"me"}}.Encode(), `{"metadata":{"name":"p"},"spec":{"x":1},"status":{"phase":"Running"}}`, "Content-Type", applyType); code != 200 || !strings.Contains(text, `"status":{"phase":"Running"}`) || strings.Contains(text, `"spec"`) {
			t.Errorf("status: %d %s", code, text)
		}
	})
}
