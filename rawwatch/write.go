package rawwatch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/rawwatch/rawwatch/decode"
)

// Create makes a new object of the resource and returns it as the server
// stored it; its bytes are the caller's. Namespace and name are those in o.Raw,
// or o's own where Raw has none. Where Raw says no kind and apiVersion, they
// are filled in. A create of a subresource (eviction, binding, token) belongs
// to the object that is so named.
//
// Errors: a [*NotSentError]; or a [*RequestError], of which [IsAlreadyExists]
// tells that the name is taken, and errors.As an [*InvalidError] which fields
// are wrong. A create is sent once, since a second one that fails with
// AlreadyExists would not tell whose the object is, and one with generateName
// would make two: see [MayHaveHappened]. A dry run is repeated like a get.
func (c *Client) Create(ctx context.Context, r Resource, o Object, w WriteOptions) (Object, error) {
	a := address{verb: "create", resource: r, subresource: w.Subresource}
	text, key, err := a.whole(o)
	if err != nil {
		return Object{}, err
	}
	if a.key = key; w.Subresource == "" {
		a.key.Name = "" // posted to the collection
	}
	q, err := a.sending(http.MethodPost, acceptJSON, text, w)
	if err != nil {
		return Object{}, err
	}
	return c.objectOf(ctx, q)
}

// Update replaces an object by the one in o.Raw, and returns it as the server
// stored it; its bytes are the caller's. What Raw does not name is erased. So
// it takes only whole objects as they come from [Client.Get], or in JSON from a
// list or a watch, changed with [Object.Edit]; a struct that names some fields of an
// object is no Object, and changes them with [DiffPatch]. What is recognised
// as a part of an object is refused with a [*NotSentError]: one without
// creationTimestamp, or with metadata only.
//
// The resourceVersion in Raw must be the current one, otherwise the server
// refuses ([IsConflict]); see [RetryOnConflict] and [Client.Change]. An object
// without one is not sent: it would undo what others did meanwhile.
//
// Other errors are those of Create. An update is sent once. With its
// resourceVersion a second one could not be carried out twice, but would be
// refused as a conflict with the first: and whoever resolves that conflict by
// making the change again makes it twice, which is right for a value that is
// set, and wrong for one that is counted. See [MayHaveHappened].
func (c *Client) Update(ctx context.Context, r Resource, o Object, w WriteOptions) (Object, error) {
	a := address{verb: "update", resource: r, subresource: w.Subresource}
	text, key, err := a.whole(o)
	if err == nil {
		err = a.nothingMissing(text)
	}
	if err != nil {
		return Object{}, err
	}
	a.key = key
	q, err := a.sending(http.MethodPut, acceptJSON, text, w)
	if err != nil {
		return Object{}, err
	}
	return c.objectOf(ctx, q)
}

// Change reads an object, lets change edit its fields, and updates it; all of
// it again while the update meets a conflict (see [RetryOnConflict], with its
// defaults). change may so be called more than once, each time with the
// object's newest state; its error ends the call. With the subresource status
// the whole object is read; another one, such as scale, is an object of its own,
// and read and written as that.
func (c *Client) Change(ctx context.Context, r Resource, key decode.Key, change func(Fields) error, w WriteOptions) (Object, error) {
	read := w.Subresource
	if read == "status" {
		read = "" // the same object, and one permission less
	}
	var written Object
	err := RetryOnConflict(ctx, ConflictOptions{}, func(ctx context.Context) error {
		o, err := c.Get(ctx, r, key, GetOptions{Subresource: read, Retry: w.Retry})
		if err != nil {
			return err
		}
		if o, err = o.Edit(change); err != nil {
			return err
		}
		written, err = c.Update(ctx, r, o, w)
		return err
	})
	return written, err
}

// whole is the text of the object to send, and where it belongs.
func (a address) whole(o Object) (text []byte, key decode.Key, err error) {
	if o.IsStub() {
		return nil, key, a.wrong("Object.Raw", "is nil; a stub has an identity only")
	}
	if o.Encoding() != decode.JSON {
		return nil, key, a.wrong("Object.Raw", "is not JSON; "+asJSON)
	}
	if o.Kind == "" && (a.subresource == "" || a.subresource == "status") {
		o.Kind, o.APIVersion = a.resource.Kind, a.resource.apiVersion()
	}
	var meta decode.Meta
	if err := decode.ScanMeta(o.Raw, &meta); err != nil {
		return nil, key, &NotSentError{Verb: a.verb, Resource: a.resource, Field: "Object.Raw", Problem: "is no object", Err: err}
	}
	if key, err = a.keyOf(o.Key(), decode.Key{Namespace: string(meta.Namespace), Name: string(meta.Name)}); err != nil {
		return nil, key, err
	}
	return o.appendTyped(make([]byte, 0, len(o.Raw)+64)), key, nil
}

// keyOf joins what an Object and its Raw say, which must not differ.
func (a address) keyOf(object, raw decode.Key) (decode.Key, error) {
	for _, part := range [...]struct {
		field       string
		own, inside string
	}{{"Name", object.Name, raw.Name}, {"Namespace", object.Namespace, raw.Namespace}} {
		if part.own != "" && part.inside != "" && part.own != part.inside {
			return raw, a.wrong("Object."+part.field, fmt.Sprintf("is %q, but its Raw says %q", part.own, part.inside))
		}
	}
	if raw.Name == "" {
		raw.Name = object.Name
	}
	if raw.Namespace == "" {
		raw.Namespace = object.Namespace
	}
	return raw, nil
}

// nothingMissing refuses what is recognised as a part of an object.
func (a address) nothingMissing(text []byte) error {
	var o struct {
		Kind     string `json:"kind"`
		Metadata struct {
			CreationTimestamp string `json:"creationTimestamp"`
			ResourceVersion   string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		// The error of encoding/json may quote what it stumbled over.
		return a.wrong("Object.Raw", "has metadata that are no object's")
	}
	const advice = "; Get the object and Edit it, or send a patch"
	switch {
	case o.Kind == kindPartial:
		return a.wrong("Object.Raw", "is metadata only, all else would be erased"+advice)
	case o.Metadata.ResourceVersion == "":
		return a.wrong("Object.Raw", "has no metadata.resourceVersion, and would undo what others changed meanwhile"+advice)
	case o.Metadata.CreationTimestamp == "" && (a.subresource == "" || a.subresource == "status"):
		return a.wrong("Object.Raw", "has no metadata.creationTimestamp, so it is a part of an object, all else would be erased"+advice)
	}
	return nil
}

// sending is the request that sends the text to the address.
func (a address) sending(method, contentType string, text []byte, w WriteOptions) (objectRequest, error) {
	if err := a.check(a.verb == "create" && a.subresource == ""); err != nil {
		return objectRequest{}, err
	}
	if err := w.check(a, contentType == applyType); err != nil {
		return objectRequest{}, err
	}
	if w.Limit == 0 {
		w.Limit = MaxWrite
	}
	if size := int64(len(text)); size > w.Limit {
		return objectRequest{}, a.wrong("the body", fmt.Sprintf("is %d bytes, more than the %d that WriteOptions.Limit allows", size, w.Limit))
	}
	q := a.request()
	q.query = w.params().Encode()
	q.write = &writeBody{verb: method, contentType: contentType, text: text, scrub: a.scrub}
	q.retry, q.repeatable, q.warned = w.Retry, w.DryRun, w.OnWarning
	return q, nil
}
