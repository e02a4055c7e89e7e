// Package kubeconfig says who talks to which API server: it reads kubeconfig
// files and the in-cluster environment into a [Config], and turns a Config into
// a [Session], its live side, whose credentials and certificates renew
// themselves.
//
//	config, err := kubeconfig.Load(kubeconfig.Options{})
//
// looks, in this order, at Options.Path, the files of the KUBECONFIG variable,
// ~/.kube/config, and the service account of the pod that the program runs in.
// A Config can also be filled by hand.
//
// # What is understood
//
// Clusters: server (https, http, unix), certificate-authority by file or data,
// tls-server-name, insecure-skip-tls-verify, proxy-url, disable-compression.
// Users: token, tokenFile, client-certificate and client-key by file or data,
// username and password, impersonation (as, as-uid, as-groups,
// as-user-extra). Contexts: cluster, user, namespace.
//
// A user that needs an exec plugin or an auth-provider is answered with an
// [*UnsupportedError] when it is used; never with a request that carries no
// credential.
//
// # Secrets
//
// No error and no log line holds a credential, and a Config prints without its
// secrets, whatever verb prints it.
//
// The file format is that of the Kubernetes documentation, "Kubeconfig (v1)":
// https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
package kubeconfig
