package decode

// Key names an object within one resource: what a store is indexed by.
// The zero Key names nothing.
type Key struct {
	Namespace string // empty for cluster-scoped resources
	Name      string
}

// String is "namespace/name", or "name" for a cluster-scoped object: the form
// that kubectl and client-go's MetaNamespaceKeyFunc use.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// Identity says which state of which object something is. Its strings are
// owned: they stay valid whatever happens to the reader they came from.
type Identity struct {
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
	UID             string `json:"uid,omitempty"`             // differs when a name is used again
	ResourceVersion string `json:"resourceVersion,omitempty"` // opaque; sent back byte for byte
}

// Key is the identity without the parts that change.
func (id Identity) Key() Key { return Key{Namespace: id.Namespace, Name: id.Name} }
