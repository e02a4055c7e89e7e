package main

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

func TestConfigView(t *testing.T) {
	config := writeConfig(t, &kubeconfig.Config{Server: "https://k.example:6443", CAData: []byte("certificate"), BearerToken: plantedToken})
	got := invoke(t, "config", "view", "-o", "json", "-n", "jobs", "--kubeconfig", config)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	var d kubeconfig.Description
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil {
		t.Fatal(err)
	}
	if d.Source != config || d.Context != "edge" || d.Cluster != "here" || d.User != "tester" || d.Server != "https://k.example:6443" || d.Namespace != "jobs" || d.Credential != "token" {
		t.Errorf("got %+v", d)
	}
	for _, want := range []kubeconfig.Setting{
		{Field: "clusters[here].certificate-authority-data", Value: "(data)", From: config},
		{Field: "users[tester].token", Value: "REDACTED", From: config},
	} {
		if !slices.Contains(d.Settings, want) {
			t.Errorf("no setting %+v in %+v", want, d.Settings)
		}
	}
	text := invoke(t, "config", "view", "--kubeconfig", config)
	for _, line := range []string{"context: edge\n", "server: https://k.example:6443\n", "value: REDACTED\n", "namespace: shop\n"} {
		if !strings.Contains(text.stdout, line) {
			t.Errorf("no line %q in\n%s", line, text.stdout)
		}
	}
	if strings.Contains(got.stdout+text.stdout, plantedToken) {
		t.Error("the token is shown")
	}
}

func TestCurrentContext(t *testing.T) {
	config := writeConfig(t, &kubeconfig.Config{Server: "https://k.example:6443", BearerToken: plantedToken})
	if got := invoke(t, "config", "current-context", "--kubeconfig", config); got != (answer{stdout: "edge\n"}) {
		t.Errorf("%+v", got)
	}
}

// reviewer answers SelfSubjectReviews of one token.
func reviewer(t *testing.T) (server string, ca []byte) {
	t.Helper()
	https := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var asked struct{ Kind string }
		switch err := json.NewDecoder(r.Body).Decode(&asked); {
		case err != nil || asked.Kind != "SelfSubjectReview" || r.Method != http.MethodPost || r.URL.Path != selfSubjectReviews:
			w.WriteHeader(http.StatusBadRequest)
		case r.Header.Get("Authorization") != "Bearer "+plantedToken:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`))
		default:
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"tester","groups":["a","b"]}}}`))
		}
	}))
	t.Cleanup(https.Close)
	return https.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: https.Certificate().Raw})
}

func TestWhoami(t *testing.T) {
	server, ca := reviewer(t)
	good := writeConfig(t, &kubeconfig.Config{Server: server, CAData: ca, BearerToken: plantedToken})
	if got := invoke(t, "config", "whoami", "--kubeconfig", good); got != (answer{stdout: "groups:\n- a\n- b\nusername: tester\n"}) {
		t.Errorf("%+v", got)
	}
	bad := writeConfig(t, &kubeconfig.Config{Server: server, CAData: ca, BearerToken: plantedToken + "-old"})
	checkFailure(t, invoke(t, "config", "whoami", "--kubeconfig", bad), []string{"401", server, "check the token"})
	page := foreign(t, 200, "text/html", "<html>ECHO</html>")
	checkFailure(t, invoke(t, "config", "whoami", "--kubeconfig", page), []string{"text/html", "check the address"})
}
