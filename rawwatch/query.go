package rawwatch

import (
	"fmt"
	"net/url"
	"strings"
)

// Query says which objects: a [Resource], and optionally one namespace, one
// object by name, and selectors that the server evaluates. It is a plain
// value; each With… method returns a changed copy.
//
// Every request for a query carries its selectors: the first list, every page
// of a relist and every resumed watch alike.
type Query struct {
	Resource Resource
	// Namespace limits the query to one namespace; "" means all of them. It
	// must be empty for cluster-scoped resources.
	Namespace string
	// ObjectName limits the query to the one object of that name; "" means no
	// limit. It travels as the field selector metadata.name=…, which is what
	// lets RBAC rules with resourceNames allow the list and the watch.
	ObjectName string
	// LabelSelector in the API's syntax, such as "app=web,tier!=cache".
	LabelSelector string
	// FieldSelector in the API's syntax, such as "spec.nodeName=node-7".
	FieldSelector string
}

// Query returns the query for all objects of the resource, in all namespaces.
func (r Resource) Query() Query { return Query{Resource: r} }

// AllNamespaces is [Resource.Query] by the name that reads well in a call.
func (r Resource) AllNamespaces() Query { return r.Query() }

// InNamespace returns the query for the objects of one namespace.
func (r Resource) InNamespace(namespace string) Query { return r.Query().InNamespace(namespace) }

// Named returns the query for the one object of that name.
func (r Resource) Named(name string) Query { return r.Query().Named(name) }

// WithLabel returns the query for the objects that match the label selector.
func (r Resource) WithLabel(selector string) Query { return r.Query().WithLabel(selector) }

// WithField returns the query for the objects that match the field selector.
func (r Resource) WithField(selector string) Query { return r.Query().WithField(selector) }

// InNamespace limits the query to one namespace; "" lifts the limit.
func (q Query) InNamespace(namespace string) Query { q.Namespace = namespace; return q }

// AllNamespaces lifts the limit to one namespace.
func (q Query) AllNamespaces() Query { q.Namespace = ""; return q }

// Named limits the query to the one object of that name; "" lifts the limit.
func (q Query) Named(name string) Query { q.ObjectName = name; return q }

// WithLabel adds a label selector to those already there (all must match).
func (q Query) WithLabel(selector string) Query {
	q.LabelSelector = join(q.LabelSelector, selector)
	return q
}

// WithField adds a field selector to those already there (all must match).
func (q Query) WithField(selector string) Query {
	q.FieldSelector = join(q.FieldSelector, selector)
	return q
}

// String describes the query for logs: resource, namespace, name, selectors.
func (q Query) String() string {
	var b strings.Builder
	b.WriteString(q.Resource.GroupResource())
	if q.Namespace != "" {
		b.WriteString(" in " + q.Namespace)
	}
	if s := q.fieldSelector(); s != "" {
		b.WriteString(" fields " + s)
	}
	if q.LabelSelector != "" {
		b.WriteString(" labels " + q.LabelSelector)
	}
	return b.String()
}

// Validate reports, as a [*QueryError], what in the query no server could
// answer. The selectors' syntax is the server's to judge.
func (q Query) Validate() error {
	if err := q.Resource.valid(); err != nil {
		return err
	}
	if q.Namespace != "" && !q.Resource.Namespaced {
		return &QueryError{Field: "Namespace", Value: q.Namespace, Problem: q.Resource.GroupResource() + " is cluster-scoped; leave the namespace empty"}
	}
	if !pathSafe(q.Namespace) {
		return &QueryError{Field: "Namespace", Value: q.Namespace, Problem: "has characters that cannot stand in a URL path"}
	}
	if strings.ContainsAny(q.ObjectName, ",=!/\\ ") {
		return &QueryError{Field: "ObjectName", Value: q.ObjectName, Problem: "is not the name of an object"}
	}
	return nil
}

// path is the collection's path below the server's base URL.
func (q Query) path() string { return string(q.appendPath(nil)) }

func (q *Query) appendPath(b []byte) []byte {
	b = q.Resource.appendRoot(b)
	if q.Namespace != "" {
		b = append(append(b, "/namespaces/"...), q.Namespace...)
	}
	return append(append(b, '/'), q.Resource.Name...)
}

// selectors are the parameters that every request for the query carries.
func (q Query) selectors() url.Values {
	v := url.Values{}
	if q.LabelSelector != "" {
		v.Set("labelSelector", q.LabelSelector)
	}
	if s := q.fieldSelector(); s != "" {
		v.Set("fieldSelector", s)
	}
	return v
}

func (q Query) fieldSelector() string {
	if q.ObjectName == "" {
		return q.FieldSelector
	}
	return join("metadata.name="+q.ObjectName, q.FieldSelector)
}

// join puts two selectors into one that asks for both.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

// QueryError says which field of a [Query] cannot be sent, and why.
type QueryError struct {
	// Field is the path of the field, such as "Resource.Name".
	Field string
	// Value is what the field held; "" when it was empty.
	Value string
	// Problem completes the sentence "Field …".
	Problem string
}

// Error implements error.
func (e *QueryError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("rawwatch: query: %s %s", e.Field, e.Problem)
	}
	return fmt.Sprintf("rawwatch: query: %s %q %s", e.Field, e.Value, e.Problem)
}
