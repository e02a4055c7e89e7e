package kubeconfig

import "time"

// Options says where to look and what to override. The zero value looks where
// kubectl does.
type Options struct {
	// Path is a kubeconfig file; "-" is standard input. It must exist. "" means
	// the files of the KUBECONFIG variable, then ~/.kube/config, then the pod's
	// service account.
	Path string
	// Context, Cluster and User choose other entries than the file's
	// current-context.
	Context, Cluster, User string
	// The rest overrides single fields, as kubectl's flags of these names do;
	// "" and zero leave them. With Server set no file is needed.
	Server, Token, Namespace            string
	CertificateAuthority, TLSServerName string
	ClientCertificate, ClientKey        string
	Username, Password                  string
	ProxyURL                            string
	Insecure                            bool
	ImpersonateUser, ImpersonateUID     string
	ImpersonateGroups                   []string
	Timeout                             time.Duration
	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string
	// ServiceAccount is the directory with the pod's token, ca.crt and
	// namespace; "" is the one that Kubernetes mounts.
	ServiceAccount string
}
