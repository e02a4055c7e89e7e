package rawwatch

import (
	"net/url"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// Bounds of writes that a zero in [WriteOptions] stands for.
const (
	// MaxWrite bounds the body of a write, in bytes: a kube-apiserver takes no
	// more than 3 MiB, and etcd stores less.
	MaxWrite = 3 << 20
	// DefaultRetries is how often a request that is safe to repeat is sent
	// again after a failure that may pass.
	DefaultRetries = 3
)

// FieldValidation says what the server does with fields that it does not know,
// and with those that occur twice.
type FieldValidation string

const (
	// FieldsDefault leaves it to the server: it warns, since 1.27.
	FieldsDefault FieldValidation = ""
	// FieldsIgnore drops them silently.
	FieldsIgnore FieldValidation = "Ignore"
	// FieldsWarn drops them and says so; see [WriteOptions].OnWarning.
	FieldsWarn FieldValidation = "Warn"
	// FieldsStrict refuses the write.
	FieldsStrict FieldValidation = "Strict"
)

// WriteOptions adjusts one write. The zero value is right for most.
type WriteOptions struct {
	// Subresource is written to in place of the object itself: "status",
	// "scale", "eviction", "token", …; "" is the object.
	Subresource string
	// DryRun has the server do everything but keep the result.
	DryRun bool
	// FieldManager names who owns the fields that are written, in the object's
	// managedFields. "" leaves it to the server, which takes the first part of
	// the user agent; an [ApplyPatch] needs one.
	FieldManager string
	// Force lets an [ApplyPatch] take fields that another manager owns, where
	// it would be refused otherwise (see [IsApplyConflict]).
	Force bool
	// FieldValidation is what happens to unknown fields.
	FieldValidation FieldValidation
	// OnWarning is told each warning that comes with the answer, before the
	// call returns: a deprecated version, an unknown field. The text is the
	// server's. Nil means they are dropped.
	OnWarning func(text string)
	// Limit bounds the body that is sent, in bytes; zero means [MaxWrite].
	Limit int64
	Retry RetryOptions
}

// RetryOptions bounds how a request that is safe to repeat is repeated. The
// zero value is right for most programs. What is safe to repeat stands in the
// documentation of each call; everything else is sent once.
type RetryOptions struct {
	// Retries is how often it is sent again; zero means [DefaultRetries],
	// negative never.
	Retries int
	// Backoff is the wait before; zero means 0.5 s to 10 s. A longer one that
	// the server asks for (Retry-After) is obeyed, within the time of the call.
	Backoff resume.Backoff
}

func (o RetryOptions) retries() int {
	if o.Retries == 0 {
		return DefaultRetries
	}
	return max(o.Retries, 0)
}

func (o RetryOptions) backoff() resume.Backoff {
	if o.Backoff.Min == 0 {
		o.Backoff.Min = 500 * time.Millisecond
	}
	if o.Backoff.Max == 0 {
		o.Backoff.Max = max(10*time.Second, o.Backoff.Min)
	}
	return o.Backoff
}

// params are those of the request, which all writes but a delete have in
// common.
func (o WriteOptions) params() url.Values {
	v := url.Values{}
	if o.DryRun {
		v.Set("dryRun", "All")
	}
	if o.FieldManager != "" {
		v.Set("fieldManager", o.FieldManager)
	}
	if o.FieldValidation != FieldsDefault {
		v.Set("fieldValidation", string(o.FieldValidation))
	}
	if o.Force {
		v.Set("force", "true")
	}
	return v
}

// check reports which option does not fit.
func (o WriteOptions) check(a address, apply bool) error {
	switch o.FieldValidation {
	case FieldsDefault, FieldsIgnore, FieldsWarn, FieldsStrict:
	default:
		return a.wrong("WriteOptions.FieldValidation", `is none of "Ignore", "Warn" and "Strict"`)
	}
	switch {
	case o.Limit < 0:
		return a.wrong("WriteOptions.Limit", "is negative; zero means the default")
	case len(o.FieldManager) > 128: // the API's own bound
		return a.wrong("WriteOptions.FieldManager", "is longer than 128 bytes")
	case apply && o.FieldManager == "":
		return a.wrong("WriteOptions.FieldManager", "is empty; an apply needs the name of who applies")
	case o.Force && !apply:
		return a.wrong("WriteOptions.Force", "is set; only an ApplyPatch can be forced")
	}
	return nil
}
