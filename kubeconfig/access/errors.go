package access

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoConfig is what errors.Is finds in the error of Load when nothing says
// which server to use; the error itself is a [*NoConfigError].
var ErrNoConfig = errors.New("no configuration found")

// ErrClosed is returned by a session that was closed.
var ErrClosed = errors.New("access: the session is closed")

// NoConfigError says where Load has looked in vain.
type NoConfigError struct {
	// Looked lists files, and "in-cluster".
	Looked []string
}

// Error implements error.
func (e *NoConfigError) Error() string {
	return "no configuration found in " + strings.Join(e.Looked, ", ") +
		"; name a kubeconfig file or a server, or set KUBECONFIG"
}

// Is makes errors.Is(err, ErrNoConfig) true.
func (e *NoConfigError) Is(target error) bool { return target == ErrNoConfig }

// FieldError is a field that cannot be used: in which file and entry it
// stands, and what is wrong with it. It never holds a credential.
type FieldError struct {
	// File that holds the entry, or "in-cluster"; "" for an option or for a
	// Config filled by hand.
	File string
	// Field is the path, such as "users[edge].client-key", "Options.Token" or
	// "Config.CAFile"; "" is the file as a whole.
	Field string
	// Err says what is wrong and what to do.
	Err error
}

// Error implements error. It begins with the place that is at fault.
func (e *FieldError) Error() string {
	where := ""
	switch e.File {
	case "":
	case inClusterSource:
		where = e.File + ": "
	default:
		where = "kubeconfig " + e.File + ": "
	}
	if e.Field != "" {
		where += e.Field + ": "
	}
	return where + e.Err.Error()
}

// Unwrap gives the cause.
func (e *FieldError) Unwrap() error { return e.Err }

// LimitError says that something is larger than is allowed.
type LimitError struct {
	// What is "file", "token", "plugin output", "issuer answer", "nesting" or
	// "extension".
	What string
	// Limit in bytes, or levels of nesting.
	Limit int64
	// Option that sets the limit; "" when none does.
	Option string
}

// Error implements error.
func (e *LimitError) Error() string {
	unit := "bytes"
	if e.What == "nesting" {
		unit = "levels"
	}
	s := fmt.Sprintf("the %s is larger than %d %s", e.What, e.Limit, unit)
	if e.Option != "" {
		s += "; raise " + e.Option + " if that is meant to be"
	}
	return s
}

// OptionError says which option is out of its bounds.
type OptionError struct {
	// Option is the field's name, such as "SessionOptions.Leeway".
	Option string
	// Problem completes the sentence "Option …".
	Problem string
}

// Error implements error.
func (e *OptionError) Error() string { return "access: " + e.Option + " " + e.Problem }

// UnsupportedError is a way to log in that does not exist any more, or is not
// known.
type UnsupportedError struct {
	// Feature is what was asked for, such as `auth-provider "gcp"`.
	Feature string
	// Instead says what to use in its place.
	Instead string
}

// Error implements error.
func (e *UnsupportedError) Error() string { return e.Feature + " is not supported; " + e.Instead }
