package access

import "errors"

// providers are the credentials that come from another program or server. They
// are reached through the Config alone, so that only programs that read
// kubeconfig files, or ask for it, link them: that is 180 KB less in an agent
// that runs in a pod.
type providers struct {
	exec, oidc func(*Session, *Config) (credential, error)
}

var allProviders = &providers{
	exec: (*Session).execCredential,
	oidc: (*Session).oidcCredential,
}

// WithProviders lets a Config that was filled by hand use its Exec or
// AuthProvider, and returns it. [Files.Load] does so by itself. A Config that names
// one of them without it cannot be opened.
func (c *Config) WithProviders() *Config {
	c.providers = allProviders
	return c
}

// errNoProviders is a mistake of the program.
var errNoProviders = errors.New("this Config was filled by hand: call its WithProviders method to link what the entry needs")
