// Package contest measures rawwatch and its peers as whole processes against a
// real API server: what a first sync costs, changes, a relist, a slow link, an
// idle watch, a build. Each is a [trial.Job]; [Arena] has the server.
//
// A peer is a program of its own, which prints a [usage.Report] for each phase
// and is watched from outside meanwhile. All of them reach the server through
// a proxy that counts bytes, but where latency is measured.
package contest
