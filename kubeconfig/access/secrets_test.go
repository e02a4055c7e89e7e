package access

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// planted are secrets in every place that can hold one.
var planted = []string{
	"PLANTED-token", "PLANTED-password", "PLANTED-key", "PLANTED-variable", "PLANTED-argument",
	"PLANTED-refresh", "PLANTED-client", "PLANTED-id", "PLANTED-proxy", "PLANTED-url", "PLANTED-query",
}

func expectNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range planted {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), fmt.Sprint([]byte(secret))} {
			if strings.Contains(text, strings.Trim(form, "[]=")) {
				t.Errorf("%s holds %s: %s", where, secret, text)
			}
		}
	}
}

func plantedConfig() *Config {
	return &Config{
		Server: "https://joe:PLANTED-url@k.example?x=PLANTED-query", ProxyURL: "http://joe:PLANTED-proxy@p.example",
		BearerToken: "PLANTED-token", Username: "joe", Password: "PLANTED-password", KeyData: []byte("PLANTED-key"),
		Exec:         &ExecConfig{Command: "plugin", Args: []string{"PLANTED-argument"}, Env: []EnvVar{{"A", "PLANTED-variable"}}},
		AuthProvider: &AuthProvider{Name: "oidc", Config: map[string]string{oidcRefreshToken: "PLANTED-refresh", oidcClientSecret: "PLANTED-client", oidcIDToken: "PLANTED-id"}},
	}
}

// TestNothingPrintsSecrets prints everything with every verb.
func TestNothingPrintsSecrets(t *testing.T) {
	c := plantedConfig()
	o := Options{Server: c.Server, Token: c.BearerToken, Password: c.Password}
	for _, value := range []any{
		c, *c, []Config{*c}, map[string]any{"c": c}, struct{ Inner *Config }{c}, struct{ Inner Config }{*c},
		c.Exec, *c.Exec, c.AuthProvider, *c.AuthProvider, o, &o, c.Describe(), struct{ Options }{o},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
			expectNoSecret(t, fmt.Sprintf("%s of %T", verb, value), fmt.Sprintf(verb, value))
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Errorf("%T: %v", value, err)
		}
		expectNoSecret(t, fmt.Sprintf("JSON of %T", value), string(text))
		var log bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			slog.New(handler).Info("x", "value", value)
		}
		expectNoSecret(t, fmt.Sprintf("the log of %T", value), log.String())
	}
}

// TestNoErrorHoldsSecrets breaks a file that is full of secrets in every place,
// one after the other, and opens what still loads.
func TestNoErrorHoldsSecrets(t *testing.T) {
	const text = `
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://joe:PLANTED-url@k.example?x=PLANTED-query", proxy-url: "http://joe:PLANTED-proxy@p.example", certificate-authority-data: ""}}]
users:
- name: u
  user:
    token: "PLANTED-token"
    username: ""
    password: "PLANTED-password"
    client-key-data: UExBTlRFRC1rZXk=
    exec: {command: nowhere-plugin, apiVersion: client.authentication.k8s.io/v1beta1, args: ["PLANTED-argument"], env: [{name: A, value: "PLANTED-variable"}]}
    auth-provider: {name: oidc, config: {refresh-token: "PLANTED-refresh", client-secret: "PLANTED-client", id-token: "PLANTED-id"}}
`
	path := filepath.Join(t.TempDir(), "config")
	var log logbook
	errors := map[string]bool{}
	try := func(broken string) {
		write(t, path, []byte(broken))
		c, err := yamlFiles.Load(Options{Path: path, Getenv: noEnvironment})
		if err == nil {
			expectNoSecret(t, "the config", c.String())
			var s *Session
			if s, err = c.WithProviders().Open(SessionOptions{Logger: log.logger()}); err == nil {
				_, err = authorize(t, s)
				_ = s.Close()
			}
		}
		if err != nil {
			errors[err.Error()] = true
			expectNoSecret(t, "the error", err.Error())
		}
	}
	n := 0
	for i := range text {
		for _, in := range []string{"", "}", "]", "\"", ":", "*", "&", "!", "\n", "\t", "7", "\x00", "\xff"} {
			if n++; n%13 == 0 { // not all, or it takes minutes
				try(text[:i] + in + text[i:])
				try(text[:i] + in + text[i+1:])
			}
		}
	}
	for _, field := range []string{"token", "username", "password", "client-key-data", "exec", "auth-provider", "args", "server", "proxy-url", "env"} {
		try(strings.Replace(text, field+":", field+"-off:", 1))
		for _, value := range []string{"7", "[]", "{}", "null", "yes"} {
			try(strings.Replace(text, field+": ", field+": "+value+" #", 1))
		}
	}
	expectNoSecret(t, "the log", log.String())
	if len(errors) < 20 {
		t.Errorf("only %d different errors: the test tries too little", len(errors))
	}
}

func TestDescribe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, []byte(`
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: shop}}]
clusters: [{name: k, cluster: {server: "https://k.example/p/", certificate-authority-data: "LS0t"}}]
users: [{name: u, user: {token: PLANTED-token, as: jane, client-key: /key}}]
`))
	c, err := yamlFiles.Load(Options{Path: path, Getenv: noEnvironment, TLSServerName: "name"})
	if err != nil {
		t.Fatal(err)
	}
	d := c.Describe()
	want := []Setting{
		{"clusters[k].server", "https://k.example/p/", path},
		{"clusters[k].certificate-authority-data", "(data)", path},
		{"Options.TLSServerName", "name", "option"},
		{"users[u].client-key", "/key", path},
		{"users[u].token", "REDACTED", path},
		{"users[u].as", "jane", path},
	}
	if !slices.Equal(d.Settings, want) {
		t.Errorf("settings %q, want %q", d.Settings, want)
	}
	if d.Source != path || !slices.Equal(d.Files, []string{path}) || d.Context != "c" || d.Server != "https://k.example/p" || d.Credential != "token" || d.Namespace != "shop" {
		t.Errorf("got %+v", d)
	}
	if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "client-key is not used") {
		t.Errorf("notes %q", d.Notes)
	}
}

func TestOptionsOutOfBounds(t *testing.T) {
	c := &Config{Server: "https://k.example"}
	for _, o := range []SessionOptions{{FileLimit: -1}, {TokenLimit: -1}, {PluginOutput: -1}, {PluginTimeout: -1}, {Leeway: -1}, {FollowInterval: -1}} {
		if s, err := c.Open(o); err == nil || !strings.Contains(err.Error(), "is negative; zero means the default") {
			t.Errorf("%v, %v", s, err)
		}
	}
	for _, o := range []Options{{FileLimit: -1, Server: "k"}, {Timeout: -1, Server: "k"}} {
		if _, err := yamlFiles.Load(o); err == nil || !strings.Contains(err.Error(), "is negative") {
			t.Errorf("%v", err)
		}
	}
}
