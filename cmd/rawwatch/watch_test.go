package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// line is one line of watch -o json.
type line struct {
	Type, Cause, ResourceVersion string
	Object                       struct {
		Kind, APIVersion string
		Metadata         struct{ Namespace, Name, UID, ResourceVersion string }
		Spec             struct{ NodeName string }
	}
}

func (r *running) nextJSON() line {
	r.t.Helper()
	var l line
	if text := r.next(); json.Unmarshal([]byte(text), &l) != nil {
		r.t.Fatalf("a line that is not JSON: %s", text)
	}
	return l
}

func (l line) short() string {
	return strings.TrimSpace(strings.Join([]string{l.Type, l.Cause, l.Object.Kind, l.Object.Metadata.Name}, " "))
}

func (r *running) expect(want ...string) {
	r.t.Helper()
	for _, w := range want {
		if got := r.nextJSON().short(); got != w {
			r.t.Errorf("got  %s\nwant %s", got, w)
		}
	}
}

func TestWatchJSON(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a", "b")
	r := begin(t, "watch", "pods", "-o", "json", "--sync-line", "--kubeconfig", config)
	r.expect("ADDED list Pod a", "ADDED list Pod b")
	if l := r.nextJSON(); l.Type != "SYNCED" || l.ResourceVersion == "" {
		t.Errorf("got %+v, want SYNCED", l)
	}
	createPods(t, server, "shop", "c")
	createPods(t, server, "jobs", "elsewhere")
	if _, err := server.Delete(watchtest.Pods, "shop", "a"); err != nil {
		t.Fatal(err)
	}
	r.expect("ADDED stream Pod c", "DELETED stream Pod a")
	if code := r.end(); code != exitOK {
		t.Errorf("exit code %d after an interrupt", code)
	}
}

// TestWatchComesThroughAnExpiredHistory: what happened behind the watch's back
// is found by comparing, told as such, and explained on stderr.
func TestWatchComesThroughAnExpiredHistory(t *testing.T) {
	server, _ := startServer(t)
	cable, config := startCable(t, server)
	createPods(t, server, "shop", "a", "b")
	r := begin(t, "watch", "pods", "-o", "json", "--sync-line", "--kubeconfig", config)
	r.expect("ADDED list Pod a", "ADDED list Pod b", "SYNCED")
	createPods(t, server, "shop", "bb")
	r.expect("ADDED stream Pod bb")
	cable.unplug()
	r.stderr.await("connection lost")
	if _, err := server.Delete(watchtest.Pods, "shop", "a"); err != nil {
		t.Error(err)
	}
	createPods(t, server, "shop", "c")
	server.Compact(server.Revision())
	cable.plug()
	r.expect("ADDED relist Pod c", "DELETED relist Pod a", "SYNCED")
	createPods(t, server, "shop", "d")
	r.expect("ADDED stream Pod d")
	if code := r.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, part := range []string{"in sync: 2 pods in namespace shop", "connection lost", "trying again in", "listing anew", "in sync again: 3 pods in namespace shop"} {
		if !strings.Contains(r.stderr.String(), part) {
			t.Errorf("stderr does not say %q:\n%s", part, r.stderr)
		}
	}
}

func TestWatchForPeople(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a")
	r := begin(t, "watch", "pods", "--sync-line", "--kubeconfig", config)
	for _, want := range []string{
		`^\d\d:\d\d:\d\d ADDED    shop/a \(list\)$`,
		`^\d\d:\d\d:\d\d SYNCED   resourceVersion=\d+$`,
	} {
		if got := r.next(); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	createPods(t, server, "shop", "b")
	if got, want := r.next(), `^\d\d:\d\d:\d\d ADDED    shop/b$`; !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("got %q, want %s", got, want)
	}
	if code := r.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(r.stderr.String(), "error") || strings.Contains(r.stderr.String(), plantedToken) {
		t.Errorf("stderr:\n%s", r.stderr)
	}
}
