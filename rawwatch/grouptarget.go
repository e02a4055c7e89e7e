package rawwatch

import (
	"context"

	"github.com/rawwatch/rawwatch/decode"
)

// target is a part of an informer, whatever its T, that a feed gives its events
// to.
type target interface {
	tracking
	// publish gives it an event.
	publish(context.Context, Event) error
	// follows says whose events they will be.
	follows(*Reflector)
	// wants says what its T wants: of metadata alone, and of whole objects.
	wants() (partial, whole projection)
}

// partTarget is a target of T.
type partTarget[T any] struct {
	storeIndex[T]
	informer       *Informer[T]
	part           *part[T]
	partial, whole projection
}

func newPartTarget[T any](i *Informer[T], p *part[T], o InformerOptions[T]) (*target, error) {
	t := &partTarget[T]{storeIndex: storeIndex[T]{p.own}, informer: i, part: p}
	if o.Keep == nil {
		plan, err := decode.For[T]()
		if err != nil {
			return nil, err
		}
		t.partial.metadataOnly = plan.MetadataOnly()
		t.partial.unknown = plan.Protobuf(partialGroup, partialVersion, kindPartial)
		r := p.query.Resource
		t.whole.unknown = plan.Protobuf(r.Group, r.Version, r.Kind)
	}
	var to target = t
	return &to, nil
}

func (t *partTarget[T]) wants() (partial, whole projection) { return t.partial, t.whole }

func (t *partTarget[T]) follows(r *Reflector) { t.part.reflector.Store(r) }

// publish gives an event to the informer. What is the first list to a run is
// none to a store that has had one.
func (t *partTarget[T]) publish(ctx context.Context, e Event) error {
	if e.Cause == CauseList && t.part.synced {
		e.Cause = CauseRelist
	}
	return t.informer.publish(ctx, t.part, e)
}
