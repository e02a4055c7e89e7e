package watchtest

import (
	"fmt"
	"slices"
	"time"
)

const modified = "the object has been modified; please apply your changes to the latest version and try again"

// Create stores a new object of a registered resource. The object is JSON
// text ([]byte, string, json.RawMessage), an [Object], or anything that
// encoding/json can encode; its metadata says namespace and name (or
// generateName). Errors are of type [*StatusError], as over HTTP.
func (s *Server) Create(r Resource, obj any) (Object, error) {
	return s.change(r, func(c *collection) (*object, *StatusError) {
		d, err := draftOf(c.resource, obj)
		if err != nil {
			return nil, err
		}
		return s.store.create(c, d, "")
	})
}

// Update replaces an object. With a resourceVersion in its metadata it does
// so only if that is still the current one (otherwise 409 Conflict). An
// update that changes nothing makes no event.
func (s *Server) Update(r Resource, obj any) (Object, error) {
	return s.change(r, func(c *collection) (*object, *StatusError) {
		d, err := draftOf(c.resource, obj)
		if err != nil {
			return nil, err
		}
		return s.store.update(c, d, "", "")
	})
}

// Patch changes an object by a JSON merge patch (RFC 7396), given like the
// object of [Server.Create]. Namespace is "" for cluster-scoped resources.
func (s *Server) Patch(r Resource, namespace, name string, patch any) (Object, error) {
	return s.change(r, func(c *collection) (*object, *StatusError) {
		raw, err := textOf(patch)
		if err != nil {
			return nil, badRequest("the patch cannot be encoded: %v", err)
		}
		return s.store.patch(c, namespace, name, mergePatch(raw))
	})
}

// Delete removes an object and returns its last state. There is no grace
// period, and finalizers do not hold it.
func (s *Server) Delete(r Resource, namespace, name string) (Object, error) {
	return s.change(r, func(c *collection) (*object, *StatusError) {
		return s.store.delete(c, namespace, name, preconditions{})
	})
}

// Get returns an object as it is now.
func (s *Server) Get(r Resource, namespace, name string) (Object, error) {
	return s.change(r, func(c *collection) (*object, *StatusError) {
		return s.store.get(c, namespace, name)
	})
}

// change runs one Go call on a collection.
func (s *Server) change(r Resource, do func(*collection) (*object, *StatusError)) (Object, error) {
	c := s.store.collection(r.address())
	if c == nil {
		return Object{}, &StatusError{Code: 404, Reason: "NotFound", Message: fmt.Sprintf("the resource %s %s is not registered", r.qualified(), r.Version)}
	}
	o, err := do(c)
	if err != nil {
		return Object{}, err
	}
	return o.export(), nil
}

func (st *store) collection(a address) *collection {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return st.collections[a]
}

func (st *store) get(c *collection, namespace, name string) (*object, *StatusError) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	if o := c.get(storeKey(namespace, name)); o != nil {
		return o, nil
	}
	return nil, notFound(c.resource, name)
}

func (st *store) create(c *collection, d draft, namespace string) (*object, *StatusError) {
	if err := d.place(c.resource, namespace, ""); err != nil {
		return nil, err
	}
	if d.meta.text("resourceVersion") != "" {
		return nil, &StatusError{Code: 500, Message: "resourceVersion should not be set on objects to be created"}
	}
	labels, err := parseLabels(d.meta, nil)
	if err != nil {
		return nil, badRequest("metadata.labels: %v", err)
	}
	now := time.Now()
	d.born(now)
	key, name := storeKey(d.meta.text("namespace"), d.meta.text("name")), d.meta.text("name")
	st.mu.Lock()
	defer st.mu.Unlock()
	if c.get(key) != nil {
		return nil, alreadyExists(c.resource, name)
	}
	o := build(c.resource, d.meta, d.rest, st.revision+1, labels)
	if !d.dry {
		st.commit(c, key, nil, o, now)
	}
	return o, nil
}

func (st *store) update(c *collection, d draft, namespace, name string) (*object, *StatusError) {
	if err := d.place(c.resource, namespace, name); err != nil {
		return nil, err
	}
	name = d.meta.text("name")
	st.mu.Lock()
	defer st.mu.Unlock()
	o := c.get(storeKey(d.meta.text("namespace"), name))
	if o == nil {
		return nil, notFound(c.resource, name)
	}
	return st.replace(c, o, d)
}

// replace makes the draft the next version of an object. The lock is held.
func (st *store) replace(c *collection, o *object, d draft) (*object, *StatusError) {
	if v := d.meta.text("resourceVersion"); v != "" && v != o.meta.text("resourceVersion") {
		return nil, conflict(c.resource, o.name, modified)
	}
	if uid := d.meta.text("uid"); uid != "" && uid != o.uid {
		return nil, conflict(c.resource, o.name, fmt.Sprintf("StorageError: invalid object, Code: 4, Key: /registry/%s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s", c.resource.Plural, o.key(), uid, o.uid))
	}
	labels, err := parseLabels(d.meta, o)
	if err != nil {
		return nil, badRequest("metadata.labels: %v", err)
	}
	d.inherit(o)
	if d.same(o) {
		return o, nil
	}
	next := build(c.resource, d.meta, d.rest, st.revision+1, labels)
	if !d.dry {
		st.commit(c, o.key(), o, next, time.Now())
	}
	return next, nil
}

// patcher turns an object's parts into new ones, without changing them.
type patcher func(meta, rest members) (draft, *StatusError)

// tried is the patcher whose result is not kept, if dry says so.
func (p patcher) tried(dry bool) patcher {
	return func(meta, rest members) (draft, *StatusError) {
		d, err := p(meta, rest)
		d.dry = dry
		return d, err
	}
}

func (st *store) patch(c *collection, namespace, name string, p patcher) (*object, *StatusError) {
	st.mu.Lock()
	defer st.mu.Unlock()
	o := c.get(storeKey(namespace, name))
	if o == nil {
		return nil, notFound(c.resource, name)
	}
	d, err := p(slices.Clone(o.meta), slices.Clone(o.rest))
	if err != nil {
		return nil, err
	}
	if err := d.place(c.resource, namespace, name); err != nil {
		return nil, err
	}
	return st.replace(c, o, d)
}

// preconditions are those of DeleteOptions; "" means none.
type preconditions struct {
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
	dry             bool   // checked, but not deleted
}

func (st *store) delete(c *collection, namespace, name string, p preconditions) (*object, *StatusError) {
	st.mu.Lock()
	defer st.mu.Unlock()
	o := c.get(storeKey(namespace, name))
	if o == nil {
		return nil, notFound(c.resource, name)
	}
	if p.UID != "" && p.UID != o.uid {
		return nil, conflict(c.resource, name, fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", p.UID, o.uid))
	}
	if p.ResourceVersion != "" && p.ResourceVersion != o.meta.text("resourceVersion") {
		return nil, conflict(c.resource, name, fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%d). The object might have been modified", p.ResourceVersion, o.revision))
	}
	if !p.dry {
		st.commit(c, o.key(), o, nil, time.Now())
	}
	return o, nil
}
