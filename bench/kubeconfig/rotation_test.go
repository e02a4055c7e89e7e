package kubeconfig

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// TestRotation replaces credentials on the real API server while watches are
// open, and makes the old ones invalid: no watch may notice. Each watch ends
// after two seconds, so that each credential is used again and again.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	clientCA := newAuthority(t, "client-ca")
	caFile := filepath.Join(dir, "client-ca.crt")
	store(t, caFile, clientCA.pem())
	c := realapi.Start(t, realapi.Options{Flags: []string{"--client-ca-file", caFile}})
	grantAll(t, c, "alice", "system:serviceaccount:default:agent")

	token := newServiceAccount(t, c)
	tokenFile, crt, key := filepath.Join(dir, "token"), filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	store(t, tokenFile, []byte(token))
	short := clientCA.issueUntil(t, "alice", time.Now().Add(12*time.Second))
	store(t, crt, short.cert)
	store(t, key, short.key)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "kubeconfig")
	store(t, file, followedFile(c, token))
	fromFile, err := kubeconfig.Load(kubeconfig.Options{Path: file, Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	server, ca := c.Config().Server, c.Config().CAFile
	followers := map[string]*follower{}
	for name, config := range map[string]*kubeconfig.Config{
		"token file":         {Server: server, CAFile: ca, BearerTokenFile: tokenFile},
		"client certificate": {Server: server, CAFile: ca, CertFile: crt, KeyFile: key},
		"exec plugin": {Server: server, CAFile: ca, Exec: &kubeconfig.ExecConfig{
			Command: self, Args: []string{"answer:file"}, APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: "Never",
			Env: []kubeconfig.EnvVar{{Name: "PLUGIN_TOKEN", Value: tokenFile}},
		}},
		"followed kubeconfig": fromFile,
	} {
		followers[name] = follow(t, config.WithProviders())
	}
	create(t, c, "before")
	for name, f := range followers {
		f.until(t, name, "before")
	}

	// The account that the old token is bound to is gone, and so the token.
	mustDo(t, c, http.MethodDelete, "/api/v1/namespaces/default/serviceaccounts/agent", nil)
	renewed := newServiceAccount(t, c)
	store(t, tokenFile, []byte(renewed))
	store(t, file, followedFile(c, renewed))
	next := clientCA.issueUntil(t, "alice", time.Now().Add(time.Hour))
	store(t, crt, next.cert)
	store(t, key, next.key)
	untilRefused(t, "the old token", &kubeconfig.Config{Server: server, CAFile: ca, BearerToken: token})
	untilRefused(t, "the old certificate", &kubeconfig.Config{Server: server, CAFile: ca, CertData: short.cert, KeyData: short.key})

	for _, name := range []string{"after", "and-after-that"} {
		create(t, c, name)
		for who, f := range followers {
			f.until(t, who, name)
		}
	}
	for name, f := range followers {
		f.mu.Lock()
		if len(f.failures) > 0 || f.synced != 1 {
			t.Errorf("%s: synced %d times, failures %v", name, f.synced, f.failures)
		}
		f.mu.Unlock()
	}
}

// follower is one ListWatch of the config maps.
type follower struct {
	mu       sync.Mutex
	seen     map[string]chan struct{}
	synced   int
	failures []error
}

func follow(t *testing.T, config *kubeconfig.Config) *follower {
	t.Helper()
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{seen: map[string]chan struct{}{}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e, err := range client.ListWatch(ctx, rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{
			WatchTimeoutMin: 2 * time.Second, WatchTimeoutMax: 2 * time.Second,
			OnFailure: func(err error) error {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.failures = append(f.failures, err)
				return nil
			},
		}) {
			if err != nil {
				return
			}
			f.note(e)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *follower) note(e rawwatch.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.Type {
	case rawwatch.Synced:
		f.synced++
	case rawwatch.Added:
		f.channel(e.Object.Name)
		close(f.seen[e.Object.Name])
	}
}

// channel is closed when the object has been seen; mu is held.
func (f *follower) channel(name string) chan struct{} {
	if f.seen[name] == nil {
		f.seen[name] = make(chan struct{})
	}
	return f.seen[name]
}

func (f *follower) until(t *testing.T, who, name string) {
	t.Helper()
	f.mu.Lock()
	seen := f.channel(name)
	f.mu.Unlock()
	select {
	case <-seen:
	case <-time.After(time.Minute):
		f.mu.Lock()
		defer f.mu.Unlock()
		t.Fatalf("%s: the object %q did not come; failures %v", who, name, f.failures)
	}
}

func store(t *testing.T, path string, text []byte) {
	t.Helper()
	// As the kubelet and cert-manager do: in one step.
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func mustDo(t *testing.T, c *realapi.Cluster, method, path string, body any) []byte {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		text = nil
	}
	answer, err := c.Direct().Do(t.Context(), method, path, text)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func create(t *testing.T, c *realapi.Cluster, name string) {
	t.Helper()
	mustDo(t, c, http.MethodPost, "/api/v1/namespaces/default/configmaps", object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": name}})
}

func grantAll(t *testing.T, c *realapi.Cluster, users ...string) {
	t.Helper()
	var subjects []object
	for _, name := range users {
		subjects = append(subjects, object{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name})
	}
	mustDo(t, c, http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": object{"name": "rotation"},
		"roleRef": object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}, "subjects": subjects,
	})
}

// newServiceAccount makes the account agent, and a token for it (TokenRequest).
func newServiceAccount(t *testing.T, c *realapi.Cluster) string {
	t.Helper()
	const accounts = "/api/v1/namespaces/default/serviceaccounts"
	mustDo(t, c, http.MethodPost, accounts, object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"name": "agent"}})
	answer := mustDo(t, c, http.MethodPost, accounts+"/agent/token", object{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": object{"expirationSeconds": 600},
	})
	var request struct {
		Status struct {
			Token string `json:"token"`
		} `json:"status"`
	}
	if err := json.Unmarshal(answer, &request); err != nil || request.Status.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	return request.Status.Token
}

func followedFile(c *realapi.Cluster, token string) []byte {
	return fmt.Appendf(nil, `{"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
"clusters":[{"name":"k","cluster":{"server":%q,"certificate-authority":%q}}],"users":[{"name":"u","user":{"token":%q}}]}`,
		c.Config().Server, c.Config().CAFile, token)
}

// untilRefused waits until the server answers 401 to the credential.
func untilRefused(t *testing.T, what string, config *kubeconfig.Config) {
	t.Helper()
	s, err := config.Open(kubeconfig.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	transport := &http.Transport{TLSClientConfig: s.TLSConfig(), DisableKeepAlives: true}
	deadline := time.After(time.Minute)
	for tick := time.NewTicker(200 * time.Millisecond); ; {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL().String()+"/api/v1/namespaces/default/configmaps", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Authorize(r); err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusUnauthorized {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s is still accepted (%d)", what, resp.StatusCode)
		}
	}
}
