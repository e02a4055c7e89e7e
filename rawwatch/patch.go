package rawwatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/rawwatch/rawwatch/decode"
)

// The content types of patches (API concepts, "Patch verb").
const (
	jsonPatchType      = "application/json-patch+json"
	mergePatchType     = "application/merge-patch+json"
	strategicPatchType = "application/strategic-merge-patch+json"
	applyType          = "application/apply-patch+yaml"
)

// Patch is a change of an object that names only what it changes. It is a
// plain value; make one with [MergePatch], [JSONPatch], [StrategicPatch],
// [ApplyPatch] or [DiffPatch]. The zero Patch cannot be sent.
type Patch struct {
	contentType string
	text        []byte
	// version that the object must have; "" is any.
	version string
}

// MergePatch is a JSON merge patch (RFC 7396): members replace those of the
// object, null removes one, lists are replaced as a whole. It works for all
// resources. The text is borrowed until the patch has been sent.
func MergePatch(text []byte) Patch { return Patch{contentType: mergePatchType, text: text} }

// JSONPatch is a list of operations (RFC 6902): add, remove, replace, move,
// copy, test. It works for all resources. A test that fails is an
// [*decode.StatusError] with code 422.
func JSONPatch(text []byte) Patch { return Patch{contentType: jsonPatchType, text: text} }

// StrategicPatch is a strategic merge patch: a merge patch that knows the
// lists of the built-in kinds, and merges them by their keys. Custom resources
// do not have it (HTTP 415).
func StrategicPatch(text []byte) Patch { return Patch{contentType: strategicPatchType, text: text} }

// ApplyPatch is a server-side apply: the fields that this manager
// ([WriteOptions].FieldManager) wants to have and to own. Those that it owned
// before and no longer names are removed; those of others stay, and setting
// them is an [IsApplyConflict] unless [WriteOptions].Force. The object is
// created if it does not exist. The text is the partial object, as JSON or
// YAML; in JSON, kind, apiVersion and metadata.name are filled in where they
// are missing.
func ApplyPatch(text []byte) Patch { return Patch{contentType: applyType, text: text} }

// IfVersion returns the patch with a precondition: the object must still have
// that resourceVersion, as known from an event or a store. Otherwise the server
// refuses ([IsConflict]), and nothing changes. "" lifts the precondition.
func (p Patch) IfVersion(resourceVersion string) Patch { p.version = resourceVersion; return p }

// Patch changes an object and returns it as the server stored it; its bytes
// are the caller's.
//
// Errors: a [*NotSentError]; or a [*RequestError], of which [IsNotFound],
// [IsConflict] and [IsApplyConflict] tell what a program may expect, and
// errors.As an [*InvalidError] which fields are wrong.
//
// An [ApplyPatch] says what is to be, so that the second one changes nothing
// more: it is tried again like a get (see [RetryOptions]), unless it has a
// precondition, which the first would break for the second. All other patches
// are sent once, but for dry runs: see [MayHaveHappened].
func (c *Client) Patch(ctx context.Context, r Resource, key decode.Key, p Patch, w WriteOptions) (Object, error) {
	a := address{verb: "patch", resource: r, key: key, subresource: w.Subresource}
	text, err := p.body(a)
	if err != nil {
		return Object{}, err
	}
	q, err := a.sending(http.MethodPatch, p.contentType, text, w)
	if err != nil {
		return Object{}, err
	}
	if p.contentType == applyType && !hasPrecondition(text) {
		q.repeatable = true
	}
	return c.objectOf(ctx, q)
}

// body is the text with its precondition.
func (p Patch) body(a address) ([]byte, error) {
	if p.contentType == "" || len(p.text) == 0 {
		return nil, a.wrong("the patch", "is empty")
	}
	if p.contentType == jsonPatchType {
		return p.operations(a)
	}
	fields, err := decodeFields(p.text)
	switch {
	case err != nil && p.contentType != applyType:
		return nil, a.wrong("the patch", "is not a JSON object")
	case err != nil && p.version == "":
		return p.text, nil // YAML, for the server to read
	case err == nil && p.contentType == applyType:
		err = fields.identify(a)
	}
	if err == nil && p.version != "" {
		err = fields.Set(p.version, "metadata", "resourceVersion")
	}
	if err != nil {
		return nil, &NotSentError{Verb: a.verb, Resource: a.resource, Field: "the patch", Problem: "cannot be completed", Err: err}
	}
	return encodeFields(fields)
}

// identify says of an object to apply what a server must read in it, as far as
// the address tells.
func (f Fields) identify(a address) error {
	missing := func(path ...string) bool { _, ok := f.Value(path...); return !ok }
	var errs [3]error
	if missing("metadata", "name") {
		errs[0] = f.Set(a.key.Name, "metadata", "name")
	}
	if missing("kind") && missing("apiVersion") && a.resource.Kind != "" && (a.subresource == "" || a.subresource == "status") {
		errs[1] = f.Set(a.resource.Kind, "kind")
		errs[2] = f.Set(a.resource.apiVersion(), "apiVersion")
	}
	return errors.Join(errs[:]...)
}

// operations are those of a JSON patch. The precondition is one that sets the
// version: setting it to another one than the current is what the server
// calls a conflict. A test that fails would be a 422 without a word.
func (p Patch) operations(a address) ([]byte, error) {
	var all []json.RawMessage
	if json.Unmarshal(p.text, &all) != nil {
		return nil, a.wrong("the patch", "is not a JSON list of operations")
	}
	if p.version == "" {
		return p.text, nil
	}
	first, err := encodeFields(map[string]string{"op": "replace", "path": "/metadata/resourceVersion", "value": p.version})
	if err != nil {
		return nil, err
	}
	return encodeFields(append([]json.RawMessage{first}, all...))
}

// hasPrecondition reports whether an apply may depend on a version: it holds
// the word. A field that is only called alike costs a retry, no more.
func hasPrecondition(text []byte) bool { return bytes.Contains(text, []byte("resourceVersion")) }
