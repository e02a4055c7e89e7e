package watchtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

const applyType = "application/apply-patch+yaml"

// manager is an entry of metadata.managedFields: who applied which fields.
// There is no time in it, so that applying the same again changes nothing.
type manager struct {
	Manager     string         `json:"manager"`
	Operation   string         `json:"operation"`
	APIVersion  string         `json:"apiVersion"`
	FieldsType  string         `json:"fieldsType"`
	FieldsV1    map[string]any `json:"fieldsV1"`
	Subresource string         `json:"subresource,omitempty"`
}

// apply answers a server-side apply (API concepts, "Server-Side Apply"): of
// JSON only, with lists as single values.
func (c *call) apply(raw []byte) (*object, int, *StatusError) {
	name := c.query.Get("fieldManager")
	if name == "" {
		return nil, 0, invalid("PatchOptions", "meta.k8s.io", "", StatusCause{Type: "FieldValueRequired", Field: "fieldManager", Message: "Required value: is required for apply patch"})
	}
	d, refusal := parseDraft(c.collection.resource, raw)
	if refusal != nil {
		return nil, 0, refusal
	}
	if d.meta.get("managedFields") != nil {
		return nil, 0, badRequest("metadata.managedFields must be nil")
	}
	if d.meta.text("name") == "" { // seen on v1.37
		return nil, 0, badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", c.name)
	}
	wanted, refusal := wantedFields(d, c.subresource)
	if refusal != nil {
		return nil, 0, refusal
	}
	own := manager{Manager: name, Operation: "Apply", APIVersion: c.collection.resource.apiVersion(), FieldsType: "FieldsV1", Subresource: c.subresource}
	a := application{resource: c.collection.resource, name: c.name, own: own, wanted: wanted, version: d.meta.get("resourceVersion"), force: truth(c.query, "force")}
	o, refusal := c.server.store.patch(c.collection, c.namespace, c.name, patcher(a.to).tried(c.dry()))
	if refusal == nil || refusal.Code != http.StatusNotFound || c.subresource != "" {
		return o, http.StatusOK, refusal
	}
	if d, refusal = a.to(nil, nil); refusal != nil {
		return nil, 0, refusal
	}
	d.dry = c.dry()
	d.meta.setText("name", c.name)
	o, refusal = c.server.store.create(c.collection, d, c.namespace)
	return o, http.StatusCreated, refusal
}

// wantedFields is what the patch says, without what names the object.
func wantedFields(d draft, subresource string) (map[string]any, *StatusError) {
	meta := slices.Clone(d.meta)
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion"} {
		meta.drop(name)
	}
	all := slices.Clone(d.rest)
	if subresource == "status" {
		all, meta = members{}, nil
		if status := d.rest.get("status"); status != nil {
			all.set("status", status)
		}
	}
	if len(meta) > 0 {
		all.set("metadata", meta.append(nil))
	}
	v, err := decodeExact(all.append(nil))
	if err != nil {
		return nil, badRequest("error decoding YAML: watchtest reads JSON only: %v", err)
	}
	return v.(map[string]any), nil
}

// application is one apply on its way into an object.
type application struct {
	resource *Resource
	name     string
	own      manager
	wanted   map[string]any
	version  json.RawMessage // precondition; nil is none
	force    bool
}

// to is a [patcher].
func (a application) to(meta, rest members) (draft, *StatusError) {
	var managers []manager
	if raw := meta.get("managedFields"); raw != nil {
		if err := json.Unmarshal(raw, &managers); err != nil {
			return draft{}, badRequest("metadata.managedFields: %v", err)
		}
	}
	all := slices.Clone(rest)
	all.set("metadata", meta.append(nil))
	v, err := decodeExact(all.append(nil))
	if err != nil {
		return draft{}, badRequest("error decoding the object: %v", err)
	}
	document := v.(map[string]any)
	mine, others := a.split(managers)
	leaves := leavesOf(a.wanted)
	if refusal := a.clash(document, leaves, others); refusal != nil {
		return draft{}, refusal
	}
	for path := range mine {
		if fields, _ := valueAt(document, strings.Split(path, "\x00")).(map[string]any); len(fields) > 0 {
			continue // it was empty when it was applied; what is in it now is others'
		}
		if !leaves[path] && !slices.ContainsFunc(others, func(m manager) bool { return owned(m)[path] }) {
			removeAt(document, strings.Split(path, "\x00"))
		}
	}
	document = overlay(document, a.wanted)
	a.own.FieldsV1 = treeOf(leaves)
	others = slices.DeleteFunc(others, func(m manager) bool { return len(m.FieldsV1) == 0 })
	document["metadata"].(map[string]any)["managedFields"] = append(others, a.own)
	if a.version != nil {
		document["metadata"].(map[string]any)["resourceVersion"] = a.version
	}
	return split(document)
}

// split tells what this manager owned from the other managers.
func (a application) split(managers []manager) (mine map[string]bool, others []manager) {
	for _, m := range managers {
		if m.Manager == a.own.Manager && m.Subresource == a.own.Subresource {
			mine = owned(m)
		} else {
			others = append(others, m)
		}
	}
	return mine, others
}

// clash finds wanted fields that others own with another value. With force
// they lose them.
func (a application) clash(document map[string]any, leaves map[string]bool, others []manager) *StatusError {
	var causes []StatusCause
	for i, m := range others {
		theirs := owned(m)
		for _, path := range slices.Sorted(maps.Keys(theirs)) {
			names := strings.Split(path, "\x00")
			if !leaves[path] || reflect.DeepEqual(valueAt(document, names), valueAt(a.wanted, names)) {
				continue
			}
			delete(theirs, path)
			causes = append(causes, StatusCause{Type: "FieldManagerConflict", Message: fmt.Sprintf("conflict with %q", m.Manager), Field: "." + strings.Join(names, ".")})
		}
		if a.force {
			others[i].FieldsV1 = treeOf(theirs)
		}
	}
	if len(causes) == 0 || a.force {
		return nil
	}
	return &StatusError{Code: http.StatusConflict, Reason: "Conflict", Details: &StatusDetails{Causes: causes},
		Message: fmt.Sprintf("Apply failed with %d conflicts: %s: %s", len(causes), causes[0].Message, causes[0].Field)}
}
