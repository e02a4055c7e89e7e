// Package resume decides how a list/watch client goes on, whatever the server,
// the network or the process does, and remembers what it needs to tell exactly
// what has changed. It does no I/O.
package resume

//go:generate go run ./internal/statedoc . ../docs/states.md
