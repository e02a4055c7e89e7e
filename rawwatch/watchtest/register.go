package watchtest

// Register makes a resource known, as the creation of a
// CustomResourceDefinition does. Registering it again changes nothing.
func (s *Server) Register(r Resource) { s.store.register(r) }

// Unregister removes a resource as the deletion of its
// CustomResourceDefinition does: its objects are deleted, its watches see
// that and end, and from then on its paths are not found.
func (s *Server) Unregister(r Resource) {
	c := s.store.collection(r.address())
	if c == nil {
		return
	}
	s.DeleteAll(r, "")
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	delete(s.store.collections, r.address())
	for w := range c.watches {
		w.command(c, command{cut: Truncate})
	}
}

// DeleteAll deletes the objects of a resource in a namespace ("" means in
// all) one after the other and returns how many there were.
func (s *Server) DeleteAll(r Resource, namespace string) int {
	c := s.store.collection(r.address())
	if c == nil {
		return 0
	}
	n := 0
	for _, o := range s.store.current(c, namespace) {
		if _, err := s.store.delete(c, o.namespace, o.name, preconditions{UID: o.uid}); err == nil {
			n++
		}
	}
	return n
}

// current returns the objects of a collection as they are now.
func (st *store) current(c *collection, namespace string) []*object {
	st.mu.RLock()
	defer st.mu.RUnlock()
	all := make([]*object, 0, c.live)
	c.scan(namespace, "", st.revision, func(o *object) bool {
		all = append(all, o)
		return true
	})
	return all
}
