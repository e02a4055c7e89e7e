package discovery

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rawwatch/rawwatch/rawwatch"
)

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
