package resume

import (
	"fmt"
	"strings"
)

// MaxWatchName bounds the name of a watch in a checkpoint, in bytes.
const MaxWatchName = 256

// WatchIdentity says what a saved state is the state of. A state may be gone on
// from when all of it is equal; see [WatchIdentity.Differences].
type WatchIdentity struct {
	// Watch is the name of the watch within the checkpoint: 1 to MaxWatchName
	// bytes, the caller's choice, the same after a restart.
	Watch string `json:"watch"`

	// Cluster tells one history of a server from any other: the uid of the
	// namespace kube-system, or an id that the user gives.
	Cluster string `json:"cluster"`

	// Group is "" for the core group. Resource is the plural, as in URLs.
	Group    string `json:"group,omitempty"`
	Version  string `json:"version"`
	Resource string `json:"resource"`

	// Namespace is "" for all of them.
	Namespace     string `json:"namespace,omitempty"`
	LabelSelector string `json:"labelSelector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`

	// Schema identifies the type that objects are decoded into; "" when no
	// objects are kept.
	Schema string `json:"schema,omitempty"`

	// Format says how the objects' bytes are encoded; "" when no objects are
	// kept. The checkpoint does not look into them.
	Format string `json:"format,omitempty"`
}

// Sensitive reports that objects of this kind must not be stored in the clear
// unless that was asked for: Secrets, of any version.
func (id WatchIdentity) Sensitive() bool { return id.Group == "" && id.Resource == "secrets" }

// String is the name and the resource, for messages.
func (id WatchIdentity) String() string {
	if id.Group == "" {
		return id.Watch + " (" + id.Resource + ")"
	}
	return id.Watch + " (" + id.Resource + "." + id.Group + ")"
}

// Differences names the fields in which two identities differ, in the order of
// declaration; it is empty when they are equal. Cluster says that the keys mean
// other objects; the selectors and Namespace that the selection is another;
// Schema and Format that the objects' bytes cannot be used, but the index can.
func (id WatchIdentity) Differences(other WatchIdentity) []string {
	var names []string
	for _, field := range [...]struct{ name, a, b string }{
		{"Watch", id.Watch, other.Watch},
		{"Cluster", id.Cluster, other.Cluster},
		{"Group", id.Group, other.Group},
		{"Version", id.Version, other.Version},
		{"Resource", id.Resource, other.Resource},
		{"Namespace", id.Namespace, other.Namespace},
		{"LabelSelector", id.LabelSelector, other.LabelSelector},
		{"FieldSelector", id.FieldSelector, other.FieldSelector},
		{"Schema", id.Schema, other.Schema},
		{"Format", id.Format, other.Format},
	} {
		if field.a != field.b {
			names = append(names, field.name)
		}
	}
	return names
}

// IdentityError says what is wrong with an identity.
type IdentityError struct{ Field, Need string }

// Error names the field and what is accepted.
func (e *IdentityError) Error() string {
	return fmt.Sprintf("checkpoint: identity field %s must be %s", e.Field, e.Need)
}

// maxIdentityField bounds each field of an identity, in bytes. Selectors are
// sent in a URL, which servers bound to about a megabyte.
const maxIdentityField = 64 << 10

// Check reports an identity that cannot be stored, as an [*IdentityError].
func (id WatchIdentity) Check() error {
	if id.Watch == "" || len(id.Watch) > MaxWatchName || strings.ContainsRune(id.Watch, 0) {
		return &IdentityError{"Watch", "1 to 256 bytes without a zero byte"}
	}
	if id.Resource == "" {
		return &IdentityError{"Resource", "the plural of the resource, such as pods"}
	}
	longest := max(len(id.Cluster), len(id.Group), len(id.Version), len(id.Resource), len(id.Namespace),
		len(id.LabelSelector), len(id.FieldSelector), len(id.Schema), len(id.Format))
	if longest > maxIdentityField {
		return &IdentityError{"(any)", "at most 65536 bytes"}
	}
	return nil
}
