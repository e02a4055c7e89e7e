package access

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"
)

// The settings of the oidc auth-provider; see "OpenID Connect Tokens" in the
// Kubernetes documentation.
const (
	oidcIssuer       = "idp-issuer-url"
	oidcClientID     = "client-id"
	oidcClientSecret = "client-secret"
	oidcCAFile       = "idp-certificate-authority"
	oidcCAData       = "idp-certificate-authority-data"
	oidcIDToken      = "id-token"
	oidcRefreshToken = "refresh-token"
)

// removedProviders are auth-providers of earlier days, and what replaced them.
var removedProviders = map[string]string{
	"gcp":       "use an exec entry with gke-gcloud-auth-plugin (run: gcloud container clusters get-credentials)",
	"azure":     "use an exec entry with kubelogin (run: kubelogin convert-kubeconfig)",
	"openstack": "use an exec entry with client-keystone-auth",
}

// checkProvider accepts oidc.
func (c *Config) checkProvider() error {
	p := c.AuthProvider
	if p.Name != "oidc" {
		instead, known := removedProviders[p.Name]
		if !known {
			instead = "use an exec entry with a plugin for this service, or a token"
		}
		return c.fault(providerMember("name"), &UnsupportedError{Feature: fmt.Sprintf("auth-provider %q", short(p.Name)), Instead: instead})
	}
	for _, name := range []string{oidcIssuer, oidcClientID} {
		if p.Config[name] == "" {
			return c.fault(providerMember("config."+name), errors.New("is empty; the oidc auth-provider needs it"))
		}
	}
	return nil
}

// oidc is the oidc auth-provider: an ID token, and a refresh token to get the
// next one.
type oidc struct {
	issuer *issuer
	save   func(map[string]string) error
	warn   func(string, error)

	mu       sync.Mutex // guards the fields below
	settings map[string]string
	given    bool // the ID token of the settings has been used
}

// source gives the ID token of the kubeconfig first, then what the issuer
// gives for the refresh token.
func (o *oidc) source(ctx context.Context) (*issued, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if token := o.settings[oidcIDToken]; token != "" && !o.given {
		expires, err := expiryOf(token)
		if err != nil {
			return nil, err
		}
		o.given = true
		if time.Now().Before(expires.Add(-oidcLeeway)) {
			return &issued{token: token, expires: expires}, nil
		}
	}
	if o.settings[oidcRefreshToken] == "" {
		return nil, errors.New("the id-token has expired or was rejected, and there is no refresh-token; log in again")
	}
	return o.refresh(ctx)
}

func (o *oidc) renewable() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.settings[oidcRefreshToken] != ""
}

// oidcLeeway is how long an ID token must still last to be used at all.
const oidcLeeway = 10 * time.Second

func (o *oidc) refresh(ctx context.Context) (*issued, error) {
	tokens, err := o.issuer.refresh(ctx, o.settings)
	if err != nil {
		return nil, err
	}
	expires, err := expiryOf(tokens.ID)
	if err != nil {
		return nil, fmt.Errorf("the issuer's answer: %w", err)
	}
	next := maps.Clone(o.settings)
	next[oidcIDToken] = tokens.ID
	if tokens.Refresh != "" {
		next[oidcRefreshToken] = tokens.Refresh
	}
	o.settings, o.given = next, true
	if o.save != nil {
		if err := o.save(maps.Clone(next)); err != nil {
			o.warn("the renewed OIDC tokens could not be saved", err)
		}
	}
	return &issued{token: tokens.ID, expires: expires}, nil
}

// expiryOf reads the claim exp of a JSON web token (RFC 7519, section 4.1.4).
// The signature is the API server's business.
func expiryOf(token string) (time.Time, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}, errors.New("the id-token is no JSON web token (three parts with dots between); log in again")
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}, errors.New("the id-token's claims are not base64; log in again")
	}
	var claims struct {
		Expiry float64 `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return time.Time{}, errors.New("the id-token's claims are not JSON with a number exp; log in again")
	}
	return time.Unix(int64(claims.Expiry), 0), nil
}

// secureURL refuses to send secrets in the clear, but to this machine.
func secureURL(what, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return fmt.Errorf("the %s is not a URL", what)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("the %s must begin with https://: tokens are sent there", what)
}
