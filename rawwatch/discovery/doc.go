// Package discovery finds out what a server calls a resource: it turns the
// names that people type ("po", "deployments.v1.apps") into a
// [rawwatch.Resource].
//
// It is a package of its own because most agents know their resources and need
// none of it: rawwatch.Pods and its like are predefined, and a custom resource
// is a literal. A program that does not import it is 0.5 MB smaller.
package discovery
