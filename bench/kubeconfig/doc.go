// Package kubeconfig holds the root module's package of that name against
// client-go: the same files, flags and environment are given to both, both
// send a request to a real server, and what the server saw must be the same,
// or both must fail. Intended differences stand in a table, which is compared
// with the one in docs/kubeconfig.md.
package kubeconfig
