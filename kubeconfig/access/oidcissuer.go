package access

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// issuer talks to an OpenID Connect provider.
type issuer struct {
	// transport sends the requests. It follows no redirect and keeps no cookie,
	// which is all that an http.Client would add.
	transport http.RoundTripper
	timeout   time.Duration
	limit     int64
}

// oidcTokens are the parts of a token answer that matter here.
type oidcTokens struct {
	ID      string `json:"id_token"`
	Refresh string `json:"refresh_token"`
}

// oidcCredential is the credential of a user with the oidc auth-provider.
func (s *Session) oidcCredential(c *Config) (credential, error) {
	p := c.AuthProvider
	if err := secureURL(oidcIssuer, p.Config[oidcIssuer]); err != nil {
		return nil, c.fault(providerMember("config."+oidcIssuer), err)
	}
	roots, err := issuerRoots(p.Config, s.options.FileLimit)
	if err != nil {
		return nil, c.fault(providerMember("config."+oidcCAFile), err)
	}
	timeout := s.options.PluginTimeout
	if timeout == 0 {
		timeout = DefaultPluginTimeout
	}
	transport := &http.Transport{
		Proxy:             func(r *http.Request) (*url.URL, error) { return s.environmentProxy(r.URL) },
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		DisableKeepAlives: true, // asked once in a while
	}
	o := &oidc{
		settings: p.Config,
		save:     p.Save,
		warn:     func(text string, err error) { s.log.Log(context.Background(), slog.LevelWarn, text, "error", err) },
		issuer:   &issuer{timeout: timeout, limit: s.options.PluginOutput, transport: transport},
	}
	r := &renewal{session: s, leeway: s.options.Leeway, changed: func() {}, renewable: o.renewable}
	r.source = s.watched("the OIDC issuer", func(ctx context.Context) (*issued, error) {
		got, err := o.source(ctx)
		if err != nil {
			return nil, c.fault(member{list: users, name: "auth-provider", config: "AuthProvider"}, err)
		}
		return got, nil
	})
	return r, nil
}

func issuerRoots(settings map[string]string, limit int64) (*x509.CertPool, error) {
	data, err := base64.StdEncoding.DecodeString(settings[oidcCAData])
	if err != nil {
		return nil, fmt.Errorf("or rather its data is not base64: %w", err)
	}
	text, err := pemOf(data, settings[oidcCAFile], limit)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	return poolOf(text)
}

// refresh asks the issuer's token endpoint (RFC 6749, section 6), as the
// client with basic authentication first, then within the form, since issuers
// differ.
func (i *issuer) refresh(ctx context.Context, settings map[string]string) (*oidcTokens, error) {
	ctx, cancel := context.WithTimeout(ctx, i.timeout)
	defer cancel()
	endpoint, err := i.tokenEndpoint(ctx, settings[oidcIssuer])
	if err != nil {
		return nil, err
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {settings[oidcRefreshToken]}}
	id, secret := settings[oidcClientID], settings[oidcClientSecret]
	tokens, err := i.post(ctx, endpoint, form, func(r *http.Request) { r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret)) })
	var refused *issuerError
	if errors.As(err, &refused) && refused.status/100 == 4 && refused.code != "invalid_grant" {
		form.Set("client_id", id)
		if secret != "" {
			form.Set("client_secret", secret)
		}
		tokens, err = i.post(ctx, endpoint, form, func(*http.Request) {})
	}
	if err == nil && tokens.ID == "" {
		err = errors.New("the issuer's answer holds no id_token; log in again with the scope openid")
	}
	return tokens, err
}

// tokenEndpoint asks the discovery document (OpenID Connect Discovery 1.0,
// section 4).
func (i *issuer) tokenEndpoint(ctx context.Context, address string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+"/.well-known/openid-configuration", nil)
	if err != nil {
		return "", errors.New("the issuer is not a URL")
	}
	var discovered struct {
		TokenEndpoint string `json:"token_endpoint"`
	}
	if err := i.do(r, &discovered); err != nil {
		return "", err
	}
	if discovered.TokenEndpoint == "" {
		return "", errors.New("the issuer's discovery document names no token_endpoint")
	}
	return discovered.TokenEndpoint, secureURL("issuer's token_endpoint", discovered.TokenEndpoint)
}

func (i *issuer) post(ctx context.Context, endpoint string, form url.Values, login func(*http.Request)) (*oidcTokens, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, errors.New("the issuer's token_endpoint is not a URL")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	login(r)
	tokens := &oidcTokens{}
	return tokens, i.do(r, tokens)
}

// issuerError is an answer that is no success. The body is not kept: it may
// repeat what was sent.
type issuerError struct {
	status int
	code   string // RFC 6749, section 5.2
}

func (e *issuerError) Error() string {
	s := fmt.Sprintf("the issuer answered %d %s", e.status, http.StatusText(e.status))
	switch e.code {
	case "":
		return s
	case "invalid_grant":
		return s + " (invalid_grant): the refresh-token has expired or was used up; log in again"
	}
	return s + " (" + e.code + ")"
}

func (i *issuer) do(r *http.Request, into any) error {
	resp, err := i.transport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("the issuer at %s cannot be asked: %w", r.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := readAtMost(resp.Body, i.limit)
	if err != nil {
		var tooLarge *LimitError
		if errors.As(err, &tooLarge) {
			err = &LimitError{What: "issuer answer", Limit: i.limit, Option: "SessionOptions.PluginOutput"}
		}
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return &issuerError{status: resp.StatusCode, code: oauthCode(body)}
	}
	if json.Unmarshal(body, into) != nil {
		return fmt.Errorf("the issuer at %s did not answer with JSON of the right form", r.URL.Host)
	}
	return nil
}

// oauthCode is the error code of RFC 6749, if it is one.
func oauthCode(body []byte) string {
	var refusal struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return ""
	}
	switch refusal.Error {
	case "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope":
		return refusal.Error
	}
	return ""
}
