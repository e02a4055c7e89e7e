// Package kubeconfig says who talks to which API server: it reads kubeconfig
// files and the in-cluster environment into a [Config], and turns a Config into
// a [Session], its live side, whose credentials and certificates renew
// themselves.
//
//	files, flags, environment --Load--> Config --Open--> Session --Authorize--> request
//
// [Load] looks, in this order, at Options.Path, the files of the KUBECONFIG
// variable, ~/.kube/config, and the service account of the pod that the program
// runs in. A Config can also be filled by hand. [Config.Describe] tells what
// was understood, and from which file, without the secrets.
//
// # What is understood
//
// All that kubectl accepts: clusters with certificates by file or data,
// tls-server-name, proxy-url, Unix sockets in addition; users with tokens,
// token files, client certificates, basic authentication, exec plugins (v1 and
// v1beta1), the oidc auth-provider, impersonation. Which file and which way to
// log in wins is client-go's rule; a differential test holds this package
// against it. The few intended differences stand in docs/kubeconfig.md.
//
// # What it is made of
//
// Everything but the parser of YAML is in package access, which a program that
// only ever runs in a pod uses alone: its Config, Session and errors are those
// of this package, under the same names. It says what renews itself, and how
// secrets are kept.
//
// The file format is that of the Kubernetes documentation, "Kubeconfig (v1)":
// https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
package kubeconfig
