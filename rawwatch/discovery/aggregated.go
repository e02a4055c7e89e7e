package discovery

import (
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// aggregated asks for all groups in one document, and for the old, one per
// group, where the server does not have it (KEP-3352).
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

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
