package watchtest

import "strings"

// Resource describes a kind of object that the server serves. The built-in
// ones are variables of this package ([Pods], [Nodes], …); others are made
// known with [Server.Register], as a CustomResourceDefinition does it.
type Resource struct {
	// Group is the API group; "" is the core group.
	Group string
	// Version of the group, such as "v1".
	Version string
	// Plural is the name in the URL, such as "pods".
	Plural string
	// Kind is the name in the object, such as "Pod".
	Kind string
	// Singular is the name in discovery; "" means Kind in lower case.
	Singular string
	// ShortNames are the abbreviations in discovery, such as "po".
	ShortNames []string
	// Namespaced is false for cluster-scoped kinds.
	Namespaced bool
	// Fields are the paths that a field selector may name beside
	// metadata.name and metadata.namespace (a CustomResourceDefinition's
	// selectableFields), such as "spec.nodeName".
	Fields []string
	// JSONOnly says that objects of the kind have no protobuf form although
	// the kind is one of those built into Kubernetes. Custom resources have
	// none anyway.
	JSONOnly bool

	// builtin kinds answer lists with typed items, which carry neither kind
	// nor apiVersion, and "items" after "metadata"; custom resources the other
	// way round in both.
	builtin bool
	// blank is what a BOOKMARK frame of the kind carries beside its metadata:
	// the fields of the Go type that are written even when they are empty.
	blank string
}

// The resources that every server knows from its start.
var (
	Pods = Resource{Version: "v1", Plural: "pods", Kind: "Pod", ShortNames: []string{"po"}, Namespaced: true, builtin: true,
		Fields: []string{"spec.host", "spec.hostNetwork", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.nominatedNodeName", "status.phase", "status.podIP"},
		blank:  `,"spec":{"containers":null},"status":{}`}
	Nodes = Resource{Version: "v1", Plural: "nodes", Kind: "Node", ShortNames: []string{"no"}, builtin: true,
		Fields: []string{"spec.unschedulable"}, blank: `,"spec":{},"status":{}`}
	ConfigMaps = Resource{Version: "v1", Plural: "configmaps", Kind: "ConfigMap", ShortNames: []string{"cm"}, Namespaced: true, builtin: true}
	Secrets    = Resource{Version: "v1", Plural: "secrets", Kind: "Secret", Namespaced: true, builtin: true, Fields: []string{"type"}}
	Namespaces = Resource{Version: "v1", Plural: "namespaces", Kind: "Namespace", ShortNames: []string{"ns"}, builtin: true,
		Fields: []string{"status.phase"}, blank: `,"spec":{},"status":{}`}
	Events = Resource{Version: "v1", Plural: "events", Kind: "Event", ShortNames: []string{"ev"}, Namespaced: true, builtin: true,
		Fields: []string{"involvedObject.apiVersion", "involvedObject.fieldPath", "involvedObject.kind", "involvedObject.name", "involvedObject.namespace", "involvedObject.resourceVersion", "involvedObject.uid", "reason", "reportingComponent", "type"}}
	Deployments = Resource{Group: "apps", Version: "v1", Plural: "deployments", Kind: "Deployment", ShortNames: []string{"deploy"}, Namespaced: true, builtin: true,
		blank: `,"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}`}
)

var builtins = []Resource{Pods, Nodes, ConfigMaps, Secrets, Namespaces, Events, Deployments}

// apiVersion is the group and version as objects carry it.
func (r Resource) apiVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// qualified is the resource's name in messages, such as "deployments.apps".
func (r Resource) qualified() string {
	if r.Group == "" {
		return r.Plural
	}
	return r.Plural + "." + r.Group
}

// goType is the name of the type in kube-apiserver, which some of its messages
// show.
func (r Resource) goType() string {
	if !r.builtin {
		return "*unstructured.Unstructured"
	}
	group, _, _ := strings.Cut(r.Group, ".")
	if group == "" {
		group = "core"
	}
	return "*" + group + "." + r.Kind
}

func (r Resource) singular() string {
	if r.Singular != "" {
		return r.Singular
	}
	return strings.ToLower(r.Kind)
}

// Path is the URL path of the collection in a namespace; "" means all
// namespaces, and is the only value for cluster-scoped resources.
func (r Resource) Path(namespace string) string {
	root := "/api/" + r.Version
	if r.Group != "" {
		root = "/apis/" + r.Group + "/" + r.Version
	}
	if namespace != "" {
		root += "/namespaces/" + namespace
	}
	return root + "/" + r.Plural
}

// address is what tells resources apart.
type address struct{ group, version, plural string }

func (r Resource) address() address { return address{r.Group, r.Version, r.Plural} }
