package discovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsoniter "github.com/json-iterator/go"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// documents reads what servers tell; names of fields are matched exactly.
var documents = jsoniter.Config{CaseSensitive: true}.Froze()

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

// server is the API server that is asked.
type server struct{ client *rawwatch.Client }

// unmarshal reads a document.
func unmarshal(path string, body []byte, v any) error {
	if err := documents.Unmarshal(body, v); err != nil {
		return &rawwatch.RequestError{Verb: "get", URL: path, Code: 200, Err: errors.New("the discovery document does not parse: is this a Kubernetes API server?")}
	}
	return nil
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
	rawwatch.Resource
	names []string // lower case
}

// find returns the first match of the most literal reading.
func find(all []served, want resourceName) (rawwatch.Resource, bool) {
	for _, reading := range want.readings {
		for _, s := range all {
			if slices.Contains(s.names, want.name) && reading.matches(s.Resource) {
				return s.Resource, true
			}
		}
	}
	return rawwatch.Resource{}, false
}

func (gv groupVersion) matches(r rawwatch.Resource) bool {
	groupOK := gv.group == "" || gv.group == r.Group || gv.group == coreGroup && r.Group == ""
	return groupOK && (gv.version == "" || gv.version == r.Version)
}

// groups is what one of the two discovery roots has to say.
type groups struct {
	served      []served
	unreachable []string
}

func (s server) groupsAt(ctx context.Context, root string) (groups, error) {
	body, err := s.get(ctx, root, aggregated)
	if err != nil {
		return groups{}, err
	}
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := unmarshal(root, body, &kind); err != nil {
		return groups{}, err
	}
	switch kind.Kind {
	case "APIGroupDiscoveryList":
		return aggregatedGroups(root, body)
	case "APIVersions":
		return s.coreVersions(ctx, root, body)
	default:
		return s.legacyGroups(ctx, root, body)
	}
}

// aggregatedGroups reads the one document that describes every group.
func aggregatedGroups(root string, body []byte) (groups, error) {
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
	if err := unmarshal(root, body, &doc); err != nil {
		return groups{}, err
	}
	var all groups
	for _, g := range doc.Items {
		for _, v := range g.Versions {
			if v.Freshness == "Stale" && len(v.Resources) == 0 {
				all.unreachable = append(all.unreachable, g.Metadata.Name+"/"+v.Version)
			}
			for _, r := range v.Resources {
				all.served = append(all.served, newServed(
					rawwatch.Resource{Group: g.Metadata.Name, Version: v.Version, Name: r.Resource, Kind: r.ResponseKind.Kind, Namespaced: r.Scope == "Namespaced"},
					r.SingularResource, r.ShortNames))
			}
		}
	}
	return all, nil
}

func newServed(r rawwatch.Resource, singular string, short []string) served {
	names := []string{r.Name, strings.ToLower(r.Kind)}
	if singular != "" {
		names = append(names, singular)
	}
	return served{Resource: r, names: append(names, short...)}
}

// coreVersions reads the older document at /api, then that of each version.
func (s server) coreVersions(ctx context.Context, root string, body []byte) (groups, error) {
	var doc struct {
		Versions []string `json:"versions"`
	}
	if err := unmarshal(root, body, &doc); err != nil {
		return groups{}, err
	}
	var all groups
	for _, version := range doc.Versions {
		if err := s.legacyVersion(ctx, &all, root+"/"+version, groupVersion{version: version}); err != nil {
			return groups{}, err
		}
	}
	return all, nil
}

// legacyGroups reads the older document at /apis, then that of each group's
// versions, the preferred one first.
func (s server) legacyGroups(ctx context.Context, root string, body []byte) (groups, error) {
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
	if err := unmarshal(root, body, &doc); err != nil {
		return groups{}, err
	}
	var all groups
	for _, g := range doc.Groups {
		versions := append([]version{g.Preferred}, slices.DeleteFunc(g.Versions, func(v version) bool { return v == g.Preferred })...)
		for _, v := range versions {
			if v.Version == "" {
				continue
			}
			if err := s.legacyVersion(ctx, &all, root+"/"+g.Name+"/"+v.Version, groupVersion{g.Name, v.Version}); err != nil {
				return groups{}, err
			}
		}
	}
	return all, nil
}

// legacyVersion adds the resources of one group and version. One that does not
// answer, such as that of an aggregated API server that is down, is noted and
// does not hide the others.
func (s server) legacyVersion(ctx context.Context, all *groups, path string, gv groupVersion) error {
	body, err := s.get(ctx, path, "application/json")
	var answered *rawwatch.RequestError
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
	if err := unmarshal(path, body, &doc); err != nil {
		return err
	}
	for _, r := range doc.Resources {
		if strings.Contains(r.Name, "/") {
			continue // a subresource
		}
		all.served = append(all.served, newServed(
			rawwatch.Resource{Group: gv.group, Version: gv.version, Name: r.Name, Kind: r.Kind, Namespaced: r.Namespaced}, r.SingularName, r.ShortNames))
	}
	return nil
}
