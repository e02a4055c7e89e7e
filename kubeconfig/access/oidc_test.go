package access

import (
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// jwt is a JSON web token that says when it ends.
func jwt(expires time.Time, id string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part(fmt.Appendf(nil, `{"exp":%d,"jti":%q}`, expires.Unix(), id)) + "." + part([]byte("signature"))
}

// provider is an OpenID Connect provider whose refresh tokens can be used once.
type provider struct {
	*httptest.Server
	ca authority

	mu        sync.Mutex
	refresh   string
	refreshes int
	formLogin bool   // takes the client's secret in the form only
	answer    string // in place of tokens
}

func newProvider(t *testing.T) *provider {
	p := &provider{ca: testCA(t), refresh: "refresh-0"}
	p.Server = httptest.NewUnstartedServer(p)
	p.TLS = serverTLS(t, p.ca)
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.URL.Path == "/realm/.well-known/openid-configuration" {
		_, _ = fmt.Fprintf(w, `{"token_endpoint":%q}`, p.URL+"/token")
		return
	}
	if p.answer != "" {
		_, _ = io.WriteString(w, p.answer)
		return
	}
	id, secret, _ := r.BasicAuth()
	if p.formLogin {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != "me" || secret != "client-secret-1" || r.URL.Path != "/token" {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"`+secret+`"}`)
		return
	}
	if r.PostFormValue("grant_type") != "refresh_token" || r.PostFormValue("refresh_token") != p.refresh {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
		return
	}
	p.refreshes++
	p.refresh = fmt.Sprintf("refresh-%d", p.refreshes)
	_, _ = fmt.Fprintf(w, `{"id_token":%q,"refresh_token":%q}`, jwt(time.Now().Add(time.Hour), p.refresh), p.refresh)
}

func (p *provider) config(change map[string]string) *Config {
	settings := map[string]string{
		oidcIssuer: p.URL + "/realm/", oidcClientID: "me", oidcClientSecret: "client-secret-1", oidcRefreshToken: "refresh-0",
		oidcCAData: base64.StdEncoding.EncodeToString(p.ca.pem()),
	}
	maps.Copy(settings, change)
	return &Config{Server: "https://k.example", AuthProvider: &AuthProvider{Name: "oidc", Config: settings}}
}

func TestOIDC(t *testing.T) {
	valid, old := jwt(time.Now().Add(time.Hour), "given"), jwt(time.Now().Add(-time.Hour), "old")
	for _, test := range []struct {
		name   string
		change map[string]string
		set    func(*provider)
		want   string
	}{
		{"valid token", map[string]string{oidcIDToken: valid, oidcRefreshToken: ""}, nil, "Bearer " + valid},
		{"expired token", map[string]string{oidcIDToken: old}, nil, "a new one"},
		{"no token yet", nil, nil, "a new one"},
		{"secret in the form", nil, func(p *provider) { p.formLogin = true }, "a new one"},
		{"expired, nothing to refresh", map[string]string{oidcIDToken: old, oidcRefreshToken: ""}, nil, "there is no refresh-token; log in again"},
		{"used refresh token", map[string]string{oidcRefreshToken: "used-refresh"}, nil, "(invalid_grant): the refresh-token has expired or was used up; log in again"},
		{"wrong secret", map[string]string{oidcClientSecret: "wrong-secret"}, nil, "the issuer answered 401 Unauthorized (invalid_client)"},
		{"no id_token", nil, func(p *provider) { p.answer = `{"access_token":"access-token-1"}` }, "holds no id_token; log in again with the scope openid"},
		{"HTML", nil, func(p *provider) { p.answer = `<html>refresh-0` }, "did not answer with JSON"},
		{"flood", nil, func(p *provider) { p.answer = strings.Repeat("refresh-0", 200_000) }, "the issuer answer is larger than 1048576 bytes"},
		{"no web token", nil, func(p *provider) { p.answer = `{"id_token":"refresh-0"}` }, "the id-token is no JSON web token"},
		{"no discovery", map[string]string{oidcIssuer: "ISSUER/nothing"}, nil, "401"},
		{"plain http issuer", map[string]string{oidcIssuer: "http://issuer.example"}, nil, "the idp-issuer-url must begin with https://"},
		{"other authority", map[string]string{oidcCAData: base64.StdEncoding.EncodeToString(testCA(t).pem())}, nil, "certificate signed by unknown authority"},
		{"bad authority", map[string]string{oidcCAData: "bm9uc2Vuc2U="}, nil, "holds no certificate in PEM"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProvider(t)
			if test.set != nil {
				test.set(p)
			}
			c := p.config(test.change)
			c.AuthProvider.Config[oidcIssuer] = strings.Replace(c.AuthProvider.Config[oidcIssuer], "ISSUER", p.URL, 1)
			s, err := c.WithProviders().Open(SessionOptions{})
			got := ""
			if err == nil {
				defer func() { _ = s.Close() }()
				got, err = authorize(t, s)
			}
			if test.want == "a new one" {
				if err != nil || !strings.HasPrefix(got, "Bearer eyJ") || p.refreshes != 1 {
					t.Errorf("got %q, %v after %d refreshes", got, err, p.refreshes)
				}
				return
			}
			if err != nil {
				got = err.Error()
				for _, secret := range []string{"refresh-0", "refresh-1", "used-refresh", "client-secret-1", "wrong-secret", "access-token-1"} {
					if strings.Contains(got, secret) {
						t.Errorf("%q in %s", secret, got)
					}
				}
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestOIDCAfterA401(t *testing.T) {
	p := newProvider(t)
	valid := jwt(time.Now().Add(time.Hour), "given")
	c := p.config(map[string]string{oidcIDToken: valid})
	var saved []string
	c.AuthProvider.Save = func(settings map[string]string) error {
		saved = append(saved, settings[oidcRefreshToken])
		return fmt.Errorf("the disk is full")
	}
	s := open(t, c, SessionOptions{})
	r := newRequest(t)
	if err := s.Authorize(r); err != nil {
		t.Fatal(err)
	}
	if !s.Rejected(r) {
		t.Fatal("there is a refresh token")
	}
	if got, err := authorize(t, s); err != nil || got == "Bearer "+valid {
		t.Errorf("got %q, %v", got, err)
	}
	if len(saved) != 1 || saved[0] != "refresh-1" {
		t.Errorf("saved %q", saved)
	}
	if c.AuthProvider.Config[oidcRefreshToken] != "refresh-0" {
		t.Error("the caller's settings were changed")
	}

	c = p.config(map[string]string{oidcIDToken: valid, oidcRefreshToken: ""})
	s = open(t, c, SessionOptions{})
	r = newRequest(t)
	if err := s.Authorize(r); err != nil {
		t.Fatal(err)
	}
	if s.Rejected(r) {
		t.Error("there is nothing to refresh")
	}
	if got, err := authorize(t, s); got != "Bearer "+valid {
		t.Errorf("got %q, %v", got, err)
	}
}

func newRequest(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://k.example/api", nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
