package watchtest

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// get asks the server through a session of its configuration.
func get(t *testing.T, r *rig, c *kubeconfig.Config) int {
	t.Helper()
	session, err := c.Open(kubeconfig.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	dial := session.DialContext()
	if r.memory != nil {
		dial = r.DialContext
	}
	transport := &http.Transport{TLSClientConfig: session.TLSConfig(), DialContext: dial}
	defer transport.CloseIdleConnections()
	q, err := http.NewRequestWithContext(context.Background(), "GET", session.BaseURL().String()+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Authorize(q); err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestConfig(t *testing.T) {
	every(t, func(t *testing.T, r *rig) {
		if code := get(t, r, r.Config()); code != 200 {
			t.Errorf("Config: %d", code)
		}
		path := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(path, r.Kubeconfig(), 0o600); err != nil {
			t.Fatal(err)
		}
		loaded, err := kubeconfig.Load(kubeconfig.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		want := 200
		if r.authority == nil && !strings.HasPrefix(r.URL(), "unix:") {
			want = 401 // a credential from a file is not sent over plain HTTP
		}
		if code := get(t, r, loaded); code != want || loaded.Namespace != "default" {
			t.Errorf("Kubeconfig: %d %v", code, loaded)
		}
		r.RevokeToken(DefaultToken)
		if c := r.Config(); c.BearerToken != "" {
			t.Errorf("a token that is not valid")
		}
	})
}
