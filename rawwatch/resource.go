package rawwatch

import "strings"

// Resource names one kind of object as the API server serves it: the group,
// version and plural name that stand in the URL path, the kind that stands in
// the objects, and whether objects live in namespaces. It is a plain value; the
// common kinds are predefined ([Pods], [Deployments], …), custom resources are
// written as literals or found with package discovery.
//
// See "Resource URIs" in the Kubernetes API concepts.
type Resource struct {
	// Group is the API group; "" is the core group.
	Group string
	// Version is the served version, such as "v1".
	Version string
	// Name is the plural, lower-case name in the URL, such as "pods".
	Name string
	// Kind is the name in the objects, such as "Pod". Only errors and logs use
	// it; "" is allowed.
	Kind string
	// Namespaced tells whether objects of this resource live in namespaces.
	Namespaced bool
}

// String gives the resource as kubectl writes it: "pods.v1" for the core
// group, "deployments.v1.apps" otherwise.
func (r Resource) String() string {
	if r.Group == "" {
		return r.Name + "." + r.Version
	}
	return r.Name + "." + r.Version + "." + r.Group
}

// GroupResource gives the resource without its version, as the API server's
// own messages do: "pods", "deployments.apps".
func (r Resource) GroupResource() string {
	if r.Group == "" {
		return r.Name
	}
	return r.Name + "." + r.Group
}

// apiVersion is group and version as objects say them.
func (r Resource) apiVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// appendRoot appends the path that all requests for the group and version begin
// with.
func (r *Resource) appendRoot(b []byte) []byte {
	if r.Group == "" {
		b = append(b, "api/"...)
	} else {
		b = append(append(append(b, "apis/"...), r.Group...), '/')
	}
	return append(b, r.Version...)
}

// valid reports whether the names can stand in a URL path. A slash or a dot
// segment would lead the request, and its credential, to another place.
func (r Resource) valid() error {
	for _, part := range []struct{ field, value string }{
		{"Version", r.Version}, {"Name", r.Name},
	} {
		if part.value == "" {
			return &QueryError{Field: "Resource." + part.field, Problem: "is empty"}
		}
	}
	for _, part := range []struct{ field, value string }{
		{"Group", r.Group}, {"Version", r.Version}, {"Name", r.Name},
	} {
		if !pathSafe(part.value) {
			return &QueryError{Field: "Resource." + part.field, Value: part.value, Problem: "has characters that cannot stand in a URL path"}
		}
	}
	return nil
}

func pathSafe(s string) bool {
	return s != "." && s != ".." && !strings.ContainsAny(s, "/?#%\\ \t\r\n")
}

func core(name, kind string, namespaced bool) Resource {
	return Resource{Version: "v1", Name: name, Kind: kind, Namespaced: namespaced}
}

func grouped(group, name, kind string, namespaced bool) Resource {
	return Resource{Group: group, Version: "v1", Name: name, Kind: kind, Namespaced: namespaced}
}

// The kinds that agents most often watch, each in its stable version.
var (
	ConfigMaps             = core("configmaps", "ConfigMap", true)
	Endpoints              = core("endpoints", "Endpoints", true)
	Events                 = core("events", "Event", true)
	Namespaces             = core("namespaces", "Namespace", false)
	Nodes                  = core("nodes", "Node", false)
	PersistentVolumeClaims = core("persistentvolumeclaims", "PersistentVolumeClaim", true)
	PersistentVolumes      = core("persistentvolumes", "PersistentVolume", false)
	Pods                   = core("pods", "Pod", true)
	Secrets                = core("secrets", "Secret", true)
	ServiceAccounts        = core("serviceaccounts", "ServiceAccount", true)
	Services               = core("services", "Service", true)

	DaemonSets   = grouped("apps", "daemonsets", "DaemonSet", true)
	Deployments  = grouped("apps", "deployments", "Deployment", true)
	ReplicaSets  = grouped("apps", "replicasets", "ReplicaSet", true)
	StatefulSets = grouped("apps", "statefulsets", "StatefulSet", true)

	CronJobs = grouped("batch", "cronjobs", "CronJob", true)
	Jobs     = grouped("batch", "jobs", "Job", true)

	CustomResourceDefinitions = grouped("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", false)
	EndpointSlices            = grouped("discovery.k8s.io", "endpointslices", "EndpointSlice", true)
	Ingresses                 = grouped("networking.k8s.io", "ingresses", "Ingress", true)
	Leases                    = grouped("coordination.k8s.io", "leases", "Lease", true)
	NetworkPolicies           = grouped("networking.k8s.io", "networkpolicies", "NetworkPolicy", true)
)
