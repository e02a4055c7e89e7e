package rawwatch

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// checkpoints restores an informer and saves what it publishes: the keeper of
// [CheckpointIn]. One goroutine, which [Informer.Run] owns, does all that
// is written.
type checkpoints[T any] struct {
	informer *Informer[T]
	store    resume.Checkpoint
	options  CheckpointOptions[T]
	codec    itemCodec[T]
	client   *Client
	log      Logger
	watches  []*savedWatch[T]
	claims   []claim // of Run alone
	noted    bool    // an earlier process has left notes; as it was at the start

	wake    chan struct{}   // there is something to save
	full    chan struct{}   // there is enough for a batch
	ctx     context.Context // of what runs, until stop
	cancel  context.CancelFunc
	running sync.WaitGroup
	inHand  atomic.Int32 // events that were read and are not yet published

	// Of who may publish.
	lastPublished time.Time      // to its end
	current       *savedWatch[T] // whose event is published
	restoring     bool           // what is published is saved already
	count         int            // changes of the event so far
	sequence      uint64         // of the last change

	deliveries *deliveries // nil when nobody needs them
	// orphans are objects that subscriptions may know from an earlier process and
	// that are not saved, until a sync has said which of them are gone. Of who may
	// publish.
	orphans missing

	// Of the goroutine that saves.
	writer writer[T]

	mu        sync.Mutex // guards the fields below
	clusterID string     // "" until it is known
	report    InformerCheckpoint
}

// taker is the part itself, as a rule. It notes whose event is published.
func (k *checkpoints[T]) taker(p *part[T], e Event) taker[T] {
	w := p.saved
	k.current, k.count = w, 0
	listed := e.Cause == CauseList || e.Cause == CauseRelist
	if k.deliveries != nil && listed && !w.rewritten && p.own.tracker.unordered {
		w.rewritten = true
		k.deliveries.doubt()
	}
	if len(w.former) > 0 || len(k.orphans) > 0 || k.deliveries != nil && k.deliveries.doubted {
		return missingTaker[T]{p, k}
	}
	return p
}

// observe notes a change, and says of what happened while nobody watched how
// it was learned.
func (k *checkpoints[T]) observe(c *Change[T]) {
	k.sequence = c.Sequence
	w := k.current
	if w.resuming && c.Cause == CauseStream {
		c.Cause = CauseCheckpoint
	}
	if c.Item == nil || w.version == "" {
		return // a milestone; or it will be saved as part of a whole
	}
	switch {
	case k.informer.subscribers.publication.recalls:
		w.journal.pass(c)
	case !k.restoring:
		w.journal.change(c)
		k.count++
	}
}

// published notes where the stream stands after an event.
func (k *checkpoints[T]) published(ctx context.Context, p *part[T], e Event) error {
	w := p.saved
	k.inHand.Add(-1)
	k.lastPublished = time.Now()
	if e.Type == Synced {
		k.synced(w, e)
	} else if e.ResourceVersion != "" && w.version != "" {
		w.version = e.ResourceVersion
		w.journal.point(k.sequence, e.ResourceVersion)
	}
	if size := w.journal.size(); size >= k.options.BatchSize {
		signal(k.full)
	}
	signal(k.wake)
	switch {
	case w.resuming && w.caughtUp(e):
		return k.confirm(ctx, w)
	case w.lagging && w.caughtUp(e):
		w.lagging = false
		return k.conclude(ctx, w)
	}
	return nil
}

// synced takes in the end of a list.
func (k *checkpoints[T]) synced(w *savedWatch[T], e Event) {
	first, resumed := w.version == "", w.resuming
	w.version, w.resuming, w.unconfirmed, w.former = e.ResourceVersion, false, false, nil
	w.lagging, w.rewritten = false, false
	if resumed && rewritten(w.part.reflector.Load().Status().LastListReason) {
		k.distrust(w, "the server's history was rewritten: it is behind the saved version")
	}
	k.write(func(s *InformerCheckpoint) { s.Unconfirmed = k.unconfirmed() })
	defer k.endPast() // when what it follows from is in the journal
	if first || w.isFresh() || k.count >= k.options.MaxUnacknowledged {
		w.journal.restart(k.wholeOf(w))
		return
	}
	w.journal.point(k.sequence, e.ResourceVersion)
}

// wholeOf is the entry of all that the watch shows.
func (k *checkpoints[T]) wholeOf(w *savedWatch[T]) entry[T] {
	return entry[T]{sequence: k.sequence, version: w.version, whole: w.part.own.Snapshot()}
}

// distrust sees to it that what is saved is set aside, once there is something
// to save in its place: until then it is all that tells what was known.
func (k *checkpoints[T]) distrust(w *savedWatch[T], why string) {
	w.mu.Lock()
	w.fresh, w.aside = true, why
	w.mu.Unlock()
	k.log.Log(context.Background(), slog.LevelWarn, "the checkpoint is not gone on from and will be set aside; everything is fetched anew", "checkpoint", k.options.Watch, "watch", w.id.Watch, "reason", why)
	k.write(func(s *InformerCheckpoint) { s.Aside = why })
}

// unconfirmed reports whether anything is.
func (k *checkpoints[T]) unconfirmed() bool {
	for _, w := range k.watches {
		if w.unconfirmed {
			return true
		}
	}
	return false
}

func (w *savedWatch[T]) isFresh() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fresh
}

// rewritten says that the last list was because of a history that is void.
func rewritten(why resume.Reason) bool {
	return why == resume.ReasonRewritten || why == resume.ReasonTooLarge
}

// roomEvery is how often acknowledgements are asked for while the stream waits
// for them.
const roomEvery = 20 * time.Millisecond

// room lets the stream wait for those who acknowledge.
func (k *checkpoints[T]) room(ctx context.Context) error {
	k.inHand.Add(1)
	for k.crowded() {
		if !sleep(ctx, roomEvery) {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (k *checkpoints[T]) crowded() bool {
	total := 0
	for _, w := range k.watches {
		total += w.journal.size()
	}
	if total < k.options.MaxUnacknowledged {
		return false
	}
	acked := k.informer.subscribers.acknowledged()
	total = 0
	for _, w := range k.watches {
		total += w.journal.beyond(acked)
	}
	signal(k.full)
	return total >= k.options.MaxUnacknowledged
}
