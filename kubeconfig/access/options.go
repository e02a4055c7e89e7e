package access

import (
	"io"
	"os"
	"time"
)

// Options says where to look and what to override. The zero value looks where
// kubectl does. Options print without their secrets.
type Options struct {
	// Path is a kubeconfig file; "-" is standard input. It must exist. "" means
	// the files of the KUBECONFIG variable, then ~/.kube/config, then the pod's
	// service account.
	Path string
	// Context, Cluster and User choose other entries than current-context and
	// its context do. They must exist.
	Context, Cluster, User string

	// The fields below override single fields of the chosen entries, as
	// kubectl's flags of these names do; "", nil, false and zero leave them.

	// Server replaces the address; then no file is needed, and the entry's
	// tls-server-name does not count, since it is the other server's.
	Server string
	// CertificateAuthority is a file. It, and Insecure, replace all of the
	// entry's certificate-authority, its data, and insecure-skip-tls-verify.
	CertificateAuthority string
	TLSServerName        string
	ProxyURL             string
	DisableCompression   bool
	// Insecure turns the verification of the server off.
	Insecure bool
	// Token replaces the user's token and tokenFile.
	Token string
	// ClientCertificate and ClientKey are files; each replaces the user's file
	// and data.
	ClientCertificate, ClientKey string
	Username, Password           string
	// Impersonate… say whom the requests act as.
	ImpersonateUser, ImpersonateUID string
	ImpersonateGroups               []string
	ImpersonateExtra                map[string][]string
	Namespace                       string
	Timeout                         time.Duration

	// Follow makes sessions follow changes of the files; see [Config.Follow].
	Follow bool
	// FileLimit bounds each file, in bytes; 0 is [DefaultFileLimit].
	FileLimit int64

	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string
	// Stdin is read for the Path "-"; nil is os.Stdin.
	Stdin io.Reader
	// ServiceAccount is the directory with the pod's token, ca.crt and
	// namespace; "" is the one that Kubernetes mounts.
	ServiceAccount string
}

func (o Options) withDefaults() Options {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.FileLimit == 0 {
		o.FileLimit = DefaultFileLimit
	}
	return o
}

func (o Options) validate() error {
	switch {
	case o.FileLimit < 0:
		return &OptionError{Option: "Options.FileLimit", Problem: "is negative; zero means the default"}
	case o.Timeout < 0:
		return &OptionError{Option: "Options.Timeout", Problem: "is negative; zero means no bound"}
	case o.Follow && o.Path == stdin:
		return &OptionError{Option: "Options.Follow", Problem: "is set, but standard input cannot be followed; name a file"}
	}
	return nil
}

// impersonation is what the options ask for.
func (o Options) impersonation() Impersonation {
	return Impersonation{UserName: o.ImpersonateUser, UID: o.ImpersonateUID, Groups: o.ImpersonateGroups, Extra: o.ImpersonateExtra}
}

// authenticates reports whether the options hold a credential.
func (o Options) authenticates() bool {
	return o.Token != "" || o.Username != "" || o.ClientCertificate != ""
}
