package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestListWide: the server's columns, all of them, aligned as kubectl does;
// with -A the namespace stands before them.
func TestListWide(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a", "a-much-longer-name")
	createPods(t, server, "jobs", "nightly")
	one := invoke(t, "list", "pods", "-n", "shop", "-o", "wide", "--kubeconfig", config)
	lines := strings.Split(strings.TrimSuffix(one.stdout, "\n"), "\n")
	if one.code != exitOK || len(lines) != 3 || !regexp.MustCompile(`^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE `).MatchString(lines[0]) {
		t.Fatalf("exit code %d, stderr %q:\n%s", one.code, one.stderr, one.stdout)
	}
	at := strings.Index(lines[0], "NODE ")
	for i, name := range []string{"a", "a-much-longer-name"} {
		if !strings.HasPrefix(lines[i+1], name+" ") || !strings.HasPrefix(lines[i+1][at:], "node-1") {
			t.Errorf("not aligned:\n%s", one.stdout)
		}
	}
	all := invoke(t, "list", "pods", "-A", "-o", "wide", "--kubeconfig", config)
	if !regexp.MustCompile(`(?m)^NAMESPACE +NAME .*\njobs +nightly `).MatchString(all.stdout) || strings.Count(all.stdout, "\n") != 4 {
		t.Errorf("exit code %d:\n%s", all.code, all.stdout)
	}
	none := invoke(t, "list", "pods", "-n", "nowhere", "-o", "wide", "--kubeconfig", config)
	if none.code != exitOK || none.stdout != "" || !strings.Contains(none.stderr, "no pods") {
		t.Errorf("%+v", none)
	}
}

// TestWatchWide: time and event come first; an object that is gone is a row too.
func TestWatchWide(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a")
	r := begin(t, "watch", "pods", "-n", "shop", "-o", "wide", "--kubeconfig", config)
	for _, want := range []string{`^TIME +EVENT +NAME +READY `, `^\d\d:\d\d:\d\d +ADDED +a +`} {
		if got := r.next(); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	createPods(t, server, "shop", "b")
	if got := r.next(); !regexp.MustCompile(`^\d\d:\d\d:\d\d +ADDED +b +`).MatchString(got) {
		t.Errorf("got %q", got)
	}
	if code := r.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// TestListJSONOfProtobuf: whatever the wire speaks, what is printed is JSON.
func TestListJSONOfProtobuf(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a")
	got := invoke(t, "list", "pods", "-n", "shop", "-o", "json", "--encoding", "protobuf", "--kubeconfig", config)
	asked := server.Journal()[len(server.Journal())-1].Header.Get("Accept")
	if got.code != exitOK || !strings.HasPrefix(got.stdout, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"shop",`) || !strings.HasPrefix(asked, "application/vnd.kubernetes.protobuf") {
		t.Errorf("asked with %s: %+v", asked, got)
	}
}
