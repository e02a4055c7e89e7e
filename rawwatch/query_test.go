package rawwatch

import (
	"errors"
	"testing"
)

func TestQueryPathAndSelectors(t *testing.T) {
	for _, c := range []struct {
		name   string
		query  Query
		path   string
		params string
	}{
		{"core, all namespaces", Pods.AllNamespaces(), "api/v1/pods", ""},
		{"core, one namespace", Pods.InNamespace("edge"), "api/v1/namespaces/edge/pods", ""},
		{"cluster-scoped", Nodes.Query(), "api/v1/nodes", ""},
		{"group", Deployments.InNamespace("a"), "apis/apps/v1/namespaces/a/deployments", ""},
		{"field selector", Pods.WithField("spec.nodeName=n1"), "api/v1/pods", "fieldSelector=spec.nodeName%3Dn1"},
		{"two field selectors", Pods.WithField("a=b").WithField("c=d"), "api/v1/pods", "fieldSelector=a%3Db%2Cc%3Dd"},
		{"one object", ConfigMaps.InNamespace("a").Named("x"), "api/v1/namespaces/a/configmaps", "fieldSelector=metadata.name%3Dx"},
		{"one object and a field", Pods.Named("x").WithField("a=b"), "api/v1/pods", "fieldSelector=metadata.name%3Dx%2Ca%3Db"},
		{"labels", Pods.WithLabel("app in (a,b)").WithLabel("!c"), "api/v1/pods", "labelSelector=app+in+%28a%2Cb%29%2C%21c"},
		{"namespace lifted", Pods.InNamespace("a").AllNamespaces(), "api/v1/pods", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.query.Validate(); err != nil {
				t.Fatal(err)
			}
			if got := c.query.path(); got != c.path {
				t.Errorf("path %q, want %q", got, c.path)
			}
			if got := c.query.selectors().Encode(); got != c.params {
				t.Errorf("parameters %q, want %q", got, c.params)
			}
		})
	}
}

func TestQueryThatCannotBeSent(t *testing.T) {
	for _, c := range []struct {
		name  string
		query Query
		field string
	}{
		{"zero", Query{}, "Resource.Version"},
		{"no plural", Resource{Version: "v1"}.Query(), "Resource.Name"},
		{"slash in the name", Resource{Version: "v1", Name: "pods/log"}.Query(), "Resource.Name"},
		{"path traversal", Resource{Version: "..", Name: "pods"}.Query(), "Resource.Version"},
		{"group with a question mark", Resource{Group: "a?b", Version: "v1", Name: "x"}.Query(), "Resource.Group"},
		{"namespace of a cluster-scoped resource", Nodes.InNamespace("a"), "Namespace"},
		{"namespace with a slash", Pods.InNamespace("a/b"), "Namespace"},
		{"namespace that leads up", Pods.InNamespace(".."), "Namespace"},
		{"name that is a selector", Pods.Named("a,b=c"), "ObjectName"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.query.Validate()
			var wrong *QueryError
			if !errors.As(err, &wrong) || wrong.Field != c.field {
				t.Fatalf("got %v, want a QueryError about %s", err, c.field)
			}
		})
	}
}
