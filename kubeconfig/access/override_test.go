package access

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const overridable = `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: shop}}, {name: other, context: {cluster: l, user: v}}]
clusters:
- {name: k, cluster: {server: "https://k.example", tls-server-name: name, certificate-authority-data: LS0t}}
- {name: l, cluster: {server: "https://l.example", insecure-skip-tls-verify: true}}
users:
- {name: u, user: {tokenFile: /token, as: jane, as-groups: [dev]}}
- {name: v, user: {username: joe, password: pass}}
`

// TestOverrides loads the same text under different flags; change says what
// differs from the Config without any.
func TestOverrides(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca")
	write(t, ca, testCA(t).pem())
	load := func(o Options) (*Config, error) {
		o.Path, o.Stdin, o.Getenv = "-", strings.NewReader(overridable), noEnvironment
		c, err := yamlFiles.Load(o)
		if err == nil {
			c.origin = nil
		}
		return c, err
	}
	for _, test := range []struct {
		name    string
		options Options
		change  func(*Config)
	}{
		{"none", Options{}, func(*Config) {}},
		{"context", Options{Context: "other"}, func(c *Config) {
			*c = Config{Server: "https://l.example", Context: "other", ClusterName: "l", UserName: "v", Source: c.Source, InsecureSkipTLSVerify: true, Username: "joe", Password: "pass"}
		}},
		{"cluster", Options{Cluster: "l"}, func(c *Config) {
			c.ClusterName, c.Server, c.InsecureSkipTLSVerify, c.TLSServerName, c.CAData = "l", "https://l.example", true, "", nil
		}},
		{"user", Options{User: "v"}, func(c *Config) {
			c.UserName, c.Username, c.Password, c.BearerTokenFile, c.Impersonate = "v", "joe", "pass", "", Impersonation{}
		}},
		{"server drops the server name", Options{Server: "https://x.example"}, func(c *Config) { c.Server, c.TLSServerName = "https://x.example", "" }},
		{"server and name", Options{Server: "https://x.example", TLSServerName: "y"}, func(c *Config) { c.Server, c.TLSServerName = "https://x.example", "y" }},
		{"CA drops data", Options{CertificateAuthority: ca}, func(c *Config) { c.CAFile, c.CAData = ca, nil }},
		{"insecure drops CA", Options{Insecure: true}, func(c *Config) { c.InsecureSkipTLSVerify, c.CAData = true, nil }},
		{"token drops the file", Options{Token: "t"}, func(c *Config) { c.BearerToken, c.BearerTokenFile = "t", "" }},
		{"impersonation", Options{ImpersonateUser: "root", ImpersonateUID: "7", ImpersonateExtra: map[string][]string{"a": {"b"}}}, func(c *Config) {
			c.Impersonate = Impersonation{UserName: "root", UID: "7", Groups: []string{"dev"}, Extra: map[string][]string{"a": {"b"}}}
		}},
		{"groups", Options{ImpersonateGroups: []string{"ops"}}, func(c *Config) { c.Impersonate.Groups = []string{"ops"} }},
		{"the rest", Options{Namespace: "n", ProxyURL: "http://p", DisableCompression: true, Timeout: time.Minute, Follow: false}, func(c *Config) {
			c.Namespace, c.ProxyURL, c.DisableCompression, c.Timeout = "n", "http://p", true, time.Minute
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, err := load(Options{})
			if err != nil {
				t.Fatal(err)
			}
			providers := want.providers
			test.change(want)
			want.providers = providers
			got, err := load(test.options)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v %v\nwant %v %v", got, got.Describe().Settings, want, want.Describe().Settings)
			}
		})
	}
}

// TestFaultsOfOptions: what a flag broke is said of the flag, not of the file.
func TestFaultsOfOptions(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{Server: "ftp://x"}, "Options.Server: has the scheme"},
		{Options{ProxyURL: "ftp://x"}, "Options.ProxyURL: has the scheme"},
		{Options{ProxyURL: "http://"}, "Options.ProxyURL: names no host"},
		{Options{CertificateAuthority: "/nowhere"}, "Options.CertificateAuthority: cannot be read"},
		{Options{ClientCertificate: "/nowhere"}, "users[u].client-key: is missing"},
		{Options{ClientCertificate: "/nowhere", ClientKey: "/nowhere"}, "Options.ClientCertificate: cannot be read"},
		{Options{Username: "joe", Token: "t"}, "Options.Token: excludes username and password"},
		{Options{User: "nobody"}, `users[nobody]: does not exist; choose one of: "u", "v"`},
		{Options{Cluster: "nowhere"}, `clusters[nowhere]: does not exist; choose one of: "k", "l"`},
		{Options{Context: "nothing"}, `contexts[nothing]: does not exist; choose one of: "c", "other"`},
	} {
		o := test.options
		o.Path, o.Stdin, o.Getenv = "-", strings.NewReader(overridable), noEnvironment
		_, err := yamlFiles.Load(o)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v:\ngot  %v\nwant %s", test.options, err, test.want)
		}
	}
}

// TestMerge: the first file that names an entry wins, whole.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"a/config": `{current-context: "", users: [{name: u, user: {tokenFile: first}}]}`,
		"b/config": `{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], users: [{name: u, user: {tokenFile: second, as: jane}}]}`,
		"c/config": `{current-context: d, contexts: [{name: c, context: {cluster: gone}}], clusters: [{name: k, cluster: {server: "https://k.example", certificate-authority: ../b/ca}}]}`,
		"b/ca":     "",
		"empty":    "",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		mkdir(t, filepath.Dir(path))
		write(t, path, []byte(text))
	}
	list := ""
	for _, name := range []string{"a/config", "", "missing", "empty", "b/config", "c/config", "a/config"} {
		if name != "" {
			name = filepath.Join(dir, name)
		}
		list += name + string(filepath.ListSeparator)
	}
	c, err := yamlFiles.Load(Options{Getenv: environment(map[string]string{"KUBECONFIG": list})})
	if err != nil {
		t.Fatal(err)
	}
	if c.Context != "c" || c.Server != "https://k.example" || c.Source != filepath.Join(dir, "b/config") || c.Impersonate.UserName != "" ||
		c.BearerTokenFile != filepath.Join(dir, "a/first") || c.CAFile != filepath.Join(dir, "b/ca") {
		t.Errorf("got %v %v", c, c.Describe().Settings)
	}
}
