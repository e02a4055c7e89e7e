package watchtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestFieldSelectors(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		bars := Resource{Group: "foo.io", Version: "v1", Plural: "bars", Kind: "Bar", Namespaced: true, Fields: []string{".spec.color"}}
		bars.Fields = []string{"spec.color", "spec.deep.er.x"}
		r.Register(bars)
		for _, text := range []string{
			podText("edge", "a", `,"spec":{"nodeName":"n1","hostNetwork":true},"status":{"phase":"Running"}`),
			podText("edge", "b", `,"spec":{"nodeName":"n2","restartPolicy":"Ne\u0076er"}`),
			podText("other", "c", `,"spec":"odd","status":{"phase":"Running"}`),
		} {
			if _, err := r.Create(Pods, text); err != nil {
				t.Fatal(err)
			}
		}
		r.Create(bars, `{"metadata":{"namespace":"edge","name":"x"},"spec":{"color":"a,b=c\\","deep":{"er":{"x":7}}}}`)
		r.Create(Secrets, `{"metadata":{"namespace":"edge","name":"s"},"type":"Opaque"}`)
		for _, c := range []struct{ path, selector, want string }{
			{pods, "spec.nodeName=n1", "a"},
			{pods, "spec.nodeName==n1", "a"},
			{pods, "spec.nodeName!=n1", "b c"},
			{pods, "spec.nodeName=", "c"},
			{pods, "status.phase=Running,metadata.namespace=edge", "a"},
			{pods, "metadata.name=b", "b"},
			{pods, "spec.restartPolicy=Never", "b"},
			{pods, "spec.hostNetwork=true", "a"},
			{pods, "metadata.name=a,metadata.name=b", ""},
			{pods, "spec.image=x", "400 field label not supported: spec.image"},
			{pods, "spec.nodeName", "400 invalid selector: 'spec.nodeName'; can't understand 'spec.nodeName'"},
			{pods, "a!b", "400 invalid selector: 'a!b'; can't understand 'a!b'"},
			{"/api/v1/configmaps", "data.x=1", `400 "data.x" is not a known field selector: only "metadata.name", "metadata.namespace"`},
			{"/api/v1/nodes", "metadata.namespace=x", "400 field label not supported: metadata.namespace"},
			{"/api/v1/secrets", "type=Opaque", "s"},
			{bars.Path(""), `spec.color=a\,b\=c\\`, "x"},
			{bars.Path(""), `spec.deep.er.x=7`, "x"},
			{bars.Path(""), `spec.deep.er.x!=7`, ""},
			{bars.Path(""), "spec.size=1", "400 field label not supported: spec.size"},
		} {
			l := r.list(c.path, "fieldSelector", c.selector)
			got := l.names()
			if l.Code != 0 {
				got = fmt.Sprint(l.Code, " ", l.Message)
			}
			if got != c.want {
				t.Errorf("%s %q: %s, want %s", c.path, c.selector, got, c.want)
			}
		}
	})
}

func TestSelectorTransitions(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		for _, selector := range []string{"labelSelector=on", "fieldSelector=spec.nodeName%3Dn1"} {
			w := r.watch(pods, "&resourceVersion="+fmt.Sprint(r.Revision())+"&"+selector)
			for _, patch := range []string{
				`{"metadata":{"labels":{"on":""}},"spec":{"nodeName":"n1"},"x":1}`, // comes
				`{"x":2}`, // changes
				`{"metadata":{"labels":{"on":null}},"spec":{"nodeName":"n2"},"x":3}`, // goes
				`{"x":4}`, // unseen
				`{"metadata":{"labels":{"on":""}},"spec":{"nodeName":"n1"}}`, // comes back
				`{"metadata":{"labels":{"on":null}},"spec":{"nodeName":"n2"}}`,
			} {
				if _, err := r.Patch(Pods, "edge", "a", patch); err != nil {
					t.Fatal(err)
				}
			}
			w.want("ADDED a", "MODIFIED a")
			gone := w.next()
			if gone.String() != "DELETED a" || !strings.Contains(gone.raw, `"x":2`) || gone.Object.Metadata.ResourceVersion != fmt.Sprint(r.Revision()-3) {
				t.Errorf("%s: goes with its last selected content and the new version: %s", selector, gone.raw)
			}
			w.want("ADDED a", "DELETED a")
			w.close()
		}
	})
}

func TestWatchOfOneNamespace(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		first := r.pod("edge", "a")
		w := r.watch("/api/v1/namespaces/edge/pods", since(first)+"&fieldSelector="+url.QueryEscape("metadata.name=b"))
		r.pod("other", "b")
		r.pod("edge", "c")
		r.pod("edge", "b")
		if f := w.next(); f.String() != "ADDED b" || f.Object.Metadata.Namespace != "edge" {
			t.Errorf("%s", f.raw)
		}
		w.close()
	})
}
