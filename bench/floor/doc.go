// Package floor holds programs that cmd/size measures agents against. Each does
// the least with what it is named after: get asks a server over TLS, with the
// standard library alone; http2 does so over golang.org/x/net/http2, as agents
// do; four uses all four libraries that the project stands on. And cmd/measure runs
// watch beside agents: it reads a watch and drops what it reads.
package floor
