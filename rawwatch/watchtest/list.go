package watchtest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// page is what a LIST answers: objects as of a revision.
type page struct {
	revision  uint64
	objects   []*object
	token     string // continue
	remaining int    // -1: not said

	unversioned bool // the revision is not said
}

// list answers a LIST.
func (c *call) list() error {
	form, refusal := c.negotiate()
	if refusal != nil {
		return refusal
	}
	o, refusal := c.options()
	if refusal != nil {
		return refusal
	}
	c.bendList(&o)
	p, refusal := c.server.store.page(c.collection, c.namespace, o, time.Now())
	if refusal != nil {
		return refusal
	}
	c.bendPage(&p)
	return c.writeList(p, form)
}

// page reads the objects that a LIST asks for.
func (st *store) page(c *collection, namespace string, o listOptions, now time.Time) (page, *StatusError) {
	st.mu.Lock()
	st.expire(now)
	st.mu.Unlock()
	st.mu.RLock()
	defer st.mu.RUnlock()
	revision, start, refusal := st.place(o, namespace)
	if refusal != nil {
		return page{}, refusal
	}
	limit := o.limit
	if o.version == "0" && o.token == "" {
		limit = 0 // served from the watch cache, which does not page
	}
	p := page{revision: revision, remaining: -1}
	more := 0
	c.scan(namespace, start, revision, func(obj *object) bool {
		if !o.selects(obj) {
			return true
		}
		if limit > 0 && len(p.objects) == limit {
			more++
			return o.labels.Empty() && len(o.fields) == 0 // only then the rest is counted
		}
		p.objects = append(p.objects, obj)
		return true
	})
	if more == 0 {
		return p, nil
	}
	p.token = after(p.objects[limit-1].key(), namespace, int64(revision))
	if o.labels.Empty() && len(o.fields) == 0 {
		p.remaining = more
	}
	return p, nil
}

// place decides which revision a LIST reads, and from which key on (API
// concepts, "Semantics for get and list").
func (st *store) place(o listOptions, namespace string) (uint64, string, *StatusError) {
	if o.token != "" {
		return st.resume(o, namespace)
	}
	if o.revision > st.revision {
		return 0, "", TooLarge(o.revision, st.revision)
	}
	if o.match == exact || o.match == "" && o.limit > 0 && o.revision > 0 {
		if o.revision < st.compacted {
			return 0, "", Expired()
		}
		return o.revision, "", nil
	}
	return st.revision, "", nil
}

func (st *store) resume(o listOptions, namespace string) (uint64, string, *StatusError) {
	t, refusal := parseToken(o.token)
	if refusal != nil {
		return 0, "", refusal
	}
	if o.version != "" && o.version != "0" {
		return 0, "", badRequest("specifying resource version is not allowed when using continue")
	}
	switch {
	case t.Revision < 0:
		return st.revision, t.key(namespace), nil
	case uint64(t.Revision) < st.compacted:
		return 0, "", tokenExpired(t)
	}
	return min(uint64(t.Revision), st.revision), t.key(namespace), nil
}

// writeList sends a page.
func (c *call) writeList(p page, f form) error {
	if refusal := f.misfit(c.collection.resource, true); refusal != nil {
		return refusal
	}
	if f.view == tabular {
		return c.answerTable(http.StatusOK, p, f)
	}
	if f.encoding == inProtobuf {
		document, err := c.protobufList(p, f)
		if err != nil {
			return err
		}
		c.beginBody(http.StatusOK, len(document), f)
		_, err = c.body.Write(document)
		return err
	}
	return c.writeItems(p, f)
}

// beginBody sends the headers of a body of about the given size; large ones are
// compressed.
func (c *call) beginBody(code, size int, f form) {
	c.label(f.encoding, false)
	if limit := c.server.options.GzipThreshold; limit > 0 && size > limit && c.acceptsGzip() {
		c.compressed()
	}
	c.body.begin(code)
}

// writeItems sends a page in JSON item by item; nothing is gathered in memory.
func (c *call) writeItems(p page, f form) error {
	head, tail := c.envelope(p, f)
	size := len(head) + len(tail)
	for _, o := range p.objects {
		size += len(o.text(f))
	}
	c.beginBody(http.StatusOK, size, f)
	if _, err := c.body.Write(head); err != nil {
		return err
	}
	for i, o := range p.objects {
		if err := c.writeItem(o, f, i > 0); err != nil {
			return err
		}
	}
	_, err := c.body.Write(tail)
	return err
}

func (c *call) writeItem(o *object, f form, comma bool) error {
	separator := []byte(nil)
	if comma {
		separator = []byte{','}
	}
	parts := [][]byte{separator, o.body}
	switch {
	case f.slim():
		parts[1] = o.metadataOnly(f.meta)
	case o.resource.builtin:
		parts = [][]byte{append(separator, '{'), o.body[o.bare:]}
	}
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		if _, err := c.body.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// envelope is what stands around the items. Typed lists begin with kind and
// metadata; those of custom resources have their keys in alphabetical order,
// so that both come after the items.
func (c *call) envelope(p page, f form) (head, tail []byte) {
	r := c.collection.resource
	meta := `"metadata":` + string(p.metadata(r.builtin || f.slim()))
	switch {
	case f.slim():
		head = []byte(`{"kind":"PartialObjectMetadataList","apiVersion":"` + f.meta + `",` + meta + `,"items":[`)
	case r.builtin:
		head = []byte(`{"kind":"` + r.Kind + `List","apiVersion":"` + r.apiVersion() + `",` + meta + `,"items":[`)
	default:
		return []byte(`{"apiVersion":"` + r.apiVersion() + `","items":[`), []byte(`],"kind":"` + r.Kind + `List",` + meta + "}\n")
	}
	return head, []byte("]}\n")
}

// metadata of a list. The revision stands first in typed lists, last in the
// alphabetical order of untyped ones.
func (p page) metadata(typed bool) []byte {
	version := `"resourceVersion":` + string(quotedRevision(p.revision))
	var more []string
	if p.token != "" {
		more = append(more, `"continue":`+string(quoted(p.token)))
	}
	if p.remaining >= 0 {
		more = append(more, `"remainingItemCount":`+strconv.Itoa(p.remaining))
	}
	switch {
	case p.unversioned:
	case typed:
		more = slices.Insert(more, 0, version)
	default:
		more = append(more, version)
	}
	return []byte("{" + strings.Join(more, ",") + "}")
}
