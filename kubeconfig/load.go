package kubeconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Load finds and reads the configuration; see [Options] for where. Errors name
// file, entry and field: a [*FieldError], an [*UnsupportedError] inside one,
// [ErrNoConfig], or the operating system's.
func Load(o Options) (*Config, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	all, err := readAll(o)
	if err != nil {
		return nil, err
	}
	c, err := all.config(o)
	if err != nil {
		return nil, err
	}
	if c.Server == "" && o.Server == "" {
		inside, err := inCluster(o)
		if err != nil {
			return nil, err
		}
		c = inside
	}
	return c, c.override(o)
}

// merged is several files read as one: the first file that names an entry, or
// the current context, wins; entries are never mixed.
type merged struct {
	current, currentFile string
	clusters             map[string]namedCluster
	users                map[string]namedUser
	contexts             map[string]namedContext
}

func readAll(o Options) (*merged, error) {
	m := &merged{clusters: map[string]namedCluster{}, users: map[string]namedUser{}, contexts: map[string]namedContext{}}
	for _, path := range paths(o) {
		f, err := readFile(path)
		if errors.Is(err, fs.ErrNotExist) && o.Path == "" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("kubeconfig: %w", err)
		}
		m.add(f)
	}
	return m, nil
}

// paths are the files to read, in the order in which they win.
func paths(o Options) []string {
	if o.Path != "" {
		return []string{o.Path}
	}
	if list := o.Getenv("KUBECONFIG"); list != "" {
		var all []string
		for _, path := range filepath.SplitList(list) {
			if path != "" {
				all = append(all, path)
			}
		}
		return all
	}
	home := o.Getenv("HOME")
	if home == "" {
		home = o.Getenv("USERPROFILE")
	}
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".kube", "config")}
}

func (m *merged) add(f *file) {
	if m.current == "" && f.CurrentContext != "" {
		m.current, m.currentFile = f.CurrentContext, f.path
	}
	for _, c := range f.Clusters {
		if _, taken := m.clusters[c.Name]; !taken {
			m.clusters[c.Name] = c
		}
	}
	for _, u := range f.Users {
		if _, taken := m.users[u.Name]; !taken {
			m.users[u.Name] = u
		}
	}
	for _, c := range f.Contexts {
		if _, taken := m.contexts[c.Name]; !taken {
			m.contexts[c.Name] = c
		}
	}
}

// config is what the chosen context says. It is empty when there is no
// context at all.
func (m *merged) config(o Options) (*Config, error) {
	c := &Config{Context: o.Context, Source: m.currentFile}
	if c.Context == "" {
		c.Context = m.current
	}
	clusterName, userName := o.Cluster, o.User
	if c.Context != "" {
		entry, ok := m.contexts[c.Context]
		if !ok {
			return nil, &FieldError{File: m.currentFile, Field: "contexts", Err: fmt.Errorf("there is no context %q; the files have: %s", c.Context, names(m.contexts))}
		}
		c.Source = entry.file
		if entry.Context != nil {
			c.Namespace = entry.Context.Namespace
			clusterName = first(clusterName, entry.Context.Cluster)
			userName = first(userName, entry.Context.User)
		}
	}
	if err := c.useCluster(m, clusterName, o); err != nil {
		return nil, err
	}
	return c, c.useUser(m, userName, o)
}

func (c *Config) useCluster(m *merged, name string, o Options) error {
	if name == "" {
		return nil
	}
	entry, ok := m.clusters[name]
	switch {
	case ok && entry.Cluster != nil && (entry.Cluster.Server != "" || o.Server != ""):
	case o.Server != "":
		return nil
	case !ok:
		return &FieldError{File: c.Source, Field: "clusters", Err: fmt.Errorf("context %q uses the cluster %q, which is in no file", c.Context, name)}
	default:
		return &FieldError{File: entry.file, Field: "clusters[" + name + "].server", Err: errors.New("is empty; give the API server's URL")}
	}
	from := entry.Cluster
	c.ClusterName, c.Server = name, from.Server
	c.CAData, c.CAFile, c.TLSServerName = from.CAData, from.CAFile, from.TLSServerName
	c.InsecureSkipTLSVerify, c.ProxyURL, c.DisableCompression = from.Insecure, from.ProxyURL, from.DisableCompression
	if c.InsecureSkipTLSVerify && (len(c.CAData) > 0 || c.CAFile != "") {
		return &FieldError{File: entry.file, Field: "clusters[" + name + "].insecure-skip-tls-verify", Err: errors.New("excludes a certificate-authority; remove one of them")}
	}
	return nil
}

func (c *Config) useUser(m *merged, name string, o Options) error {
	if name == "" {
		return nil
	}
	entry, ok := m.users[name]
	if !ok {
		return &FieldError{File: c.Source, Field: "users", Err: fmt.Errorf("context %q uses the user %q, which is in no file", c.Context, name)}
	}
	c.UserName = name
	if entry.User == nil {
		return nil
	}
	from := entry.User
	c.BearerToken, c.BearerTokenFile = from.Token, from.TokenFile
	c.CertData, c.CertFile, c.KeyData, c.KeyFile = from.CertData, from.CertFile, from.KeyData, from.KeyFile
	c.Username, c.Password = from.Username, from.Password
	c.Impersonate = Impersonation{UserName: from.As, UID: from.AsUID, Groups: from.AsGroups, Extra: from.AsUserExtra}
	if from.Token != "" || from.TokenFile != "" || o.Token != "" {
		return nil // a token wins over a plugin
	}
	if from.Exec != nil {
		return &FieldError{File: entry.file, Field: "users[" + name + "].exec", Err: &UnsupportedError{Feature: "exec", Instead: "use a token, a tokenFile or a client certificate"}}
	}
	if from.AuthProvider != nil {
		return &FieldError{File: entry.file, Field: "users[" + name + "].auth-provider", Err: &UnsupportedError{Feature: "auth-provider " + from.AuthProvider.Name, Instead: "use a token, a tokenFile or a client certificate"}}
	}
	return nil
}

// override puts the single fields of the options in their places.
func (c *Config) override(o Options) error {
	if o.Server != "" {
		c.Server = o.Server
	}
	c.Namespace = first(o.Namespace, c.Namespace)
	c.TLSServerName = first(o.TLSServerName, c.TLSServerName)
	c.ProxyURL = first(o.ProxyURL, c.ProxyURL)
	if o.CertificateAuthority != "" {
		c.CAData, c.CAFile, c.InsecureSkipTLSVerify = nil, o.CertificateAuthority, false
	}
	if o.Insecure {
		c.CAData, c.CAFile, c.InsecureSkipTLSVerify = nil, "", true
	}
	if o.ClientCertificate != "" {
		c.CertData, c.CertFile = nil, o.ClientCertificate
	}
	if o.ClientKey != "" {
		c.KeyData, c.KeyFile = nil, o.ClientKey
	}
	if o.Token != "" {
		c.BearerToken, c.BearerTokenFile, c.Username, c.Password = o.Token, "", "", ""
	}
	if o.Username != "" || o.Password != "" {
		c.Username, c.Password = first(o.Username, c.Username), first(o.Password, c.Password)
	}
	if o.ImpersonateUser != "" || o.ImpersonateUID != "" || len(o.ImpersonateGroups) > 0 {
		c.Impersonate = Impersonation{UserName: o.ImpersonateUser, UID: o.ImpersonateUID, Groups: o.ImpersonateGroups}
	}
	if o.Timeout != 0 {
		c.Timeout = o.Timeout
	}
	return nil
}

// first is the first of the two that is not empty.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func names[V any](m map[string]V) string {
	if len(m) == 0 {
		return "none"
	}
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	return strings.Join(sorted(all), ", ")
}
