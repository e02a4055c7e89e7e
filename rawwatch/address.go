package rawwatch

import (
	"fmt"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// NotSentError is a request for one object that was not sent: no server could
// carry it out, or it would do what nobody means.
type NotSentError struct {
	// Verb is the Kubernetes verb: "get", "create", "update", "patch", "delete".
	Verb string
	// Resource that it was meant for.
	Resource Resource
	// Field is what is wrong: an argument or an option, such as "key.Name".
	Field string
	// Problem completes the sentence "Field …" and says what to do. It holds no
	// value of an object.
	Problem string
	// Err is the cause; nil where the problem says it all.
	Err error
}

// Error implements error.
func (e *NotSentError) Error() string {
	text := fmt.Sprintf("rawwatch: %s of %s not sent: %s %s", e.Verb, e.Resource.GroupResource(), e.Field, e.Problem)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *NotSentError) Unwrap() error { return e.Err }

// address is where one object of a resource is served.
type address struct {
	verb        string
	resource    Resource
	key         decode.Key
	subresource string
}

func (a address) wrong(field, problem string) error {
	return &NotSentError{Verb: a.verb, Resource: a.resource, Field: field, Problem: problem}
}

// check reports what in the address cannot be sent. nameless allows a key
// without a name: a create whose name the server makes.
func (a address) check(nameless bool) error {
	if err := a.resource.valid(); err != nil {
		return err
	}
	const unfit = "has characters that cannot stand in a URL path"
	switch {
	case a.key.Name == "" && !nameless:
		return a.wrong("key.Name", "is empty; name the object")
	case !segmentSafe(a.key.Name):
		return a.wrong("key.Name", unfit)
	case a.resource.Namespaced && a.key.Namespace == "":
		return a.wrong("key.Namespace", "is empty; "+a.resource.GroupResource()+" live in namespaces")
	case !a.resource.Namespaced && a.key.Namespace != "":
		return a.wrong("key.Namespace", "is set; "+a.resource.GroupResource()+" is cluster-scoped, leave it empty")
	case !segmentSafe(a.key.Namespace):
		return a.wrong("key.Namespace", unfit)
	case !segmentSafe(a.subresource):
		return a.wrong("Subresource", unfit)
	}
	return nil
}

// segmentSafe reports whether the text can be one segment of a path and leads
// nowhere else. Colons may: RBAC's names have them.
func segmentSafe(s string) bool {
	return pathSafe(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// path of the object below the server's base URL; of the collection where
// there is no name.
func (a address) path() string {
	path := a.resource.InNamespace(a.key.Namespace).path()
	if a.key.Name != "" {
		path += "/" + a.key.Name
	}
	if a.subresource != "" {
		path += "/" + a.subresource
	}
	return path
}
