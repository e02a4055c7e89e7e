package rawwatch

import (
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// OrderError is a watch that tells an older state of an object after a newer
// one: its server does not keep the order that all of watching rests on, or its
// history was rewritten while the stream was open. The old state was not
// delivered; the watch begins again, and if that repeats, the state is listed
// anew.
type OrderError struct {
	Key decode.Key
	// ResourceVersion that came, after the stream had been at Point.
	ResourceVersion, Point string
}

// Error implements error.
func (e *OrderError) Error() string {
	return "the watch went back to resourceVersion " + e.ResourceVersion + " of " + e.Key.String() + " after " + e.Point +
		": the server's history is in disorder, or was restored from a backup"
}

// BookmarkError is a bookmark without a resourceVersion. The watch goes on, but
// where nothing changes for long it will have to list anew after it was cut.
type BookmarkError struct{}

// Error implements error.
func (*BookmarkError) Error() string {
	return "a bookmark without metadata.resourceVersion: the server does not help to resume quiet watches"
}

// disorder is the error that a stale state in the stream is; nil where one may
// come: pages of a list may hold newer states than the version that its watch
// starts from.
func (r *reflection) disorder(meta *decode.Meta) error {
	point := r.machine.State().ResourceVersion
	order, comparable := resume.CompareVersions(string(meta.ResourceVersion), point)
	if r.listing || !comparable || order >= 0 {
		return nil
	}
	return &OrderError{
		Key:             decode.Key{Namespace: string(meta.Namespace), Name: string(meta.Name)},
		ResourceVersion: string(meta.ResourceVersion), Point: point,
	}
}
