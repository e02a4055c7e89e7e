package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsoniter "github.com/json-iterator/go"

	"github.com/rawwatch/rawwatch/decode"
)

// discoveryJSON reads discovery documents; field names are matched exactly.
var discoveryJSON = jsoniter.Config{CaseSensitive: true}.Froze()

// aggregated asks for all groups in one document, and for the old, one per
// group, where the server does not have it (KEP-3352).
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

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

// Discover finds the resource that a user means by a name, as kubectl does:
// plural ("pods"), singular ("pod"), kind ("Pod"), short name ("po"), each
// optionally followed by the group ("deployments.apps") or by version and
// group ("deployments.v1.apps"). Without a group the core group comes first,
// then the others in the server's order; without a version the server's
// preferred one is taken.
//
// The error is an [*UnknownResourceError] or a [*RequestError].
//
// See "API Discovery" in the Kubernetes documentation.
func (c *Client) Discover(ctx context.Context, name string) (Resource, error) {
	want := parseName(name)
	core, err := c.groupsAt(ctx, "api")
	if err != nil {
		return Resource{}, err
	}
	if r, ok := find(core.served, want); ok {
		return r, nil
	}
	others, err := c.groupsAt(ctx, "apis")
	if err != nil {
		return Resource{}, err
	}
	if r, ok := find(others.served, want); ok {
		return r, nil
	}
	return Resource{}, &UnknownResourceError{Name: name, Unreachable: append(core.unreachable, others.unreachable...)}
}

// resourceName is a name as a user wrote it, taken apart in each way that its
// dots allow.
type resourceName struct {
	name string // lower case
	// readings are the pairs of version and group that may be meant.
	readings []groupVersion
}

type groupVersion struct{ group, version string } // "" matches any

func parseName(s string) resourceName {
	name, rest, qualified := strings.Cut(s, ".")
	want := resourceName{name: strings.ToLower(name)}
	if !qualified {
		want.readings = []groupVersion{{}}
		return want
	}
	want.readings = []groupVersion{{group: rest}}
	if version, group, ok := strings.Cut(rest, "."); ok {
		want.readings = append(want.readings, groupVersion{group: group, version: version})
	} else {
		want.readings = append(want.readings, groupVersion{version: rest, group: coreGroup})
	}
	return want
}

// coreGroup stands for the core group, whose name is empty, where an empty
// string already means any.
const coreGroup = "\x00core"

// served is one resource with the names it answers to.
type served struct {
	Resource
	names []string // lower case
}

// find returns the first match of the most literal reading.
func find(all []served, want resourceName) (Resource, bool) {
	for _, reading := range want.readings {
		for _, s := range all {
			if slices.Contains(s.names, want.name) && reading.matches(s.Resource) {
				return s.Resource, true
			}
		}
	}
	return Resource{}, false
}

func (gv groupVersion) matches(r Resource) bool {
	groupOK := gv.group == "" || gv.group == r.Group || gv.group == coreGroup && r.Group == ""
	return groupOK && (gv.version == "" || gv.version == r.Version)
}

// groups is what one of the two discovery roots has to say.
type groups struct {
	served      []served
	unreachable []string
}

func (c *Client) groupsAt(ctx context.Context, root string) (groups, error) {
	body, err := c.get(ctx, root, aggregated)
	if err != nil {
		return groups{}, err
	}
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := discoveryJSON.Unmarshal(body, &kind); err != nil {
		return groups{}, &RequestError{Verb: "get", URL: c.target(request{path: root}).Redacted(), Code: 200, Err: err}
	}
	switch kind.Kind {
	case "APIGroupDiscoveryList":
		return aggregatedGroups(body)
	case "APIVersions":
		return c.coreVersions(ctx, root, body)
	default:
		return c.legacyGroups(ctx, root, body)
	}
}

// aggregatedGroups reads the one document that describes every group.
func aggregatedGroups(body []byte) (groups, error) {
	var doc struct {
		Items []struct {
			Metadata decode.Identity `json:"metadata"`
			Versions []struct {
				Version   string `json:"version"`
				Freshness string `json:"freshness"`
				Resources []struct {
					Resource     string `json:"resource"`
					ResponseKind struct {
						Kind string `json:"kind"`
					} `json:"responseKind"`
					Scope            string   `json:"scope"`
					SingularResource string   `json:"singularResource"`
					ShortNames       []string `json:"shortNames"`
				} `json:"resources"`
			} `json:"versions"`
		} `json:"items"`
	}
	if err := discoveryJSON.Unmarshal(body, &doc); err != nil {
		return groups{}, fmt.Errorf("aggregated discovery: %w", err)
	}
	var all groups
	for _, g := range doc.Items {
		for _, v := range g.Versions {
			if v.Freshness == "Stale" && len(v.Resources) == 0 {
				all.unreachable = append(all.unreachable, g.Metadata.Name+"/"+v.Version)
			}
			for _, r := range v.Resources {
				all.served = append(all.served, newServed(
					Resource{Group: g.Metadata.Name, Version: v.Version, Name: r.Resource, Kind: r.ResponseKind.Kind, Namespaced: r.Scope == "Namespaced"},
					r.SingularResource, r.ShortNames))
			}
		}
	}
	return all, nil
}

func newServed(r Resource, singular string, short []string) served {
	names := []string{r.Name, strings.ToLower(r.Kind)}
	if singular != "" {
		names = append(names, singular)
	}
	return served{Resource: r, names: append(names, short...)}
}

// coreVersions reads the older document at /api, then that of each version.
func (c *Client) coreVersions(ctx context.Context, root string, body []byte) (groups, error) {
	var doc struct {
		Versions []string `json:"versions"`
	}
	if err := discoveryJSON.Unmarshal(body, &doc); err != nil {
		return groups{}, fmt.Errorf("discovery: %w", err)
	}
	var all groups
	for _, version := range doc.Versions {
		if err := c.legacyVersion(ctx, &all, root+"/"+version, groupVersion{version: version}); err != nil {
			return groups{}, err
		}
	}
	return all, nil
}

// legacyGroups reads the older document at /apis, then that of each group's
// versions, the preferred one first.
func (c *Client) legacyGroups(ctx context.Context, root string, body []byte) (groups, error) {
	type version struct {
		Version string `json:"version"`
	}
	var doc struct {
		Groups []struct {
			Name      string    `json:"name"`
			Versions  []version `json:"versions"`
			Preferred version   `json:"preferredVersion"`
		} `json:"groups"`
	}
	if err := discoveryJSON.Unmarshal(body, &doc); err != nil {
		return groups{}, fmt.Errorf("discovery: %w", err)
	}
	var all groups
	for _, g := range doc.Groups {
		versions := append([]version{g.Preferred}, slices.DeleteFunc(g.Versions, func(v version) bool { return v == g.Preferred })...)
		for _, v := range versions {
			if v.Version == "" {
				continue
			}
			if err := c.legacyVersion(ctx, &all, root+"/"+g.Name+"/"+v.Version, groupVersion{g.Name, v.Version}); err != nil {
				return groups{}, err
			}
		}
	}
	return all, nil
}

// legacyVersion adds the resources of one group and version. One that does not
// answer, such as that of an aggregated API server that is down, is noted and
// does not hide the others.
func (c *Client) legacyVersion(ctx context.Context, all *groups, path string, gv groupVersion) error {
	body, err := c.get(ctx, path, acceptJSON)
	var answered *RequestError
	if errors.As(err, &answered) && answered.Code != 0 && answered.Code != 401 && answered.Code != 403 {
		all.unreachable = append(all.unreachable, gv.group+"/"+gv.version)
		return nil
	}
	if err != nil {
		return err
	}
	var doc struct {
		Resources []struct {
			Name         string   `json:"name"`
			SingularName string   `json:"singularName"`
			ShortNames   []string `json:"shortNames"`
			Kind         string   `json:"kind"`
			Namespaced   bool     `json:"namespaced"`
		} `json:"resources"`
	}
	if err := discoveryJSON.Unmarshal(body, &doc); err != nil {
		return fmt.Errorf("discovery of %s: %w", path, err)
	}
	for _, r := range doc.Resources {
		if strings.Contains(r.Name, "/") {
			continue // a subresource
		}
		all.served = append(all.served, newServed(
			Resource{Group: gv.group, Version: gv.version, Name: r.Name, Kind: r.Kind, Namespaced: r.Namespaced}, r.SingularName, r.ShortNames))
	}
	return nil
}
