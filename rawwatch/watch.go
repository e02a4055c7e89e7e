package rawwatch

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// WatchOptions adjusts a [Client.Watch].
type WatchOptions struct {
	// ResourceVersion is the point after which changes are told: that of a
	// list, of a bookmark, or of an earlier event. It is required: what a server
	// makes of a watch without one differs between releases.
	ResourceVersion string
	// Timeout is how long the server is asked to keep the stream open, in whole
	// seconds. Zero means five minutes.
	Timeout time.Duration
	// Bookmarks delivers the server's bookmarks too.
	Bookmarks bool
	// Encoding that objects are asked for in; zero is [EncodingAutomatic].
	Encoding Encoding
	// MetadataOnly asks for the objects' metadata only (PartialObjectMetadata).
	// A server that does not know it sends whole objects.
	MetadataOnly bool
}

// DefaultWatchTimeout is what a zero WatchOptions.Timeout stands for.
const DefaultWatchTimeout = 5 * time.Minute

// Watch yields the events of one stream: the changes after
// WatchOptions.ResourceVersion, as the server tells them, until the server ends
// the stream, which ends the iteration without an error. Every event's
// ResourceVersion is a point to begin the next watch from; most programs want
// [Client.ListWatch], which does that by itself.
//
// An error is the last thing that the iterator yields. When it wraps a
// [*decode.StatusError] whose IsExpired is true, the server's history no longer
// reaches back: list anew. Breaking out of the loop closes the stream.
//
// See "Efficient detection of changes" in the Kubernetes API concepts.
func (c *Client) Watch(ctx context.Context, q Query, o WatchOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := o.check(q); err != nil {
			yield(Event{}, err)
			return
		}
		s, err := c.openStream(ctx, &q, streamStart{version: o.ResourceVersion, timeout: o.Timeout, form: formFor(q.Resource, o.Encoding, o.MetadataOnly)})
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer s.close()
		kinds := kindCache{resource: &q.Resource}
		for {
			s.await()
			frame, err := s.next()
			if errors.Is(err, io.EOF) || errors.Is(err, errWatchOver) {
				return
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			if frame.Type == decode.Bookmark && !o.Bookmarks {
				continue
			}
			if !yield(eventOf(frame, &kinds), nil) {
				return
			}
		}
	}
}

func (o *WatchOptions) check(q Query) error {
	if err := q.Validate(); err != nil {
		return err
	}
	if o.ResourceVersion == "" || o.ResourceVersion == "0" {
		return &OptionError{Option: "WatchOptions.ResourceVersion", Problem: "is " + strconv.Quote(o.ResourceVersion) + ", which names no point in the history; take the one that a list returned"}
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultWatchTimeout
	}
	if o.Timeout < time.Second {
		return &OptionError{Option: "WatchOptions.Timeout", Problem: "is below one second"}
	}
	return nil
}
