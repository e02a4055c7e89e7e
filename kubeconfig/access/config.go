package access

import "time"

// Config is one API server and one way to log in to it. It is a plain value
// that may also be filled by hand; only Server is required. Of each pair of
// data and file, the data wins. It prints without its secrets, whatever verb
// prints it; the single fields do not.
//
// When several ways to log in are set, a token goes before basic
// authentication (both together are refused), these two and a client
// certificate before Exec, and these before AuthProvider's token. A client
// certificate is presented beside a token.
type Config struct {
	// Server is the API server's URL: https://host:port with an optional path
	// prefix, http://… without TLS, or unix:///path/to/socket for HTTP over a
	// Unix socket. A name or address without a scheme means http.
	Server string
	// Namespace of the context; "" when it names none.
	Namespace string
	// Context, ClusterName and UserName are the kubeconfig entries that were
	// used, Source is the file that holds the context, or "in-cluster". They
	// are "" for a Config filled by hand; errors mention them.
	Context, ClusterName, UserName, Source string

	// CAData and CAFile hold the certificate authorities, in PEM, that may
	// vouch for the server. Both empty means the system's. The file is read
	// again when it changes.
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
	// BearerToken is sent as it is. BearerTokenFile goes before it, and is read
	// again when it changes, at least every minute, and after a 401; while it
	// cannot be read, its last token, or BearerToken, is used.
	BearerToken, BearerTokenFile string
	// Username and Password are HTTP basic authentication.
	Username, Password string
	// Exec is a program that prints a credential; nil is none. A Config filled
	// by hand needs WithProviders to use it.
	Exec *ExecConfig
	// AuthProvider is the older kind of plugin; nil is none. A Config filled by
	// hand needs WithProviders to use it.
	AuthProvider *AuthProvider
	// Impersonate asks the server to treat the requests as another user's.
	Impersonate Impersonation

	// ProxyURL is the proxy to the server: http, https or socks5. "" means the
	// HTTPS_PROXY, HTTP_PROXY and NO_PROXY variables.
	ProxyURL string
	// DisableCompression asks the server not to compress its answers.
	DisableCompression bool
	// Timeout bounds each get and each list page, never a watch; 0 is no bound.
	Timeout time.Duration

	// Follow makes sessions look at the kubeconfig files from time to time,
	// and go on with what they say then about the same context: another
	// server, CA, certificate or token. Only for a Config that Load read from
	// files. A change that cannot be used is logged and not followed.
	Follow bool

	// origin is where Load found it all; nil for a Config filled by hand.
	origin *origin
	// providers are linked by Load and WithProviders; nil is neither.
	providers *providers
}

// Impersonation is whom the requests act as; see "User impersonation" in the
// Kubernetes documentation. The zero value is nobody else. UID, Groups and
// Extra need a UserName.
type Impersonation struct {
	UserName, UID string
	Groups        []string
	Extra         map[string][]string
}

func (i Impersonation) isZero() bool {
	return i.UserName == "" && i.UID == "" && len(i.Groups) == 0 && len(i.Extra) == 0
}

// AuthProvider is a user's auth-provider entry. Kubernetes removed all of them
// but "oidc"; the others are answered with an [*UnsupportedError] that names
// what replaced them. It prints without its Config.
type AuthProvider struct {
	// Name is "oidc".
	Name string
	// Config holds idp-issuer-url, client-id, client-secret, refresh-token,
	// id-token, idp-certificate-authority and idp-certificate-authority-data
	// (base64).
	Config map[string]string
	// Save, if set, is called with the new Config after each refresh: some
	// issuers accept a refresh token only once. It is called by one goroutine
	// at a time; its error is logged, and the new tokens are used all the same.
	// The kubeconfig file itself is never written.
	Save func(map[string]string) error
}
