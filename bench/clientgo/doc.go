// Package clientgo runs an informer of client-go, with its defaults, as a
// measured program: what it costs is printed when it is in sync, and with each
// marker that comes. The informers themselves are made by the programs, so that
// each links no more than it needs.
package clientgo
