package kubeconfig

import (
	"errors"
	"fmt"
	"net/url"
)

// FieldError is a field that cannot be used: in which file and entry it
// stands, and what is wrong with it. It never holds the field's value.
type FieldError struct {
	// File that holds the entry; "" for a Config filled by hand.
	File string
	// Field is the path, such as "users[edge].client-key".
	Field string
	// Err says what is wrong and what to do.
	Err error
}

// Error implements error.
func (e *FieldError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("kubeconfig: %s: %v", e.Field, e.Err)
	}
	return fmt.Sprintf("kubeconfig %s: %s: %v", e.File, e.Field, e.Err)
}

// Unwrap gives the cause.
func (e *FieldError) Unwrap() error { return e.Err }

// UnsupportedError is a way to log in that this package does not know.
type UnsupportedError struct {
	// Feature is "exec" or "auth-provider NAME".
	Feature string
	// Instead says what to use in its place.
	Instead string
}

// Error implements error.
func (e *UnsupportedError) Error() string {
	return "not supported yet: " + e.Feature + "; " + e.Instead
}

// ErrNoConfig is returned when no source says which server to use.
var ErrNoConfig = errors.New("kubeconfig: no configuration found: no --kubeconfig, KUBECONFIG is empty or names no existing file, there is no ~/.kube/config, and this is no pod with a service account; name a file or a server")

// redactURL hides user info.
func redactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "(unreadable URL)"
	}
	return u.Redacted()
}
