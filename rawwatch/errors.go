package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// RequestError is a request that failed: which one, what came back, and why.
// Err holds the cause: a [*decode.StatusError] when the server explained itself
// with a Status, a network or TLS error, a [*TimeoutError], a [*BodyError], or
// an error of the decode package. Use errors.As to reach it.
//
// No credential is ever part of it, and no content of a Kubernetes object.
type RequestError struct {
	// Verb is the Kubernetes verb: "list", "watch", "get", "create", "update",
	// "patch" or "delete".
	Verb string
	// URL of the request, without user info.
	URL string
	// Resource and Namespace that were asked for; zero for discovery.
	Resource  Resource
	Namespace string
	// Name and Subresource of the one object that was asked for; "" for lists
	// and watches.
	Name, Subresource string
	// Code is the HTTP status; 0 when no answer came.
	Code int
	// RetryAfter is the server's Retry-After header, at most ten minutes; 0
	// when there was none.
	RetryAfter time.Duration
	// Err is the cause; never nil.
	Err error
}

// Error implements error.
func (e *RequestError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", e.Verb, e.URL)
	if e.Code != 0 && e.Code != 200 {
		fmt.Fprintf(&b, "HTTP %d: ", e.Code)
	}
	b.WriteString(e.Err.Error())
	if hint := e.hint(); hint != "" {
		b.WriteString(" (" + hint + ")")
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// hint says what to do about the failures that a person has to mend.
func (e *RequestError) hint() string {
	switch code := e.statusCode(); {
	case code == 401:
		return "the server does not accept the credential: check the token or client certificate of the kubeconfig user"
	case code == 403:
		verb, refused := e.refusedVerb()
		if !refused {
			return "" // not a matter of permissions: a quota, a policy, a namespace that ends
		}
		where := " in all namespaces (ClusterRole)"
		if e.Namespace != "" {
			where = " in namespace " + e.Namespace
		}
		if e.Resource.Name == "" {
			return "the user may not " + verb + " this path"
		}
		return "grant the verb " + verb + " on " + e.subject(e.Resource.GroupResource()) + where
	case code == 404 && e.Resource.Name != "" && !IsNotFound(e):
		return "the server does not serve " + e.subject(e.Resource.String()) + ": is the CustomResourceDefinition installed?"
	}
	return ""
}

// subject is the resource with the subresource that was asked for, as RBAC
// writes it.
func (e *RequestError) subject(resource string) string {
	if e.Subresource == "" {
		return resource
	}
	return resource + "/" + e.Subresource
}

// refusedVerb is the verb that is missing; false when the server refused a
// write for another reason. An apply needs two verbs: the server says which.
func (e *RequestError) refusedVerb() (verb string, refused bool) {
	switch e.Verb {
	case "create", "update", "patch", "delete":
	default:
		return e.Verb, true
	}
	status := statusIn(e.Err)
	if status == nil || status.Status.Message == "" {
		return e.Verb, true
	}
	if strings.Contains(status.Status.Message, " cannot create ") {
		return "create", true
	}
	return e.Verb, strings.Contains(status.Status.Message, " cannot "+e.Verb)
}

// statusCode is the code that decides: the one in a Status before HTTP's.
func (e *RequestError) statusCode() int {
	var status *decode.StatusError
	if errors.As(e.Err, &status) && status.Status.Code != 0 {
		return status.Status.Code
	}
	return e.Code
}

// BodyError is an answer that is not what a Kubernetes API server sends: an
// HTML page of a proxy, a text line, a redirect.
type BodyError struct {
	// ContentType as the server gave it, at most 200 bytes.
	ContentType string
	// Location is where a redirect pointed, at most 200 bytes; "" when it was
	// none. Redirects are not followed: they would take the credential elsewhere.
	Location string
	// Excerpt is the start of the body, at most 200 bytes, in one line; "" when
	// the body may hold a Kubernetes object.
	Excerpt string
}

// Error implements error.
func (e *BodyError) Error() string {
	if e.Location != "" {
		return fmt.Sprintf("redirected to %s, which is not followed: use the API server's own address", e.Location)
	}
	s := fmt.Sprintf("the answer is not from a Kubernetes API server: content type %q", e.ContentType)
	if e.Excerpt != "" {
		s += fmt.Sprintf(", it begins %q", e.Excerpt)
	}
	return s
}

// TimeoutError is one of the client's own time bounds that ran out.
type TimeoutError struct {
	// What ran out: "response headers", "list data", …
	What string
	// After is the bound.
	After time.Duration
}

// Error implements error.
func (e *TimeoutError) Error() string { return fmt.Sprintf("no %s within %v", e.What, e.After) }

// Timeout is always true, as net.Error has it.
func (e *TimeoutError) Timeout() bool { return true }

// Is makes errors.Is(err, context.DeadlineExceeded) true.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// ListExpiredError ends a [Client.List] whose continue token the server no
// longer honours, because the list took longer than its history lasts. What
// was delivered so far is not the whole list. A larger page, or no pages at
// all (PageLimit < 0), takes less time.
type ListExpiredError struct {
	// Delivered is the number of objects that were yielded before.
	Delivered int64
	// Err is the server's answer, a [*RequestError].
	Err error
}

// Error implements error.
func (e *ListExpiredError) Error() string {
	return fmt.Sprintf("list incomplete after %d objects: the continue token expired, the list took longer than the server keeps its history; ask for larger pages, or for all in one: %v", e.Delivered, e.Err)
}

// Unwrap gives the server's answer.
func (e *ListExpiredError) Unwrap() error { return e.Err }

// CredentialError is a request that was not sent because there is no usable
// credential for it: a token file that cannot be read, a plugin that failed.
type CredentialError struct {
	// Err is what the kubeconfig package says; it names the entry and the field.
	Err error
}

// Error implements error.
func (e *CredentialError) Error() string { return "no credential: " + e.Err.Error() }

// Unwrap gives the cause.
func (e *CredentialError) Unwrap() error { return e.Err }

// UnnamedObjectError is an object in a list or a frame that has no name in its
// metadata: nothing can be concluded from a list that holds one.
type UnnamedObjectError struct {
	// Err says what was found instead; may be nil.
	Err error
}

// Error implements error.
func (e *UnnamedObjectError) Error() string {
	if e.Err != nil {
		return "an object without a readable metadata.name: " + e.Err.Error()
	}
	return "an object without metadata.name"
}

// Unwrap gives what was found instead.
func (e *UnnamedObjectError) Unwrap() error { return e.Err }
