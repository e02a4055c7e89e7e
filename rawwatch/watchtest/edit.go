package watchtest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// draft is an object on its way into the store: what somebody sent, taken
// apart, and not yet checked against what is there.
type draft struct {
	meta, rest members
	dry        bool // checked and returned, but not kept
}

// parseDraft reads an object that was sent for a resource.
func parseDraft(r *Resource, raw []byte) (draft, *StatusError) {
	top, err := parseMembers(raw)
	if err != nil {
		return draft{}, badRequest("the object provided is unrecognized (must be of type %s): %v", r.Kind, err)
	}
	if kind := top.text("kind"); kind != "" && kind != r.Kind {
		return draft{}, badRequest("%s in version %q cannot be handled as a %s: no kind %q is registered for this resource", kind, r.Version, r.Kind, kind)
	}
	if v := top.text("apiVersion"); v != "" && v != r.apiVersion() {
		return draft{}, badRequest("the API version in the data (%s) does not match the expected API version (%s)", v, r.apiVersion())
	}
	var meta members
	if raw := top.get("metadata"); len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
		if meta, err = parseMembers(raw); err != nil {
			return draft{}, badRequest("%s in version %q cannot be handled as a %s: metadata: %v", r.Kind, r.Version, r.Kind, err)
		}
	}
	top.drop("kind")
	top.drop("apiVersion")
	top.drop("metadata")
	return draft{meta: meta, rest: top}, nil
}

// draftOf reads what a Go call was given: JSON text, or anything that
// encoding/json can encode.
func draftOf(r *Resource, obj any) (draft, *StatusError) {
	raw, err := textOf(obj)
	if err != nil {
		return draft{}, badRequest("the object cannot be encoded: %v", err)
	}
	return parseDraft(r, raw)
}

func textOf(v any) ([]byte, error) {
	switch v := v.(type) {
	case []byte:
		return v, nil
	case json.RawMessage:
		return v, nil
	case string:
		return []byte(v), nil
	case Object:
		return v.JSON, nil
	}
	return json.Marshal(v)
}

// place fixes namespace and name; a request's path comes first, and what the
// object says must agree with it.
func (d *draft) place(r *Resource, namespace, name string) *StatusError {
	own := d.meta.text("namespace")
	switch {
	case !r.Namespaced:
		d.meta.drop("namespace")
	case namespace == "" && own == "":
		return badRequest("an empty namespace may not be set during creation")
	case namespace != "" && own != "" && own != namespace:
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	case own == "":
		d.meta.setText("namespace", namespace)
	}
	ownName := d.meta.text("name")
	if ownName == "" && name == "" {
		if prefix := d.meta.text("generateName"); prefix != "" {
			ownName = prefix + suffix()
		}
	}
	if name != "" && ownName != "" && ownName != name {
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", ownName, name)
	}
	if ownName == "" {
		ownName = name
	}
	if ownName == "" {
		return invalid(r.Kind, r.Group, "", StatusCause{Type: "FieldValueRequired", Field: "metadata.name", Message: "Required value: name or generateName is required"})
	}
	if !validName(ownName) {
		return invalid(r.Kind, r.Group, ownName, StatusCause{Type: "FieldValueInvalid", Field: "metadata.name",
			Message: fmt.Sprintf("Invalid value: %q: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character", ownName)})
	}
	d.meta.setText("name", ownName)
	return nil
}

// validName is the rule for most names: a DNS subdomain (RFC 1123).
func validName(s string) bool {
	if len(s) == 0 || len(s) > 253 {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || part[0] == '-' || part[len(part)-1] == '-' {
			return false
		}
		for _, c := range part {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return false
			}
		}
	}
	return true
}

// suffix completes a generateName: five characters that make no words.
func suffix() string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, 5)
	rand.Read(b)
	for i := range b {
		b[i] = alphabet[int(b[i])%len(alphabet)]
	}
	return string(b)
}

// newUID is a random UUID (RFC 9562, version 4).
func newUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// born gives a new object what the server gives it.
func (d *draft) born(now time.Time) {
	d.meta.setText("uid", newUID())
	d.meta.setText("creationTimestamp", now.UTC().Format(time.RFC3339))
	d.meta.drop("selfLink")
	d.meta.drop("generation")
	if d.rest.get("spec") != nil {
		d.meta.set("generation", json.RawMessage("1"))
	}
}

// inherit gives the next version of an object what cannot change, and counts
// the generation when something other than metadata and status did.
func (d *draft) inherit(o *object) {
	for _, name := range []string{"uid", "creationTimestamp", "generation"} {
		if v := o.meta.get(name); v != nil {
			d.meta.set(name, v)
		} else {
			d.meta.drop(name)
		}
	}
	generation := o.meta.get("generation")
	if generation == nil || withoutStatus(d.rest).sameValues(withoutStatus(o.rest)) {
		return
	}
	if n, err := strconv.ParseInt(string(generation), 10, 64); err == nil {
		d.meta.set("generation", strconv.AppendInt(nil, n+1, 10))
	}
}

func withoutStatus(ms members) members {
	if _, ok := ms.find("status"); !ok {
		return ms
	}
	ms = slices.Clone(ms)
	ms.drop("status")
	return ms
}

// same tells whether the draft changes nothing: such a write gets no
// revision and no event.
func (d *draft) same(o *object) bool {
	d.meta.set("resourceVersion", o.meta.get("resourceVersion"))
	return d.meta.sameValues(o.meta) && d.rest.sameValues(o.rest)
}
