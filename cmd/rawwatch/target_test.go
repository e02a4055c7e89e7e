package main

import (
	"errors"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/rawwatch"
)

func TestArguments(t *testing.T) {
	for _, test := range []struct {
		args           []string
		resource, name string
		wrong          bool
	}{
		{args: []string{"pods"}, resource: "pods"},
		{args: []string{"deployments.v1.apps"}, resource: "deployments.v1.apps"},
		{args: []string{"pods/web-0"}, resource: "pods", name: "web-0"},
		{args: []string{"pods", "web-0"}, resource: "pods", name: "web-0"},
		{args: nil, wrong: true},
		{args: []string{"pods/"}, wrong: true},
		{args: []string{"/web-0"}, wrong: true},
		{args: []string{""}, wrong: true},
		{args: []string{"pods/web-0", "web-1"}, wrong: true},
		{args: []string{"pods", "web-0", "web-1"}, wrong: true},
		{args: []string{"pods,services"}, wrong: true},
	} {
		var s selection
		err := s.args(&cobra.Command{Use: "list"}, test.args)
		var usage *usageError
		if errors.As(err, &usage) != test.wrong {
			t.Errorf("%q: error %v, want a usage error: %v", test.args, err, test.wrong)
		}
		if !test.wrong && (s.resource != test.resource || s.name != test.name) {
			t.Errorf("%q: got %q %q, want %q %q", test.args, s.resource, s.name, test.resource, test.name)
		}
	}
}

func TestWellKnownNames(t *testing.T) {
	for name, want := range map[string]rawwatch.Resource{
		"pods": rawwatch.Pods, "pod": rawwatch.Pods, "po": rawwatch.Pods,
		"deploy": rawwatch.Deployments, "deployments.apps": rawwatch.Deployments, "deployments.v1.apps": rawwatch.Deployments,
		"no": rawwatch.Nodes, "svc": rawwatch.Services, "endpoints": rawwatch.Endpoints, "jobs.batch": rawwatch.Jobs,
	} {
		if got := wellKnown[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if r, ok := wellKnown["deployments.v1beta1.apps"]; ok {
		t.Errorf("an unknown version must be asked for, not taken for %v", r)
	}
}

func TestNamespaceOfQuery(t *testing.T) {
	for _, test := range []struct {
		resource, namespace string
		all                 bool
		want                string
	}{
		{"pods", "", false, "default"},
		{"pods", "edge", false, "edge"},
		{"pods", "edge", true, ""},
		{"nodes", "edge", false, ""},
	} {
		s := selection{resource: test.resource, allNamespaces: test.all}
		q, err := s.query(t.Context(), nil, test.namespace)
		if err != nil {
			t.Fatal(err)
		}
		if q.Namespace != test.want {
			t.Errorf("%+v: namespace %q", test, q.Namespace)
		}
	}
}
