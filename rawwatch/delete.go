package rawwatch

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/rawwatch/rawwatch/decode"
)

// Propagation says what becomes of the objects that an object owns (see
// "Cascading deletion" in the Kubernetes documentation).
type Propagation string

const (
	// PropagationDefault leaves it to the resource; Background for most.
	PropagationDefault Propagation = ""
	// PropagationBackground deletes the object now and what it owns afterwards.
	PropagationBackground Propagation = "Background"
	// PropagationForeground deletes what it owns first; until then the object stays, with
	// a deletionTimestamp.
	PropagationForeground Propagation = "Foreground"
	// PropagationOrphan keeps what it owns.
	PropagationOrphan Propagation = "Orphan"
)

// DeleteOptions adjusts a [Client.Delete]. The zero value deletes whatever has
// the name, as the resource has it.
type DeleteOptions struct {
	// UID and ResourceVersion are preconditions: the object must have them,
	// otherwise the server refuses ([IsConflict]). "" means any. With a UID, an
	// object that was created again under the name is safe.
	UID, ResourceVersion string
	// Propagation is what becomes of owned objects.
	Propagation Propagation
	// GracePeriodSeconds is how long a pod may take to end; nil is what the
	// object itself says, new(int64(0)) deletes at once.
	GracePeriodSeconds *int64
	// DryRun has the server do everything but delete.
	DryRun bool
	// OnWarning is told each warning that comes with the answer; nil drops
	// them.
	OnWarning func(text string)
	Retry     RetryOptions
}

// Delete deletes an object. The result is the object as it stands, where the
// server sends it: it then has a deletionTimestamp, and goes when its grace
// period or its finalizers end. Otherwise it is a stub (see [Object.IsStub]),
// and as a rule the object is gone. Its bytes are the caller's.
//
// Errors: a [*NotSentError], or a [*RequestError]; [IsNotFound] tells that
// there is no such object, [IsConflict] that a precondition is not met.
//
// With a UID, and without a ResourceVersion, a delete is safe to repeat: it is
// tried again like a get (see [RetryOptions]), and an object that is gone at
// the second attempt was deleted. Without the UID it might hit the next
// object of the name, and is sent once; with a ResourceVersion, which a
// deletion that takes its time changes, too.
func (c *Client) Delete(ctx context.Context, r Resource, key decode.Key, o DeleteOptions) (Object, error) {
	a := address{verb: "delete", resource: r, key: key}
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		return Object{}, a.wrong("DeleteOptions.GracePeriodSeconds", "is negative; nil means the object's own")
	}
	switch o.Propagation {
	case PropagationDefault, PropagationBackground, PropagationForeground, PropagationOrphan:
	default:
		return Object{}, a.wrong("DeleteOptions.Propagation", `is none of "Background", "Foreground" and "Orphan"`)
	}
	text, err := o.body()
	if err != nil {
		return Object{}, err
	}
	q, err := a.sending(http.MethodDelete, acceptJSON, text, WriteOptions{DryRun: o.DryRun, Retry: o.Retry, OnWarning: o.OnWarning})
	if err != nil {
		return Object{}, err
	}
	q.query = "" // all of it is in the body
	if o.UID != "" && o.ResourceVersion == "" && !o.DryRun {
		q.repeatable, q.gone = true, true
	}
	return c.objectOf(ctx, q)
}

// body is meta/v1 DeleteOptions, which all groups know as v1.
func (o DeleteOptions) body() ([]byte, error) {
	type preconditions struct {
		UID             string `json:"uid,omitempty"`
		ResourceVersion string `json:"resourceVersion,omitempty"`
	}
	body := struct {
		Kind               string         `json:"kind"`
		APIVersion         string         `json:"apiVersion"`
		GracePeriodSeconds *int64         `json:"gracePeriodSeconds,omitempty"`
		Preconditions      *preconditions `json:"preconditions,omitempty"`
		PropagationPolicy  Propagation    `json:"propagationPolicy,omitempty"`
		DryRun             []string       `json:"dryRun,omitempty"`
	}{Kind: "DeleteOptions", APIVersion: "v1", GracePeriodSeconds: o.GracePeriodSeconds, PropagationPolicy: o.Propagation}
	if o.UID != "" || o.ResourceVersion != "" {
		body.Preconditions = &preconditions{o.UID, o.ResourceVersion}
	}
	if o.DryRun {
		body.DryRun = []string{"All"}
	}
	return json.Marshal(body)
}
