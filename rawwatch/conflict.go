package rawwatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// IsNotFound reports whether the error says that the object does not exist, or
// that something does not that it needs, such as its namespace. It is false
// where the resource as a whole is not served: a missing
// CustomResourceDefinition is not a deleted object.
func IsNotFound(err error) bool {
	status := statusIn(err)
	return status != nil && status.IsNotFound() && status.Status.Details != nil && status.Status.Details.Name != ""
}

// IsAlreadyExists reports whether a create failed because there is an object of
// that name.
func IsAlreadyExists(err error) bool {
	status := statusIn(err)
	return status != nil && status.Status.Reason == "AlreadyExists"
}

// IsConflict reports whether the object is not in the state that the write was
// meant for: another resourceVersion, another uid. The way on is to read it
// again; see [RetryOnConflict]. It is false for what only looks alike, since
// reading again does not help: [IsAlreadyExists] and [IsApplyConflict].
func IsConflict(err error) bool {
	status := statusIn(err)
	return status != nil && status.Status.Reason == "Conflict" && !managed(status)
}

// IsApplyConflict reports whether an [ApplyPatch] was refused because it sets
// fields that another manager owns. The way on is to leave those fields out, or
// [WriteOptions].Force. An [*InvalidError] in the chain names the fields.
func IsApplyConflict(err error) bool {
	status := statusIn(err)
	return status != nil && status.Status.Reason == "Conflict" && managed(status)
}

const causeFieldManager = "FieldManagerConflict"

func managed(s *decode.StatusError) bool {
	if s.Status.Details == nil {
		return false
	}
	for _, cause := range s.Status.Details.Causes {
		if cause.Type == causeFieldManager {
			return true
		}
	}
	return false
}

func statusIn(err error) *decode.StatusError {
	var status *decode.StatusError
	errors.As(err, &status)
	return status
}

// DefaultConflictAttempts is how often [RetryOnConflict] tries unless told
// otherwise.
const DefaultConflictAttempts = 10

// ConflictOptions bounds [RetryOnConflict]. The zero value is right for most
// programs.
type ConflictOptions struct {
	// Attempts is how often it is tried in all; zero means
	// [DefaultConflictAttempts]. Less than zero is once.
	Attempts int
	// Backoff is the wait between two; zero means 10 ms to 1 s, less a random
	// share of up to half, so that writers who met do not meet again.
	Backoff resume.Backoff
}

// ConflictsError is a write that met a conflict each time.
type ConflictsError struct {
	// Attempts that were made.
	Attempts int
	// Err is what the last of them failed with.
	Err error
}

// Error implements error.
func (e *ConflictsError) Error() string {
	return fmt.Sprintf("still in conflict after %d attempts, somebody else keeps writing: %v", e.Attempts, e.Err)
}

// Unwrap gives what the last attempt failed with.
func (e *ConflictsError) Unwrap() error { return e.Err }

// RetryOnConflict calls attempt until it returns something other than a
// conflict (see [IsConflict]), and returns that. Each attempt must read the
// object again, change it, and write it:
//
//	err := rawwatch.RetryOnConflict(ctx, rawwatch.ConflictOptions{}, func(ctx context.Context) error {
//		o, err := client.Get(ctx, rawwatch.ConfigMaps, key, rawwatch.GetOptions{})
//		if err != nil {
//			return err
//		}
//		o, err = o.Edit(func(f rawwatch.Fields) error { return f.Set("on", "data", "light") })
//		if err != nil {
//			return err
//		}
//		_, err = client.Update(ctx, rawwatch.ConfigMaps, o, rawwatch.WriteOptions{})
//		return err
//	})
//
// [Client.Change] is the same in one call. When all attempts met a conflict the
// error is a [*ConflictsError]. When the context ends between two attempts it
// holds both the context's cause and the last conflict.
func RetryOnConflict(ctx context.Context, o ConflictOptions, attempt func(context.Context) error) error {
	if o.Attempts == 0 {
		o.Attempts = DefaultConflictAttempts
	}
	if o.Backoff.Min == 0 {
		o.Backoff.Min = 10 * time.Millisecond
	}
	if o.Backoff.Max == 0 {
		o.Backoff.Max = max(time.Second, o.Backoff.Min)
	}
	if err := o.Backoff.Check(); err != nil {
		return err
	}
	for n := 1; ; n++ {
		err := attempt(ctx)
		switch {
		case err == nil || !IsConflict(err):
			return err
		case n >= o.Attempts:
			return &ConflictsError{Attempts: n, Err: err}
		case !sleep(ctx, o.Backoff.Wait(n, rand.Float64())):
			return errors.Join(context.Cause(ctx), err)
		}
	}
}
