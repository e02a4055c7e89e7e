package kubeconfig

import (
	"fmt"
	"log/slog"
	"time"
)

// Config is one API server and one way to log in to it. It is a plain value
// that may also be filled by hand; only Server is required. Of each pair of
// data and file, the data wins. It prints without its secrets.
type Config struct {
	// Server is the API server's URL: https://host:port with an optional path
	// prefix, http://… without TLS, or unix:///path/to/socket for HTTP over a
	// Unix socket.
	Server string
	// Namespace of the context; "" when it names none.
	Namespace string
	// Context, ClusterName and UserName are the kubeconfig entries that were
	// used, Source is the file that named the context, or "in-cluster". They
	// are "" for a Config filled by hand; errors mention them.
	Context, ClusterName, UserName, Source string

	// CAData and CAFile hold the certificate authorities, in PEM, that may
	// vouch for the server. Both empty means the system's.
	CAData []byte
	CAFile string
	// TLSServerName replaces the host of Server in SNI and in verification.
	TLSServerName string
	// InsecureSkipTLSVerify turns the verification of the server off, which is
	// logged as a warning by each session. It excludes CAData and CAFile.
	InsecureSkipTLSVerify bool

	// CertData and KeyData, or CertFile and KeyFile, are the client's
	// certificate and key in PEM. The files are read again when they change.
	CertData, KeyData []byte
	CertFile, KeyFile string
	// BearerToken is sent as it is. BearerTokenFile, which wins, is read again
	// at least every minute and after a 401.
	BearerToken, BearerTokenFile string
	// Username and Password are HTTP basic authentication.
	Username, Password string
	// Impersonate asks the server to treat the requests as another user's.
	Impersonate Impersonation

	// ProxyURL is the proxy to the server: http, https or socks5. "" means the
	// HTTPS_PROXY, HTTP_PROXY and NO_PROXY variables.
	ProxyURL string
	// DisableCompression asks the server not to compress its answers.
	DisableCompression bool
	// Timeout bounds each get and each list page, never a watch; 0 is no bound.
	Timeout time.Duration
}

// Impersonation is whom the requests act as; see "User impersonation" in the
// Kubernetes documentation. The zero value is nobody else.
type Impersonation struct {
	UserName, UID string
	Groups        []string
	Extra         map[string][]string
}

// String describes the configuration without its secrets.
func (c Config) String() string {
	return fmt.Sprintf("server %s, context %q, cluster %q, user %q (%s), namespace %q, from %q",
		redactURL(c.Server), c.Context, c.ClusterName, c.UserName, c.credentialKind(), c.Namespace, c.Source)
}

// GoString is String: %#v must not print secrets either.
func (c Config) GoString() string { return "kubeconfig.Config{" + c.String() + "}" }

// Format prints String for every verb.
func (c Config) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, c.String()) }

// LogValue is the redacted form for log/slog.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("server", redactURL(c.Server)),
		slog.String("context", c.Context),
		slog.String("user", c.UserName),
		slog.String("credential", c.credentialKind()),
		slog.String("source", c.Source),
	)
}

// MarshalJSON keeps the secrets out of dumps; a Config is not meant to be
// stored.
func (c Config) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", c.String()), nil }

// credentialKind names what the requests carry.
func (c Config) credentialKind() string {
	switch {
	case c.BearerTokenFile != "":
		return "token file"
	case c.BearerToken != "":
		return "token"
	case c.Username != "":
		return "basic auth"
	case c.CertFile != "" || len(c.CertData) > 0:
		return "client certificate"
	}
	return "no credential"
}
