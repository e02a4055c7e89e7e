package watchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// get answers a GET of one object.
func (c *call) get() error {
	form, refusal := c.negotiate()
	if refusal != nil {
		return refusal
	}
	o, refusal := c.server.store.get(c.collection, c.namespace, c.name)
	if refusal != nil {
		return refusal
	}
	return c.object(http.StatusOK, o, form)
}

// object answers with one object.
func (c *call) object(code int, o *object, f form) error {
	if refusal := f.misfit(o.resource, false); refusal != nil {
		return refusal
	}
	if f.view == tabular {
		return c.answerTable(code, page{revision: o.revision, objects: []*object{o}, remaining: -1}, f)
	}
	body := append(slices.Clone(o.text(f)), '\n')
	if f.encoding == inProtobuf {
		var err error
		if body, err = o.wrapped(f); err != nil {
			return err
		}
	}
	c.beginBody(code, len(body), f)
	_, err := c.body.Write(body)
	return err
}

// write answers a verb that changes something.
func (c *call) write() error {
	f, refusal := c.negotiate()
	if refusal != nil {
		return refusal
	}
	if c.collection.resource.Namespaced && c.namespace == "" || c.verb == "create" && c.name != "" || c.verb == "update" && c.name == "" || c.verb == "patch" && c.name == "" {
		return methodNotAllowed()
	}
	raw, refusal := c.read()
	if refusal != nil {
		return refusal
	}
	code := http.StatusOK
	var o *object
	switch c.verb {
	case "create":
		code = http.StatusCreated
		o, refusal = c.create(raw)
	case "update":
		o, refusal = c.update(raw)
	case "patch":
		o, code, refusal = c.patch(raw)
	default:
		return c.remove(raw, f)
	}
	if refusal != nil {
		return refusal
	}
	return c.object(code, o, f)
}

// read takes in the body of a write.
func (c *call) read() ([]byte, *StatusError) {
	limit := c.server.options.BodyLimit
	raw, err := io.ReadAll(http.MaxBytesReader(nil, c.request.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &StatusError{Code: http.StatusRequestEntityTooLarge, Reason: "RequestEntityTooLarge", Message: fmt.Sprintf("Request entity too large: limit is %d", limit)}
	case err != nil:
		return nil, badRequest("reading the body: %v", err)
	}
	return raw, nil
}

// mediaType checks the Content-Type of a write; none means the first one.
func (c *call) mediaType(allowed ...string) (string, *StatusError) {
	header := c.request.Header.Get("Content-Type")
	if header == "" {
		return allowed[0], nil
	}
	if kind, _, err := mime.ParseMediaType(header); err == nil && slices.Contains(allowed, kind) {
		return kind, nil
	}
	if c.verb == "patch" {
		return "", &StatusError{Code: http.StatusUnsupportedMediaType, Reason: "UnsupportedMediaType", Message: "415: Unsupported Media Type", Details: &StatusDetails{}}
	}
	return "", &StatusError{Code: http.StatusUnsupportedMediaType, Reason: "UnsupportedMediaType",
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(allowed, ", ")}
}

func (c *call) create(raw []byte) (*object, *StatusError) {
	if _, refusal := c.mediaType("application/json"); refusal != nil {
		return nil, refusal
	}
	d, refusal := parseDraft(c.collection.resource, raw)
	if refusal != nil {
		return nil, refusal
	}
	d.dry = c.dry()
	return c.server.store.create(c.collection, d, c.namespace)
}

func (c *call) update(raw []byte) (*object, *StatusError) {
	if _, refusal := c.mediaType("application/json"); refusal != nil {
		return nil, refusal
	}
	d, refusal := parseDraft(c.collection.resource, raw)
	if refusal != nil {
		return nil, refusal
	}
	d.dry = c.dry()
	if c.subresource == "status" {
		return c.server.store.patch(c.collection, c.namespace, c.name, statusOnly(d))
	}
	return c.server.store.update(c.collection, d, c.namespace, c.name)
}

// statusOnly is a write to the status subresource: everything else stays.
func statusOnly(d draft) patcher {
	return func(meta, rest members) (draft, *StatusError) {
		if status := d.rest.get("status"); status != nil {
			rest.set("status", status)
		} else {
			rest.drop("status")
		}
		if v := d.meta.get("resourceVersion"); v != nil {
			meta.set("resourceVersion", v)
		}
		return draft{meta, rest, d.dry}, nil
	}
}

// dry tells whether the write is only to be tried (API concepts, "Dry-run").
func (c *call) dry() bool { return c.query.Get("dryRun") == "All" }

func (c *call) patch(raw []byte) (*object, int, *StatusError) {
	allowed := []string{"application/merge-patch+json", "application/json-patch+json", applyType}
	if c.collection.resource.builtin {
		allowed = append(allowed, "application/strategic-merge-patch+json")
	}
	kind, refusal := c.mediaType(allowed...)
	if refusal != nil {
		return nil, 0, refusal
	}
	p := mergePatch(raw)
	switch kind {
	case "application/json-patch+json":
		p = jsonPatch(raw)
	case applyType:
		return c.apply(raw)
	case "application/strategic-merge-patch+json":
		p = strategicPatch(raw)
	}
	p = p.tried(c.dry())
	if c.subresource == "status" {
		inner := p
		p = func(meta, rest members) (draft, *StatusError) {
			d, refusal := inner(slices.Clone(meta), slices.Clone(rest))
			if refusal != nil {
				return d, refusal
			}
			return statusOnly(d)(meta, rest)
		}
	}
	o, refusal := c.server.store.patch(c.collection, c.namespace, c.name, p)
	return o, http.StatusOK, refusal
}

// remove answers DELETE of one object or of a collection.
func (c *call) remove(raw []byte, f form) error {
	var options struct {
		Preconditions preconditions `json:"preconditions"`
		DryRun        []string      `json:"dryRun"`
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &options); err != nil {
			return badRequest("couldn't get version/kind; json parse error: %v", err)
		}
	}
	options.Preconditions.dry = c.dry() || slices.Contains(options.DryRun, "All")
	if c.verb == "deletecollection" {
		return c.removeAll(f, options.Preconditions.dry)
	}
	o, refusal := c.server.store.delete(c.collection, c.namespace, c.name, options.Preconditions)
	if refusal != nil {
		return refusal
	}
	r := c.collection.resource
	if r.builtin && r.Kind == "Pod" { // what can be deleted gracefully is sent back (seen on v1.37)
		return c.object(http.StatusOK, o, f)
	}
	return c.document(http.StatusOK, append(marshal(statusBody{
		Kind: "Status", APIVersion: "v1", Status: "Success",
		Details: &StatusDetails{Name: o.name, Group: r.Group, Kind: r.Plural, UID: o.uid},
	}), '\n'), f.encoding)
}

func (c *call) removeAll(f form, dry bool) error {
	o, refusal := c.options()
	if refusal != nil {
		return refusal
	}
	deleted := page{remaining: -1}
	for _, obj := range c.server.store.current(c.collection, c.namespace) {
		if !o.selects(obj) {
			continue
		}
		if _, refusal := c.server.store.delete(c.collection, obj.namespace, obj.name, preconditions{UID: obj.uid, dry: dry}); refusal == nil {
			deleted.objects = append(deleted.objects, obj)
		}
	}
	deleted.revision = c.server.Revision()
	return c.writeList(deleted, f)
}
