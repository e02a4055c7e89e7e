package watchtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// discover answers what is no resource: health, version, and discovery (API
// concepts, "API groups and discovery").
func (c *call) discover() error {
	if c.request.Method != http.MethodGet && c.request.Method != http.MethodHead {
		return c.text(http.StatusNotFound, "404 page not found\n")
	}
	path := strings.Trim(c.request.URL.Path, "/")
	resources := c.server.store.resources()
	switch path {
	case "healthz", "livez", "readyz":
		return c.text(http.StatusOK, "ok")
	case "version":
		return c.json(http.StatusOK, c.buildInfo())
	case "api":
		if c.wantsAggregated() {
			return c.aggregated(resources, true)
		}
		return c.json(http.StatusOK, marshal(map[string]any{
			"kind": "APIVersions", "versions": []string{"v1"},
			"serverAddressByClientCIDRs": []map[string]string{{"clientCIDR": "0.0.0.0/0", "serverAddress": c.request.Host}},
		}))
	case "apis":
		if c.wantsAggregated() {
			return c.aggregated(resources, false)
		}
		return c.json(http.StatusOK, marshal(map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": groupsOf(resources)}))
	}
	return c.discoverGroup(strings.Split(path, "/"), resources)
}

// discoverGroup answers /api/v1, /apis/GROUP and /apis/GROUP/VERSION.
func (c *call) discoverGroup(segments []string, resources []Resource) error {
	switch {
	case len(segments) == 2 && segments[0] == "api":
		return c.resourceList(resources, "", segments[1])
	case len(segments) == 3 && segments[0] == "apis":
		return c.resourceList(resources, segments[1], segments[2])
	case len(segments) == 2 && segments[0] == "apis":
		for _, g := range groupsOf(resources) {
			if g.Name == segments[1] {
				g.Kind, g.APIVersion = "APIGroup", "v1"
				return c.json(http.StatusOK, marshal(g))
			}
		}
	}
	return c.text(http.StatusNotFound, "404 page not found\n")
}

func (c *call) buildInfo() []byte {
	version := c.server.options.Version
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	for len(parts) < 2 {
		parts = append(parts, "0")
	}
	return marshal(map[string]string{
		"major": parts[0], "minor": parts[1], "gitVersion": version, "gitCommit": "watchtest", "gitTreeState": "clean",
		"buildDate": "1970-01-01T00:00:00Z", "goVersion": "go1.26", "compiler": "gc", "platform": "linux/amd64",
	})
}

// resources returns all registered ones in a fixed order.
func (st *store) resources() []Resource {
	st.mu.RLock()
	defer st.mu.RUnlock()
	all := make([]Resource, 0, len(st.collections))
	for _, c := range st.collections {
		all = append(all, *c.resource)
	}
	slices.SortFunc(all, func(a, b Resource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Plural, b.Plural))
	})
	return all
}

type groupVersion struct {
	GroupVersion string `json:"groupVersion"`
	Version      string `json:"version"`
}

type apiGroup struct {
	Kind             string         `json:"kind,omitempty"`
	APIVersion       string         `json:"apiVersion,omitempty"`
	Name             string         `json:"name"`
	Versions         []groupVersion `json:"versions"`
	PreferredVersion groupVersion   `json:"preferredVersion"`
}

// groupsOf gathers the named groups; the first version is the preferred one.
func groupsOf(resources []Resource) []apiGroup {
	groups := []apiGroup{}
	for _, r := range resources {
		if r.Group == "" {
			continue
		}
		v := groupVersion{r.apiVersion(), r.Version}
		i := slices.IndexFunc(groups, func(g apiGroup) bool { return g.Name == r.Group })
		if i < 0 {
			groups = append(groups, apiGroup{Name: r.Group, Versions: []groupVersion{v}, PreferredVersion: v})
		} else if !slices.Contains(groups[i].Versions, v) {
			groups[i].Versions = append(groups[i].Versions, v)
		}
	}
	return groups
}

type apiResource struct {
	Name         string   `json:"name"`
	SingularName string   `json:"singularName"`
	Namespaced   bool     `json:"namespaced"`
	Kind         string   `json:"kind"`
	Verbs        []string `json:"verbs"`
	ShortNames   []string `json:"shortNames,omitempty"`
}

var allVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

func (c *call) resourceList(resources []Resource, group, version string) error {
	list := []apiResource{}
	for _, r := range resources {
		if r.Group == group && r.Version == version {
			list = append(list,
				apiResource{r.Plural, r.singular(), r.Namespaced, r.Kind, allVerbs, r.ShortNames},
				apiResource{r.Plural + "/status", "", r.Namespaced, r.Kind, []string{"get", "patch", "update"}, nil})
		}
	}
	if len(list) == 0 {
		return c.text(http.StatusNotFound, "404 page not found\n")
	}
	return c.json(http.StatusOK, marshal(map[string]any{
		"kind": "APIResourceList", "apiVersion": "v1", "resources": list,
		"groupVersion": (&Resource{Group: group, Version: version}).apiVersion(),
	}))
}

// aggregatedType is the media type of aggregated discovery (KEP-3352).
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func (c *call) wantsAggregated() bool {
	for _, clause := range parseAccept(strings.Join(c.request.Header.Values("Accept"), ",")) {
		if clause.kind == "application/json" {
			return clause.params["as"] == "APIGroupDiscoveryList" && clause.params["g"] == "apidiscovery.k8s.io" && clause.params["v"] == "v2"
		}
	}
	return false
}

// aggregated answers /api (the core group) or /apis (the others) at once.
func (c *call) aggregated(resources []Resource, core bool) error {
	type version struct {
		Version   string           `json:"version"`
		Resources []map[string]any `json:"resources"`
		Freshness string           `json:"freshness"`
	}
	type item struct {
		Metadata map[string]string `json:"metadata"`
		Versions []version         `json:"versions"`
	}
	items := []item{}
	for _, r := range resources {
		if (r.Group == "") != core {
			continue
		}
		i := slices.IndexFunc(items, func(it item) bool { return it.Metadata["name"] == r.Group })
		if i < 0 {
			items, i = append(items, item{Metadata: map[string]string{"name": r.Group}}), len(items)
		}
		j := slices.IndexFunc(items[i].Versions, func(v version) bool { return v.Version == r.Version })
		if j < 0 {
			items[i].Versions, j = append(items[i].Versions, version{Version: r.Version, Freshness: "Current"}), len(items[i].Versions)
		}
		scope := "Cluster"
		if r.Namespaced {
			scope = "Namespaced"
		}
		items[i].Versions[j].Resources = append(items[i].Versions[j].Resources, map[string]any{
			"resource": r.Plural, "singularResource": r.singular(), "scope": scope, "shortNames": r.ShortNames, "verbs": allVerbs,
			"responseKind": map[string]string{"group": r.Group, "version": r.Version, "kind": r.Kind},
		})
	}
	document, err := json.Marshal(map[string]any{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": map[string]string{}, "items": items})
	if err != nil {
		return err
	}
	c.header.Set("Content-Type", aggregatedType)
	c.body.begin(0)
	_, err = c.body.Write(document)
	return err
}
