package access

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// authorize gives the Authorization header that a request gets.
func authorize(t *testing.T, s *Session) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://k.example/api", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Authorize(r)
	return r.Header.Get("Authorization"), err
}

func open(t *testing.T, c *Config, o SessionOptions) *Session {
	t.Helper()
	s, err := c.WithProviders().Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestPluginAnswers(t *testing.T) {
	credential := func(version, status string) string {
		return `{"kind":"ExecCredential","apiVersion":"` + version + `","status":{` + status + `}}`
	}
	for _, test := range []struct{ name, answer, want string }{
		{"token", "token", "Bearer token-1"},
		{"nothing", "\n", "is not valid JSON"},
		{"no JSON", "<html>", "is not valid JSON"},
		{"text", `"hello"`, "must be a mapping, but is text"},
		{"other kind", `{"kind":"Pod"}`, `the kind "Pod"`},
		{"v1beta1 for v1", credential(execV1beta1, `"token":"sesame-sesame"`), "answers in apiVersion"},
		{"no status", `{"kind":"ExecCredential","apiVersion":"` + execV1 + `"}`, "without a status"},
		{"empty status", credential(execV1, ``), "neither a token nor a client certificate"},
		{"certificate alone", credential(execV1, `"clientCertificateData":"x"`), "without clientKeyData"},
		{"key alone", credential(execV1, `"token":"t","clientKeyData":"sesame-sesame"`), "without clientCertificateData"},
		{"no pair", credential(execV1, `"clientCertificateData":"x","clientKeyData":"sesame-sesame"`), "are no pair"},
		{"number", credential(execV1, `"token":31337`), "status.token must be text"},
		{"bad expiry", credential(execV1, `"token":"sesame-sesame","expirationTimestamp":"soon"`), "RFC 3339"},
		{"line break", credential(execV1, `"token":"sesame\nsesame"`), "line break"},
		{"long token", credential(execV1, `"token":"`+strings.Repeat("x", 70000)+`"`), "the token is larger than 65536 bytes"},
		{"flood", "flood", "the plugin output is larger than 1048576 bytes"},
		{"dies", "fail", "exit status 7; it said: first line"},
		{"is killed", "killed", "signal: killed"},
		{"talks much", "chatter", "THE END"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, execUser(t, test.answer), SessionOptions{})
			got, err := authorize(t, s)
			if strings.HasPrefix(test.want, "Bearer ") {
				if err != nil || got != test.want {
					t.Fatalf("%q, %v", got, err)
				}
				return
			}
			var plugin *PluginError
			if !errors.As(err, &plugin) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "Config.Exec") {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "sesame") {
				t.Errorf("a secret in %v", err)
			}
			if len(err.Error()) > 6000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestPluginWordsAreScrubbed(t *testing.T) {
	s := open(t, execUser(t, "fail", EnvVar{"TEST_SECRET", "variable-secret"}), SessionOptions{})
	_, err := authorize(t, s)
	for _, secret := range []string{"sesame", "hunter2", "variable-secret", "eyJhbGci", "\x1b"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q in %v", secret, err)
		}
	}
	if !strings.Contains(err.Error(), "cannot log in") {
		t.Errorf("what it said is lost: %v", err)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Errorf("no exit error in %v", err)
	}
}

func TestPluginThatIsMissing(t *testing.T) {
	for command, want := range map[string]string{
		"no-such-plugin-here": "no such program in PATH; get it \uFFFD[1mthere",
		"/nowhere/plugin":     "no such program; get it",
	} {
		c := &Config{Server: "https://k.example", Exec: &ExecConfig{Command: command, APIVersion: execV1, InteractiveMode: "Never", InstallHint: "get it \x1b[1mthere"}}
		_, err := authorize(t, open(t, c, SessionOptions{}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestCloseEndsAPlugin(t *testing.T) {
	s := open(t, execUser(t, "hang"), SessionOptions{})
	waits := make(chan error)
	go func() {
		_, err := authorize(t, s)
		waits <- err
	}()
	s.waitForRun()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waits; !errors.Is(err, ErrClosed) {
		t.Errorf("who waited got %v", err)
	}
	if _, err := authorize(t, s); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// waitForRun returns when the plugin has been started.
func (s *Session) waitForRun() {
	r := s.link.Load().credential.(*renewal)
	for {
		r.mu.Lock()
		running := r.running != nil
		r.mu.Unlock()
		if running {
			return
		}
	}
}

func TestWhoWaitsMayGiveUp(t *testing.T) {
	s := open(t, execUser(t, "hang"), SessionOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://k.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() { waits <- s.Authorize(r) }()
	s.waitForRun()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPluginAfterA401(t *testing.T) {
	s := open(t, execUser(t, "token", EnvVar{"TEST_RUNS", filepath.Join(t.TempDir(), "runs")}), SessionOptions{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://k.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Authorize(r); err != nil {
		t.Fatal(err)
	}
	if !s.Rejected(r) {
		t.Fatal("nothing can be done")
	}
	if got, err := authorize(t, s); got != "Bearer token-2" {
		t.Fatalf("%q, %v", got, err)
	}
	if !s.Rejected(r) {
		t.Error("the old token was rejected, but there is a new one already")
	}
	if got, err := authorize(t, s); got != "Bearer token-2" {
		t.Errorf("the plugin ran again for an old token: %q, %v", got, err)
	}
}

func TestClusterInfo(t *testing.T) {
	c := execUser(t, "info")
	c.Server, c.CAData, c.TLSServerName = "https://k.example/prefix?a=b", testCA(t).pem(), "name"
	c.ProxyURL, c.DisableCompression = "http://proxy.example", true
	c.Exec.ProvideClusterInfo, c.Exec.ClusterConfig = true, []byte(`{"audience":"x"}`)
	_, err := authorize(t, open(t, c, SessionOptions{}))
	var plugin *PluginError
	if !errors.As(err, &plugin) {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal([]byte(plugin.Stderr), &got); err != nil {
		t.Fatalf("%v in %s", err, plugin.Stderr)
	}
	ca, _ := json.Marshal(c.CAData)
	_ = json.Unmarshal([]byte(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false,"cluster":{
		"server":"https://k.example/prefix","tls-server-name":"name","certificate-authority-data":`+string(ca)+`,
		"proxy-url":"http://proxy.example","disable-compression":true,"config":{"audience":"x"}}}}`), &want)
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func TestClusterInfoTooLarge(t *testing.T) {
	c := execUser(t, "token")
	c.CAData, c.Exec.ProvideClusterInfo = bytes.Repeat(testCA(t).pem(), 400), true
	_, err := authorize(t, open(t, c, SessionOptions{}))
	if !errors.Is(err, syscall.E2BIG) || !strings.Contains(err.Error(), "set provideClusterInfo to false") {
		t.Errorf("got %v", err)
	}
}

func TestInteractivePlugin(t *testing.T) {
	var said bytes.Buffer
	c := execUser(t, "stdin")
	c.Exec.InteractiveMode, c.Exec.Stdin, c.Exec.Stderr = interactiveAlways, strings.NewReader("hello\n"), &said
	if got, err := authorize(t, open(t, c, SessionOptions{})); got != "Bearer read-hello" {
		t.Errorf("%q, %v", got, err)
	}
	c.Exec.InteractiveMode, c.Exec.Stdin = interactiveNever, strings.NewReader("hello\n")
	if got, err := authorize(t, open(t, c, SessionOptions{})); got != "Bearer read-" {
		t.Errorf("a plugin that never asks got standard input: %q, %v", got, err)
	}
}
