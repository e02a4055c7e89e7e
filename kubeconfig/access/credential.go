package access

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
)

// A credential puts itself on requests.
type credential interface {
	// apply sets the Authorization header; it may take time, and honours the
	// request's context.
	apply(*http.Request) error
	// rejected is told of a 401, and reports whether the credential is, or will
	// be when it is applied again, another one than the request carried.
	rejected(*http.Request) bool
}

// A certifier is a credential that comes with a client certificate.
type certifier interface {
	// certificate is nil when there is none.
	certificate(context.Context) (*tls.Certificate, error)
}

// credential chooses what the requests carry, in client-go's order.
func (s *Session) credential(c *Config, address serverAddress) (credential, error) {
	switch {
	case address.user != nil:
		return userinfo(address.user), nil
	case c.BearerTokenFile != "":
		return openTokenFile(s, c)
	case c.BearerToken != "":
		if err := headerSafe(c.BearerToken, s.options.TokenLimit); err != nil {
			return nil, c.fault(memberToken, err)
		}
		return bearer(c.BearerToken), nil
	case c.Username != "":
		return basic{c.Username, c.Password}, nil
	case c.Exec != nil && !c.hasCert():
		if c.providers == nil {
			return nil, c.fault(memberExec, errNoProviders)
		}
		return c.providers.exec(s, c)
	case c.AuthProvider != nil:
		if c.providers == nil {
			return nil, c.fault(memberAuthProvider, errNoProviders)
		}
		return c.providers.oidc(s, c)
	}
	return anonymous{}, nil
}

// anonymous is no credential, or only a client certificate.
type anonymous struct{}

func (anonymous) apply(*http.Request) error   { return nil }
func (anonymous) rejected(*http.Request) bool { return false }

// bearer is a token that never changes (RFC 6750).
type bearer string

func (b bearer) apply(r *http.Request) error {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return nil
}

func (bearer) rejected(*http.Request) bool { return false }

// basic is HTTP basic authentication (RFC 7617).
type basic struct{ name, password string }

func (b basic) apply(r *http.Request) error {
	r.SetBasicAuth(b.name, b.password)
	return nil
}

func (basic) rejected(*http.Request) bool { return false }

// userinfo is what stands before the @ of the server's URL.
func userinfo(u *url.Userinfo) basic {
	password, _ := u.Password()
	return basic{u.Username(), password}
}
