package rawwatch

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// quietFor is for how long a stream that goes on from a checkpoint has to be
// silent to have told all that happened meanwhile. A server sends its backlog,
// or that it no longer has it, at once.
const quietFor = time.Second

// lagFor is for how long it has to be silent when it has not come to where the
// server stood: servers that are overloaded lag, and within a minute most send a
// bookmark.
const lagFor = time.Minute

// admit decides where a restored part goes on: it asks the server who it is,
// and where it stands, before the saved version is used.
func (k *checkpoints[T]) admit(ctx context.Context, p *part[T]) error {
	w := p.saved
	if w.isFresh() {
		if !k.noted {
			return nil
		}
		return k.doubt(ctx, k.headOf(ctx, p))
	}
	p.reflector.Load().restored = true
	cluster, err := k.knowCluster(ctx, p)
	if err != nil {
		return err
	}
	why := ""
	switch w.head = k.headOf(ctx, p); {
	case cluster != w.id.Cluster:
		why = "it is of another cluster: " + w.id.Cluster + ", and this is " + cluster
	case !resumable(w.version):
		why = "it holds no version to go on from"
	case behind(w.head, w.version):
		why = "the server's history was rewritten: it is at version " + w.head + ", behind the saved " + w.version
	}
	if err := k.doubt(ctx, w.head); err != nil {
		return err
	}
	if why == "" {
		p.reflector.Load().from = w.version
		need := quietFor
		if w.head == w.version {
			need = 0 // there is no backlog
		}
		k.running.Go(func() { k.awaitQuiet(w, need) })
		return nil
	}
	// What was restored stays, to be compared with what the server has.
	k.distrust(w, why)
	w.resuming, w.rewritten = false, true // what is noted was looked at
	storeIndex[T]{p.own}.ForgetOrder()
	return nil
}

// headTries is how often the server is asked where it stands, when notes depend on
// it.
const headTries = 5

// headOf is the version of the server's most recent state; "" when it does not
// say. Without notes nothing depends on that but how soon and how surely.
func (k *checkpoints[T]) headOf(ctx context.Context, p *part[T]) string {
	r := p.reflector.Load()
	for failures := 1; ; failures++ {
		end, err := k.client.readPage(ctx, *r.asks(), listPage{limit: 1, form: r.form()}, func(*decode.Item) bool { return true })
		if err == nil {
			return end.ResourceVersion
		}
		if !k.noted || failures == headTries || !sleep(ctx, r.options.Backoff.Wait(failures, rand.Float64())) {
			return ""
		}
	}
}

// resumable bounds what a checkpoint may say, which is not trusted.
func resumable(version string) bool {
	const longest = 1024
	return version != "" && version != "0" && len(version) <= longest
}

// behind reports that a is certainly older than b.
func behind(a, b string) bool {
	order, comparable := resume.CompareVersions(a, b)
	return a != "" && b != "" && comparable && order < 0
}

// caughtUp says that with this event everything was told that happened before
// the stream began.
func (w *savedWatch[T]) caughtUp(e Event) bool {
	if e.ResourceVersion == "" {
		return false
	}
	return e.Type == Bookmark || w.head != "" && !behind(e.ResourceVersion, w.head)
}

// awaitQuiet confirms the watch once its stream has been open and silent for as
// long as need; and when that was before it had come to where the server stood, it
// gives it lagFor to go on. It ends with that, whoever has confirmed the watch, or
// with Run.
func (k *checkpoints[T]) awaitQuiet(w *savedWatch[T], need time.Duration) {
	for sleep(k.ctx, quietFor/4) {
		if !w.quiet(need) {
			continue
		}
		done, err := k.confirmQuiet(w, need)
		if done || err != nil {
			return
		}
	}
}

// quiet reports whether the stream has been open and silent for long enough.
func (w *savedWatch[T]) quiet(need time.Duration) bool {
	s := w.part.reflector.Load().Status()
	since := s.Since
	if s.LastFrame.After(since) {
		since = s.LastFrame
	}
	return s.Connected && s.Phase == resume.PhaseWatching && time.Since(since) >= need
}

// confirmQuiet does so unless the moment has passed. done says that there is no more
// to wait for.
func (k *checkpoints[T]) confirmQuiet(w *savedWatch[T], need time.Duration) (done bool, err error) {
	if err := k.informer.acquire(k.ctx); err != nil {
		return false, err
	}
	defer k.informer.release()
	if !w.resuming && !w.lagging {
		return true, nil
	}
	if !w.resuming {
		need = lagFor
	}
	// A stream is also silent while nobody reads it, because handlers are slow.
	if !w.quiet(need) || k.inHand.Load() > 0 || time.Since(k.lastPublished) < need {
		return false, nil
	}
	if w.resuming {
		err := k.confirm(k.ctx, w)
		return !w.lagging, err
	}
	w.lagging = false
	return true, k.conclude(k.ctx, w)
}

// confirm publishes that the watch is in sync: the server has accepted the saved
// version, and told what came after it. The store is not touched: the reflector
// may be reading it.
func (k *checkpoints[T]) confirm(ctx context.Context, w *savedWatch[T]) error {
	w.resuming, w.unconfirmed = false, false
	w.lagging = behind(w.version, w.head)
	p, i := w.part, k.informer
	p.synced = true
	p.completes = i.complete()
	p.reflector.Load().board.synced(p.own.Len())
	k.log.Log(context.Background(), slog.LevelInfo, "gone on from the checkpoint", "checkpoint", k.options.Watch, "watch", w.id.Watch, "objects", p.own.Len(), "resourceVersion", w.version)
	k.write(func(s *InformerCheckpoint) { s.Unconfirmed = k.unconfirmed() })
	if err := k.conclude(ctx, w); err != nil {
		return err
	}
	if !p.completes {
		return nil
	}
	return i.subscribers.publishTo(ctx, milestone[T]{}, Event{Type: Synced, Cause: CauseCheckpoint, ResourceVersion: w.version})
}

// conclude tells what is left to tell, when a part has gone on to where the server
// stood.
func (k *checkpoints[T]) conclude(ctx context.Context, w *savedWatch[T]) error {
	if k.deliveries == nil || w.lagging {
		return nil
	}
	if k.current = w; k.deliveries.doubted || len(k.orphans) > 0 {
		if err := k.informer.subscribers.publishTo(ctx, completion[T]{missingTaker[T]{w.part, k}}, Event{}); err != nil {
			return err
		}
		w.journal.point(k.sequence, w.version)
		signal(k.wake)
	}
	k.endPast()
	return nil
}

// milestone takes in an event that changes nothing.
type milestone[T any] struct{}

func (milestone[T]) Apply(e Event, deliver func(Change[T]) bool) bool {
	return deliver(Change[T]{Type: e.Type, Cause: e.Cause, ResourceVersion: e.ResourceVersion})
}

func (milestone[T]) syncs(Event) bool { return true }
