package discovery

import (
	"slices"
	"strings"

	"github.com/rawwatch/rawwatch/rawwatch"
)

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

func newServed(r rawwatch.Resource, singular string, short []string) served {
	names := []string{r.Name, strings.ToLower(r.Kind)}
	if singular != "" {
		names = append(names, singular)
	}
	return served{Resource: r, names: append(names, short...)}
}
