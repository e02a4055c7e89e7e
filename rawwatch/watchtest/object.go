package watchtest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
)

// object is one version of one object. It is immutable, and shared by the
// store, the history and everyone who is being sent it.
type object struct {
	resource             *Resource
	namespace, name, uid string
	revision             uint64

	body []byte // JSON with kind and apiVersion
	bare int    // body[bare:] after a '{' is the JSON without them

	meta, rest members // parts of body
	labels     map[string]string

	once     sync.Once
	fields   map[string]string // values of the resource's selectable fields
	slimmed  sync.Once
	partly   []byte // PartialObjectMetadata of v1
	wireOnce sync.Once
	wire     wire // the object
	slimOnce sync.Once
	slim     wire // its PartialObjectMetadata
}

// build writes the text of an object. It takes ownership of both member
// lists; meta must hold the identity already.
func build(r *Resource, meta, rest members, revision uint64, labels map[string]string) *object {
	meta.set("resourceVersion", quotedRevision(revision))
	o := &object{
		resource: r, revision: revision, labels: labels,
		namespace: meta.text("namespace"), name: meta.text("name"), uid: meta.text("uid"),
		meta: meta, rest: rest,
	}
	b := make([]byte, 0, meta.size()+rest.size()+len(r.Kind)+len(r.apiVersion())+64)
	if r.builtin {
		b = append(b, `{"kind":"`+r.Kind+`","apiVersion":"`+r.apiVersion()+`",`...)
	} else {
		b = append(b, `{"apiVersion":"`+r.apiVersion()+`","kind":"`+r.Kind+`",`...)
	}
	o.bare = len(b)
	b = append(b, `"metadata":`...)
	b = meta.append(b)
	if len(rest) > 0 {
		b = append(b, ',')
		b = rest.appendInner(b)
	}
	o.body = append(b, '}')
	return o
}

func quotedRevision(revision uint64) []byte {
	b := make([]byte, 0, 22)
	b = append(b, '"')
	b = strconv.AppendUint(b, revision, 10)
	return append(b, '"')
}

// at returns the same content under a later revision: what a DELETED frame
// carries.
func (o *object) at(revision uint64) *object {
	return build(o.resource, slices.Clone(o.meta), slices.Clone(o.rest), revision, o.labels)
}

// key is the place in the collection: the order of lists.
func (o *object) key() string { return storeKey(o.namespace, o.name) }

func storeKey(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// metadataOnly is the object as PartialObjectMetadata (API concepts,
// "Metadata-only fetches") of the version asked for; that of v1 is made once.
func (o *object) metadataOnly(apiVersion string) []byte {
	if apiVersion != "meta.k8s.io/v1" {
		return o.appendMetadataOnly(apiVersion)
	}
	o.slimmed.Do(func() { o.partly = o.appendMetadataOnly(apiVersion) })
	return o.partly
}

func (o *object) appendMetadataOnly(apiVersion string) []byte {
	head := `{"kind":"PartialObjectMetadata","apiVersion":"` + apiVersion + `","metadata":`
	b := make([]byte, 0, len(head)+o.meta.size()+1)
	b = append(b, head...)
	b = slices.Clone(o.meta).append(b)
	return append(b, '}')
}

// text is the object as JSON in a form.
func (o *object) text(f form) []byte {
	if f.slim() {
		return o.metadataOnly(f.meta)
	}
	return o.body
}

// parseLabels reads metadata.labels, sharing the map of the version before
// when nothing changed.
func parseLabels(meta members, before *object) (map[string]string, error) {
	raw := meta.get("labels")
	if len(raw) == 0 {
		return nil, nil
	}
	if before != nil && bytes.Equal(raw, before.meta.get("labels")) {
		return before.labels, nil
	}
	var labels map[string]string
	if err := json.Unmarshal(raw, &labels); err != nil {
		return nil, err
	}
	return labels, nil
}

// Object is an object of the server, as it was after the call that returned
// it. It is a value of its own; the server keeps no reference to it.
type Object struct {
	// Namespace is "" for cluster-scoped objects.
	Namespace, Name, UID string
	// ResourceVersion is the revision of the change, in decimal digits.
	ResourceVersion string
	// JSON is the complete text, with kind and apiVersion. The caller owns it.
	JSON []byte
}

func (o *object) export() Object {
	return Object{
		Namespace: o.namespace, Name: o.name, UID: o.uid,
		ResourceVersion: strconv.FormatUint(o.revision, 10),
		JSON:            bytes.Clone(o.body),
	}
}
