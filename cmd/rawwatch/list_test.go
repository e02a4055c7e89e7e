package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

func TestList(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "web-0", "web-1")
	createPods(t, server, "jobs", "nightly-0")
	if _, err := server.Create(watchtest.Nodes, `{"metadata":{"name":"node-1"}}`); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args           string
		stdout, stderr string
		code           int
	}{
		{"list pods", "pod/web-0\npod/web-1\n", "", 0},
		{"list po -n jobs", "pod/nightly-0\n", "", 0},
		{"-n jobs list po", "pod/nightly-0\n", "", 0},
		{"list pods -A", "jobs/nightly-0\nshop/web-0\nshop/web-1\n", "", 0},
		{"list pods -A --chunk-size 1", "jobs/nightly-0\nshop/web-0\nshop/web-1\n", "", 0},
		{"list pods -A --chunk-size=0", "jobs/nightly-0\nshop/web-0\nshop/web-1\n", "", 0},
		{"list pods -l app=web-1", "pod/web-1\n", "", 0},
		{"list pods -A --field-selector metadata.namespace=jobs", "jobs/nightly-0\n", "", 0},
		{"list pods/web-0", "pod/web-0\n", "", 0},
		{"list pods web-0", "pod/web-0\n", "", 0},
		{"list nodes", "node/node-1\n", "", 0},
		{"list no -n shop", "node/node-1\n", "", 0},
		{"list pods -n empty", "", "no pods in namespace empty\n", 0},
		{"list pods/web-9", "", "error: there is no pods named web-9 in namespace shop\n", 1},
	} {
		t.Run(test.args, func(t *testing.T) {
			got := invoke(t, append(strings.Fields(test.args), "--kubeconfig", config)...)
			if got.code != test.code || got.stdout != test.stdout || got.stderr != test.stderr {
				t.Errorf("got %+v\nwant %+v", got, test)
			}
		})
	}
}

func TestListJSON(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "web-0", "web-1", "web-2")
	got := invoke(t, "list", "pods", "-o", "json", "--chunk-size", "2", "--kubeconfig", config)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	all := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	if len(all) != 3 {
		t.Fatalf("%d lines, want 3:\n%s", len(all), got.stdout)
	}
	for i, line := range all {
		var pod struct {
			Kind, APIVersion string
			Metadata         struct{ Name string }
			Spec             struct{ NodeName string }
		}
		if err := json.Unmarshal([]byte(line), &pod); err != nil {
			t.Fatalf("%v in line %s", err, line)
		}
		if pod.Kind != "Pod" || pod.APIVersion != "v1" || pod.Metadata.Name != fmt.Sprint("web-", i) || pod.Spec.NodeName != "node-1" {
			t.Errorf("line %d is %s", i, line)
		}
	}
}

func TestListFindsCustomResources(t *testing.T) {
	server, config := startServer(t)
	valves := watchtest.Resource{Group: "edge.example", Version: "v1", Plural: "valves", Kind: "Valve", Singular: "valve", ShortNames: []string{"vlv"}, Namespaced: true}
	server.Register(valves)
	if _, err := server.Create(valves, `{"metadata":{"namespace":"shop","name":"north"}}`); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"valves", "valve", "vlv", "Valve", "valves.edge.example", "valves.v1.edge.example"} {
		got := invoke(t, "list", name, "--kubeconfig", config)
		if got.code != exitOK || got.stdout != "valve.edge.example/north\n" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestListGoesOnAfterABadObject: the others come, the bad one is named, and the
// exit code says that not all is there.
func TestListGoesOnAfterABadObject(t *testing.T) {
	config := foreign(t, 200, "application/json", `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[
		{"metadata":{"namespace":"shop","name":"a","uid":"1","resourceVersion":"1"}},
		{"metadata":{"namespace":"shop","name":"b","uid":2,"resourceVersion":"2"},"data":"planted-token-0123456789"},
		{"metadata":{"namespace":"shop","name":"c","uid":"3","resourceVersion":"3"}}]}`)
	got := invoke(t, "list", "pods", "--kubeconfig", config)
	if got.code != exitFailure || got.stdout != "pod/a\npod/c\n" {
		t.Errorf("%+v", got)
	}
	for _, part := range []string{"shop/b", "uid", "1 of 3 objects"} {
		if !strings.Contains(got.stderr, part) {
			t.Errorf("stderr does not say %q: %s", part, got.stderr)
		}
	}
}
