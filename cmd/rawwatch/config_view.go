package main

import (
	"cmp"
	"net/url"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// view is a configuration as it may be shown to anybody.
type view struct {
	Source                string   `json:"source"`
	Context               string   `json:"context,omitempty"`
	Cluster               string   `json:"cluster,omitempty"`
	User                  string   `json:"user,omitempty"`
	Server                string   `json:"server"`
	Namespace             string   `json:"namespace"`
	CertificateAuthority  string   `json:"certificate-authority,omitempty"`
	TLSServerName         string   `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify bool     `json:"insecure-skip-tls-verify,omitempty"`
	ProxyURL              string   `json:"proxy-url,omitempty"`
	ClientCertificate     string   `json:"client-certificate,omitempty"`
	ClientKey             string   `json:"client-key,omitempty"`
	Token                 string   `json:"token,omitempty"`
	TokenFile             string   `json:"tokenFile,omitempty"`
	Username              string   `json:"username,omitempty"`
	Password              string   `json:"password,omitempty"`
	As                    string   `json:"as,omitempty"`
	AsGroups              []string `json:"as-groups,omitempty"`
	AsUID                 string   `json:"as-uid,omitempty"`
	RequestTimeout        string   `json:"request-timeout,omitempty"`
}

func viewOf(c *kubeconfig.Config) view {
	v := view{
		Source: sourceOf(c), Context: c.Context, Cluster: c.ClusterName, User: c.UserName,
		Server: withoutUser(c.Server), Namespace: cmp.Or(c.Namespace, "default"),
		CertificateAuthority: fileOrInline(c.CAFile, c.CAData), TLSServerName: c.TLSServerName,
		InsecureSkipTLSVerify: c.InsecureSkipTLSVerify, ProxyURL: withoutUser(c.ProxyURL),
		ClientCertificate: fileOrInline(c.CertFile, c.CertData), ClientKey: fileOrSecret(c.KeyFile, string(c.KeyData)),
		Token: fileOrSecret("", c.BearerToken), TokenFile: c.BearerTokenFile,
		Username: c.Username, Password: fileOrSecret("", c.Password),
		As: c.Impersonate.UserName, AsGroups: c.Impersonate.Groups, AsUID: c.Impersonate.UID,
	}
	if c.Timeout > 0 {
		v.RequestTimeout = c.Timeout.String()
	}
	return v
}

func sourceOf(c *kubeconfig.Config) string { return cmp.Or(c.Source, "flags") }

// fileOrInline says where a certificate stands. Data goes before a file, as in
// the kubeconfig.
func fileOrInline(file string, data []byte) string {
	if len(data) > 0 {
		return "(data)"
	}
	return file
}

func fileOrSecret(file, secret string) string {
	if secret != "" {
		return "REDACTED"
	}
	return file
}

// withoutUser takes name and password out of a URL.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = url.User("REDACTED")
	return u.String()
}
