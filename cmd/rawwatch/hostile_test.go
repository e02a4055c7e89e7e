package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// TestNothingCommandsTheTerminal: what a server sends can neither move the
// cursor nor make lines of its own.
func TestNothingCommandsTheTerminal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/secrets") {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","code":403,"reason":"\u001b[31mForbidden","message":"\u001b[2Jgone\u0007"}`)
			return
		}
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[
			{"metadata":{"namespace":"n","name":"a\u001b[31m\nADDED    kube-system/evil","uid":"1"}}]}`)
	}))
	defer server.Close()
	for _, args := range [][]string{{"list", "pods"}, {"list", "pods", "-A"}, {"list", "pods", "-o", "json"}, {"list", "secrets"}, {"watch", "secrets"}} {
		got := invoke(t, append(args, "-s", server.URL)...)
		commands := strings.ContainsFunc(got.stdout+got.stderr, func(r rune) bool { return unicode.IsControl(r) && r != '\n' })
		if commands || strings.Count(got.stdout, "\n") > 1 {
			t.Errorf("%q prints %q and %q", args, got.stdout, got.stderr)
		}
	}
}

// TestOddVersions: whatever a server calls a version, the SYNCED line is one
// line, and JSON.
func TestOddVersions(t *testing.T) {
	e := rawwatch.Event{Type: rawwatch.Synced, ResourceVersion: "x\x01\a\u00ff\n\"&"}
	var line struct{ ResourceVersion string }
	text, err := appendEventJSON(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &line); err != nil || line.ResourceVersion != e.ResourceVersion {
		t.Errorf("%s: %v", text, err)
	}
	if got := string(appendEvent(nil, e)); strings.ContainsFunc(got, unicode.IsControl) {
		t.Errorf("%q", got)
	}
}

// TestBriefIsBrief: the story of a watch quotes a server in few words.
func TestBriefIsBrief(t *testing.T) {
	long := &decode.StatusError{Status: decode.Status{Code: 500, Reason: "InternalError", Message: strings.Repeat("many\nwords ", 10_000)}}
	if got := brief(&rawwatch.RequestError{Err: long}); len(got) > 400 || strings.Contains(got, "\n") {
		t.Errorf("%d bytes: %.300q", len(got), got)
	}
	invalid := &decode.StatusError{Status: decode.Status{Code: 422, Reason: "Invalid", Message: "spec.secret: planted"}}
	if got := brief(&rawwatch.RequestError{Err: invalid}); strings.Contains(got, "planted") {
		t.Errorf("quotes an object: %s", got)
	}
}

// TestEchoedTokenOfAFile: a credential that the configuration only points to
// is not shown either when a proxy echoes it.
func TestEchoedTokenOfAFile(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "%s%s", strings.Repeat(".", 170), r.Header.Get("Authorization"))
	}))
	defer server.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "config")
	for name, text := range map[string]string{
		filepath.Join(dir, "token"): plantedToken,
		config: fmt.Sprintf(`{"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],
			"users":[{"name":"u","user":{"tokenFile":"token"}}],
			"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"current-context":"x"}`, server.URL),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"config", "whoami"}, {"list", "pods"}} {
		got := invoke(t, append(args, "--kubeconfig", config)...)
		if got.code != exitFailure || strings.Contains(got.stderr, plantedToken[:8]) || !strings.Contains(got.stderr, "....") {
			t.Errorf("%q: exit code %d, %s", args, got.code, got.stderr)
		}
	}
}
