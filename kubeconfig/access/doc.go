// Package access says who talks to which API server: a [Config] names the
// server and the credential, and a [Session] is its live side, whose
// credentials and certificates renew themselves.
//
//	environment --InCluster-----> Config --Open--> Session --Authorize--> request
//	files       --kubeconfig.Load-^
//
// [InCluster] is the configuration of the pod that the program runs in. Package
// kubeconfig reads kubeconfig files; it is apart, so that a program that only
// ever runs in a pod does not link a parser of YAML. A Config can also be
// filled by hand. [Config.Describe] tells what was understood, and from which
// file, without the secrets.
//
// # What renews itself
//
// A session reads again, when they change, the token file, the CA bundle and
// the client certificate; runs an exec plugin, or asks the OIDC issuer, shortly
// before a credential expires, or when the server rejected it; and, if
// Config.Follow is set, reads the kubeconfig itself again. All requests share
// one renewal. While a renewal fails, what is still valid stays in use, and
// attempts are spaced out.
//
// # Secrets
//
// No error and no log line holds a credential, and Config, Options, ExecConfig
// and AuthProvider print without their secrets, whatever verb prints them.
// A kubeconfig's credentials are never sent over plain http.
package access
