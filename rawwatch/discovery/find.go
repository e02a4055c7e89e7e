package discovery

import (
	"context"
	"fmt"
	"strings"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// UnknownResourceError is a name that the server serves no resource by.
type UnknownResourceError struct {
	// Name as it was asked for.
	Name string
	// Unreachable holds the API groups that could not be asked, "group/version"
	// each, because the server that serves them did not answer.
	Unreachable []string
}

// Error implements error.
func (e *UnknownResourceError) Error() string {
	s := fmt.Sprintf("the server has no resource %q: see kubectl api-resources for the names that it serves", e.Name)
	if len(e.Unreachable) > 0 {
		s += "; could not ask " + strings.Join(e.Unreachable, ", ")
	}
	return s
}

// Find finds the resource that a user means by a name, as kubectl does:
// plural ("pods"), singular ("pod"), kind ("Pod"), short name ("po"), each
// optionally followed by the group ("deployments.apps") or by version and
// group ("deployments.v1.apps"). Without a group the core group comes first,
// then the others in the server's order; without a version the server's
// preferred one is taken.
//
// It asks the server one or two questions where that has aggregated discovery
// (Kubernetes 1.26 and later), and otherwise one for each group and version.
// The error is an [*UnknownResourceError] or a [*rawwatch.RequestError].
//
// See "API Discovery" in the Kubernetes documentation.
func Find(ctx context.Context, c *rawwatch.Client, name string) (rawwatch.Resource, error) {
	want := parseName(name)
	s := server{c}
	core, err := s.groupsAt(ctx, "api")
	if err != nil {
		return rawwatch.Resource{}, err
	}
	if r, ok := find(core.served, want); ok {
		return r, nil
	}
	others, err := s.groupsAt(ctx, "apis")
	if err != nil {
		return rawwatch.Resource{}, err
	}
	if r, ok := find(others.served, want); ok {
		return r, nil
	}
	return rawwatch.Resource{}, &UnknownResourceError{Name: name, Unreachable: append(core.unreachable, others.unreachable...)}
}
