package rawwatch

import (
	"context"
	"fmt"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// CauseCheckpoint: an [Informer] has gone on from a checkpoint. With Added
// ahead of everything else: the object as the checkpoint has it, not yet
// confirmed by the server. Later: a change that happened while nobody watched,
// told by the server when the watch went on from the checkpoint's version. With
// Synced: all of these have been delivered.
const CauseCheckpoint Cause = "checkpoint"

// Checkpointer lets an [Informer] begin with what an earlier process knew, go on
// from there, and save what is acknowledged. [CheckpointIn] makes one; it is for
// one informer.
type Checkpointer[T any] interface {
	keep(*Informer[T], InformerOptions[T]) (keeper[T], error)
}

// keeper is what an informer calls; nil when it has no checkpoint.
type keeper[T any] interface {
	// start restores and begins to save; ctx is that of Run.
	start(ctx context.Context) error
	// admit is called before a part asks the server for anything.
	admit(ctx context.Context, p *part[T]) error
	// room waits until the journal has room for one more event.
	room(ctx context.Context) error
	// taker is who takes the part's event in; called, as published is, by who
	// may publish.
	taker(p *part[T], e Event) taker[T]
	observe(c *Change[T])
	published(ctx context.Context, p *part[T], e Event) error
	// stop saves what is acknowledged; nothing is published any more.
	stop(ctx context.Context)
	status() *InformerCheckpoint
}

// Defaults of [CheckpointOptions].
const (
	DefaultCheckpointInterval  = time.Second
	DefaultCheckpointBatchSize = 1000
	// DefaultCheckpointUnacknowledged changes take about half a megabyte,
	// besides the objects' states.
	DefaultCheckpointUnacknowledged = 10_000
)

// CheckpointOptions adjust how an [Informer] uses its checkpoint. The zero value
// is right for most.
type CheckpointOptions[T any] struct {
	// Watch is the name of the watch within the checkpoint, the same after a
	// restart; "" is the resource's name. With InformerOptions.Namespaces each
	// namespace has a watch of its own: the name, "/", and the namespace.
	// Informers that run at the same time with one checkpoint need names that
	// differ: the Run of the second returns an [OptionError] otherwise.
	Watch string
	// Cluster tells one cluster's history from any other. "" asks the server
	// for the uid of the namespace kube-system; where that is forbidden or not
	// there, it is the server's address and the hash of its authorities.
	Cluster string
	// Schema is to be changed when the same T means something else: when Keep
	// or Transform do something else than before. T's own type, and KeepLabels,
	// are taken into account already.
	Schema string
	// Codec says how a T is saved. Nil saves types that have AppendBinary and
	// UnmarshalBinary with these, such as [RawObject] and [CompressedObject],
	// and all others as JSON.
	Codec *CheckpointCodec[T]
	// Interval and BatchSize say how long, and up to how many changes,
	// acknowledged changes are collected before they are saved. 0 is the
	// default.
	Interval  time.Duration
	BatchSize int
	// MaxUnacknowledged is how many changes may wait for durable subscriptions
	// to acknowledge them; then the stream waits. The changes that follow from
	// one list count as one event. 0 is the default.
	MaxUnacknowledged int
}

// CheckpointCodec makes bytes of a T and a T of bytes.
type CheckpointCodec[T any] struct {
	// Format names the encoding. A state of another one is not used.
	Format string
	// Append appends the value to dst. It is called on a goroutine of the
	// informer's; the value is shared and must not be changed.
	Append func(dst []byte, value *T) ([]byte, error)
	// Decode fills the zero T. data is borrowed.
	Decode func(data []byte, into *T) error
}

// CheckpointIn makes an informer save in store what it knows, and begin with
// what is saved there:
//
//	store, err := checkpoint.Open(ctx, "/var/lib/agent/watch.ckpt", checkpoint.Options{})
//	…
//	pods, err := rawwatch.NewInformer(client, query, rawwatch.InformerOptions[Pod]{
//		Checkpoint: rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[Pod]{}),
//	})
//
// At the start of [Informer.Run] the saved objects are in the informer's store
// before anything is asked of the network, and subscribers get them as Added
// with [CauseCheckpoint]. Then the informer asks which cluster it is talking to
// and, if that is the saved one, goes on watching from the saved version. What
// happened meanwhile follows as changes, also when the server's history is gone
// by then and all has to be listed again; deletions come with the last state
// that is known. [Informer.Synced] and WaitForSync turn true only after that:
// what is read before is what was true once.
//
// What is saved is the state as of the last change that every subscription with
// [SubscriptionOptions].Durable has acknowledged: subscribe these before Run,
// since one that does not exist yet holds nothing back. After a restart whatever
// was not acknowledged is told again, and nothing is left out. Without durable
// subscriptions it is what the store shows. Between one save and the next it is
// noted what subscriptions with ChangesOnly are told and have acknowledged, if
// store is a [resume.Noter]; see there.
//
// A state of another cluster or of a history that was rewritten, and one saved
// with another selector, T, or codec, is set aside when the state that follows
// it is saved. Subscribers are told of deletions also then: by namespace, name
// and uid.
//
// The caller closes store after Run has returned.
func CheckpointIn[T any](store resume.Checkpoint, o CheckpointOptions[T]) Checkpointer[T] {
	return &checkpointer[T]{store: store, options: o}
}

type checkpointer[T any] struct {
	store   resume.Checkpoint
	options CheckpointOptions[T]
}

func (c *checkpointer[T]) keep(i *Informer[T], o InformerOptions[T]) (keeper[T], error) {
	options := c.options
	if options.Watch == "" {
		options.Watch = i.parts[0].query.Resource.Name
	}
	if options.Interval == 0 {
		options.Interval = DefaultCheckpointInterval
	}
	options.BatchSize = defaultTo(options.BatchSize, DefaultCheckpointBatchSize)
	options.MaxUnacknowledged = defaultTo(options.MaxUnacknowledged, DefaultCheckpointUnacknowledged)
	for _, rule := range [...]struct {
		ok              bool
		option, problem string
	}{
		{c.store != nil, "store", "is nil"},
		{options.Interval > 0, "Interval", "is negative"},
		{options.BatchSize > 0, "BatchSize", "is negative"},
		{options.MaxUnacknowledged > 0, "MaxUnacknowledged", "is negative"},
	} {
		if !rule.ok {
			return nil, &OptionError{Option: "CheckpointIn: " + rule.option, Problem: rule.problem}
		}
	}
	codec, err := codecFor(options.Codec, o.Keep == nil)
	if err != nil {
		return nil, err
	}
	k := &checkpoints[T]{informer: i, store: c.store, options: options, codec: codec, client: i.parts[0].reflector.Load().client}
	k.log = k.client.log
	k.wake, k.full = make(chan struct{}, 1), make(chan struct{}, 1)
	schema := schemaOf[T](options.Schema, o.KeepLabels)
	for _, p := range i.parts {
		w := &savedWatch[T]{part: p, fresh: true, id: identityOf(p, options.Watch, len(i.parts) > 1, schema, codec.format)}
		if err := w.id.Check(); err != nil {
			return nil, fmt.Errorf("rawwatch: CheckpointIn: %w", err)
		}
		p.reflector.Load().options.Bookmarks = true
		k.watches = append(k.watches, w)
		p.saved = w
	}
	return k, nil
}

// identityOf is a part's identity but for the cluster.
func identityOf[T any](p *part[T], watch string, several bool, schema, format string) resume.WatchIdentity {
	q := p.query
	if several {
		watch += "/" + q.Namespace
	}
	return resume.WatchIdentity{
		Watch: watch, Group: q.Resource.Group, Version: q.Resource.Version, Resource: q.Resource.Name,
		Namespace: q.Namespace, LabelSelector: q.LabelSelector, FieldSelector: q.fieldSelector(),
		Schema: schema, Format: format,
	}
}
