package watchtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// StatusError is a refusal: what the API sends as an object of kind Status
// (API concepts, "Response status"). The Go calls of [Server] return it, and
// faults are made of it.
type StatusError struct {
	// Code is the HTTP status code.
	Code int
	// Reason is the machine-readable one, such as "Expired" or "NotFound".
	Reason string // "" in some of kube-apiserver's own failures
	// Message is for people.
	Message string
	// Details may be nil.
	Details *StatusDetails
	// Continue is the token that an expired continuation offers; mostly "".
	Continue string
}

// StatusDetails is the details member of a Status.
type StatusDetails struct {
	// Name, Group, Kind (mostly the resource's plural) and UID tell which
	// object is meant.
	Name  string `json:"name,omitempty"`
	Group string `json:"group,omitempty"`
	Kind  string `json:"kind,omitempty"`
	UID   string `json:"uid,omitempty"`
	// Causes are the single reasons.
	Causes []StatusCause `json:"causes,omitempty"`
	// RetryAfterSeconds also goes out as the Retry-After header.
	RetryAfterSeconds int `json:"retryAfterSeconds,omitempty"`
}

// StatusCause is one of the causes of a Status.
type StatusCause struct {
	// Type is the machine-readable cause ("reason" in JSON).
	Type string `json:"reason,omitempty"`
	// Message is for people.
	Message string `json:"message,omitempty"`
	// Field is the path or parameter that is meant.
	Field string `json:"field,omitempty"`
}

// Error is the message with the code.
func (e *StatusError) Error() string {
	return fmt.Sprintf("watchtest: %d %s: %s", e.Code, e.Reason, e.Message)
}

type statusBody struct {
	Kind       string         `json:"kind"`
	APIVersion string         `json:"apiVersion"`
	Metadata   statusMeta     `json:"metadata"`
	Status     string         `json:"status"`
	Message    string         `json:"message,omitempty"`
	Reason     string         `json:"reason,omitempty"`
	Details    *StatusDetails `json:"details,omitempty"`
	Code       int            `json:"code,omitempty"`
}

type statusMeta struct {
	Continue string `json:"continue,omitempty"`
}

// JSON is the Status object.
func (e *StatusError) JSON() []byte {
	return marshal(statusBody{
		Kind: "Status", APIVersion: "v1", Metadata: statusMeta{e.Continue},
		Status: "Failure", Message: e.Message, Reason: e.Reason, Details: e.Details, Code: e.Code,
	})
}

// marshal encodes one of this package's own structures, which always works.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Expired is the refusal of a version that the server has forgotten, as a
// LIST is told it (HTTP 410).
func Expired() *StatusError {
	return &StatusError{Code: http.StatusGone, Reason: "Expired", Message: "The resourceVersion for the provided list is too old."}
}

// TooOld is the refusal of a watch from a version that the server has
// forgotten: usually inside an ERROR frame (see [ErrorFrame]).
func TooOld(asked, oldest uint64) *StatusError {
	return &StatusError{Code: http.StatusGone, Reason: "Expired", Message: fmt.Sprintf("too old resource version: %d (%d)", asked, oldest)}
}

// TooLarge is the refusal of a version that the server has not reached yet.
func TooLarge(asked, current uint64) *StatusError {
	return &StatusError{
		Code: http.StatusGatewayTimeout, Reason: "Timeout",
		Message: fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", asked, current),
		Details: &StatusDetails{
			Causes:            []StatusCause{{Type: "ResourceVersionTooLarge", Message: "Too large resource version"}},
			RetryAfterSeconds: 1,
		},
	}
}

// TooManyRequests is the answer of a server under pressure (HTTP 429).
func TooManyRequests(retryAfterSeconds int) *StatusError {
	return &StatusError{
		Code: http.StatusTooManyRequests, Reason: "TooManyRequests",
		Message: "The server is currently overloaded, please try again later",
		Details: &StatusDetails{RetryAfterSeconds: retryAfterSeconds},
	}
}

// Failure is a server's failure with the given code, 500 to 504.
func Failure(code int) *StatusError {
	e := &StatusError{Code: code, Reason: "InternalError", Message: "Internal error occurred: injected by watchtest"}
	switch code {
	case http.StatusServiceUnavailable:
		e.Reason, e.Message = "ServiceUnavailable", "the server is currently unable to handle the request"
	case http.StatusGatewayTimeout:
		e.Reason, e.Message = "Timeout", "Timeout: request did not complete within the allotted timeout"
	}
	return e
}

func badRequest(format string, args ...any) *StatusError {
	return &StatusError{Code: http.StatusBadRequest, Reason: "BadRequest", Message: fmt.Sprintf(format, args...)}
}

func notFound(r *Resource, name string) *StatusError {
	return &StatusError{Code: http.StatusNotFound, Reason: "NotFound",
		Message: fmt.Sprintf("%s %q not found", r.qualified(), name), Details: &StatusDetails{Name: name, Group: r.Group, Kind: r.Plural}}
}

func alreadyExists(r *Resource, name string) *StatusError {
	return &StatusError{Code: http.StatusConflict, Reason: "AlreadyExists",
		Message: fmt.Sprintf("%s %q already exists", r.qualified(), name), Details: &StatusDetails{Name: name, Group: r.Group, Kind: r.Plural}}
}

func conflict(r *Resource, name, why string) *StatusError {
	return &StatusError{Code: http.StatusConflict, Reason: "Conflict",
		Message: fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", r.qualified(), name, why), Details: &StatusDetails{Name: name, Group: r.Group, Kind: r.Plural}}
}

// invalid is the 422 of an object or of list options whose fields are wrong.
func invalid(kind, group, name string, causes ...StatusCause) *StatusError {
	texts := make([]string, len(causes))
	for i, c := range causes {
		texts[i] = c.Field + ": " + c.Message
	}
	text := strings.Join(texts, ", ")
	if len(texts) > 1 {
		text = "[" + text + "]"
	}
	qualified := kind
	if group != "" {
		qualified += "." + group
	}
	return &StatusError{Code: http.StatusUnprocessableEntity, Reason: "Invalid",
		Message: fmt.Sprintf("%s %q is invalid: %s", qualified, name, text),
		Details: &StatusDetails{Name: name, Group: group, Kind: kind, Causes: causes}}
}
