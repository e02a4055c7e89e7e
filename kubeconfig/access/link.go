package access

import (
	"context"
	"log/slog"
	"net/url"

	"golang.org/x/net/http/httpproxy"
)

// link is all that one Config means; following a file replaces it as a whole.
type link struct {
	config     *Config
	address    serverAddress
	proxy      *url.URL      // nil: the environment's
	tls        *certificates // nil without TLS
	credential credential
}

// newLink checks a configuration and puts its parts together.
func (s *Session) newLink(original *Config) (*link, error) {
	c := new(Config)
	*c = *original
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.checkPlugins(); err != nil {
		return nil, err
	}
	for _, note := range c.notes() {
		s.log.Log(context.Background(), slog.LevelWarn, note)
	}
	l := &link{config: c}
	var err error
	if l.address, err = parseServer(c.Server); err != nil {
		return nil, c.fault(memberServer, err)
	}
	if l.proxy, err = parseProxy(c.ProxyURL); err != nil {
		return nil, c.fault(memberProxy, err)
	}
	if l.credential, err = s.credential(c, l.address); err != nil {
		return nil, err
	}
	if l.address.scheme == "https" {
		source, _ := l.credential.(certifier)
		if l.tls, err = openCertificates(s, c, source); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// proxyOf reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case.
func proxyOf(getenv func(string) string) func(*url.URL) (*url.URL, error) {
	return (&httpproxy.Config{
		HTTPProxy:  first(getenv("HTTP_PROXY"), getenv("http_proxy")),
		HTTPSProxy: first(getenv("HTTPS_PROXY"), getenv("https_proxy")),
		NoProxy:    first(getenv("NO_PROXY"), getenv("no_proxy")),
		CGI:        getenv("REQUEST_METHOD") != "",
	}).ProxyFunc()
}
