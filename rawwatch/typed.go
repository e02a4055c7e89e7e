package rawwatch

import (
	"context"
	"iter"

	"github.com/rawwatch/rawwatch/decode"
)

// TypedEvent is an [Event] whose object has been decoded into a T.
type TypedEvent[T any] struct {
	Event
	// Value holds what T names of the object. It is the caller's: nothing in it
	// refers to the borrowed Object.Raw. It is the zero T for Synced and
	// Bookmark, for a stub, and when Err says that the object does not fit T.
	Value T
}

// ListWatchAs is [Client.ListWatch] that decodes each object into a T, usually
// a struct whose json tags name what is wanted; see [decode.For]. The rest of
// the object is not decoded, and an object that the consumer knows already not
// at all.
//
// T also decides what is asked for, unless the options do: metadata only when T
// names nothing else, and protobuf when the kind is built in and every field of
// T is known there (see [Status].Plain for why not). An object that does not
// fit T comes with a [*decode.ObjectError] in Err and its raw bytes; the stream
// goes on.
//
// The iterator's error is that of ListWatch, or a [*decode.TypeError]: T cannot
// be decoded into.
func ListWatchAs[T any](ctx context.Context, c *Client, q Query, o ListWatchOptions) iter.Seq2[TypedEvent[T], error] {
	return EventsAs[T](ctx, NewReflector(c, q, o))
}

// EventsAs yields what [ListWatchAs] yields, of a [Reflector] that can be asked
// how it is meanwhile.
func EventsAs[T any](ctx context.Context, r *Reflector) iter.Seq2[TypedEvent[T], error] {
	return func(yield func(TypedEvent[T], error) bool) {
		d, err := newDecoder[T](r.asks().Resource)
		if err != nil {
			yield(TypedEvent[T]{}, err)
			return
		}
		r.wants(d.core)
		for e, err := range r.Events(ctx) {
			typed := TypedEvent[T]{Event: e}
			if err == nil && e.Err == nil && e.Object.Raw != nil {
				typed.Err = d.decode(e.Object, &typed.Value)
			}
			if !yield(typed, err) {
				return
			}
		}
	}
}

// ListAs is [Client.List] that decodes each object into a T, as [ListWatchAs]
// does. An object that does not fit T comes with a [*decode.ObjectError], which
// does not end the iteration.
func ListAs[T any](ctx context.Context, c *Client, q Query, o ListOptions) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var value, zero T
		d, err := newDecoder[T](q.Resource)
		if err != nil {
			yield(zero, err)
			return
		}
		o.Encoding, o.MetadataOnly = d.core.adjust(q.Resource, o.Encoding, o.MetadataOnly)
		for object, err := range c.List(ctx, q, o) {
			value = zero
			if err == nil {
				err = d.decode(object, &value)
			}
			if err != nil {
				value = zero
			}
			if !yield(value, err) {
				return
			}
		}
	}
}

// decoder fills Ts.
type decoder[T any] struct {
	plan *decode.Plan[T]
	core projection
}

// projection is what a T wants, whatever T it is.
type projection struct {
	metadataOnly bool
	unknown      error // why T cannot be read from protobuf; nil if it can
}

func newDecoder[T any](r Resource) (*decoder[T], error) {
	plan, err := decode.For[T]()
	if err != nil {
		return nil, err
	}
	d := &decoder[T]{plan: plan}
	d.core.metadataOnly = plan.MetadataOnly()
	if d.core.metadataOnly {
		d.core.unknown = plan.Protobuf(partialGroup, partialVersion, kindPartial)
	} else {
		d.core.unknown = plan.Protobuf(r.Group, r.Version, r.Kind)
	}
	return d, nil
}

const (
	partialGroup   = "meta.k8s.io"
	partialVersion = "v1"
)

// adjust makes the automatic choices by what T wants.
func (p projection) adjust(r Resource, e Encoding, metadataOnly bool) (Encoding, bool) {
	metadataOnly = metadataOnly || p.metadataOnly
	if e != EncodingJSON && p.unknown != nil {
		e = EncodingJSON
	}
	return e, metadataOnly
}

// decode fills value from the object.
func (d *decoder[T]) decode(o Object, value *T) error {
	err := d.plan.DecodeKnown(o.Raw, decode.Known{Identity: o.Identity, APIVersion: o.APIVersion, Kind: o.Kind, Checked: o.checked}, value)
	if err != nil {
		var zero T
		*value = zero
	}
	return err
}

// wants adjusts the reflector to a T, before it starts.
func (r *Reflector) wants(p projection) {
	asked := r.options.Encoding
	r.options.Encoding, r.options.MetadataOnly = p.adjust(r.asks().Resource, asked, r.options.MetadataOnly)
	if p.unknown != nil && asked != EncodingJSON && (asked == EncodingProtobuf || builtin(r.asks().Resource.Group)) {
		r.board.write(func(s *standing) { s.troubles().Plain = p.unknown })
	}
}
