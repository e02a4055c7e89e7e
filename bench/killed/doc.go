// Package killed kills agents beside a real API server, at random points, again
// and again, while objects change and histories are lost: see [killtest] for what
// is proven. It is a package of its own so that the agent, which is its test
// binary, starts in no time: client-go is not linked.
//
// [killtest]: https://pkg.go.dev/github.com/rawwatch/rawwatch/internal/killtest
package killed
