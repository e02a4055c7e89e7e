package access

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// serverAddress is a server as it was understood.
type serverAddress struct {
	scheme string // "https", "http" or "unix"
	base   *url.URL
	socket string        // path of the Unix socket
	user   *url.Userinfo // of the URL: basic authentication
}

// parseServer understands URLs, and host or host:port, which mean http as they
// do for client-go.
func parseServer(server string) (serverAddress, error) {
	if path, ok := strings.CutPrefix(server, "unix://"); ok {
		if !strings.HasPrefix(path, "/") {
			return serverAddress{}, errors.New("is a Unix socket without an absolute path; write unix:///run/proxy.sock")
		}
		return serverAddress{scheme: "unix", socket: path, base: &url.URL{Scheme: "http", Host: "localhost"}}, nil
	}
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "" || u.Host == "" {
		u, err = url.Parse("http://" + server)
		if err != nil || u.Host == "" || u.Path != "" && u.Path != "/" {
			return serverAddress{}, errors.New("is not a URL; write https://host:port")
		}
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return serverAddress{}, fmt.Errorf("has the scheme %q; write https://host:port, http://host:port or unix:///path", short(u.Scheme))
	}
	if u.Hostname() == "" {
		return serverAddress{}, errors.New("names no host; write https://host:port")
	}
	a := serverAddress{scheme: u.Scheme, user: u.User}
	path := strings.TrimRight(u.Path, "/")
	raw := strings.TrimRight(u.RawPath, "/")
	a.base = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path, RawPath: raw}
	return a, nil
}

// parseProxy understands the schemes that kubeconfigs allow; "" gives nil.
func parseProxy(proxy string) (*url.URL, error) {
	if proxy == "" {
		return nil, nil
	}
	u, err := url.Parse(proxy)
	if err != nil {
		return nil, errors.New("is not a URL; write http://host:port, https://host:port or socks5://host:port")
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		if u.Hostname() == "" {
			return nil, errors.New("names no host; write " + u.Scheme + "://host:port")
		}
		return u, nil
	}
	return nil, fmt.Errorf("has the scheme %q; use http, https or socks5", short(u.Scheme))
}
