package rawwatch

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// writer is the memory of the goroutine that saves.
type writer[T any] struct {
	batch  resume.Batch
	object []byte
	key    []byte
	seen   map[decode.Key]struct{}
}

// forget empties seen, and lets go of what a large batch has made of it: a map
// never gets smaller.
func (w *writer[T]) forget() {
	if len(w.seen) > keptEntries/4 {
		w.seen = nil
	}
	clear(w.seen)
}

// saveBackoff is how long to wait after what could not be saved.
var saveBackoff = resume.Backoff{Min: time.Second, Max: 30 * time.Second, Factor: 2}

// save is the goroutine: it sleeps until there is something to save, collects
// for a while, and saves what is acknowledged.
func (k *checkpoints[T]) save() {
	for failures := 0; ; {
		select {
		case <-k.wake:
		case <-k.ctx.Done():
			return
		}
		if !k.collect(failures) {
			return
		}
		if k.saveAll(k.ctx) {
			failures = 0
		} else {
			failures++
		}
		if k.waiting() {
			signal(k.wake)
		}
	}
}

// collect waits until it is time to save; false when it is time to stop.
func (k *checkpoints[T]) collect(failures int) bool {
	wait, full := k.options.Interval, k.full
	if failures > 0 {
		wait, full = max(wait, saveBackoff.Wait(failures, rand.Float64())), nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-full:
	case <-k.ctx.Done():
		return false
	}
	return true
}

// waiting reports whether there is anything left.
func (k *checkpoints[T]) waiting() bool {
	for _, w := range k.watches {
		if len(w.taken) > 0 || w.journal.size() > 0 {
			return true
		}
	}
	return false
}

// saveAll saves what is acknowledged; false when something failed.
func (k *checkpoints[T]) saveAll(ctx context.Context) (ok bool) {
	acked := k.informer.subscribers.acknowledged()
	ok = true
	for _, w := range k.watches {
		w.taken = w.journal.take(w.taken, acked)
		if len(w.taken) == 0 {
			continue
		}
		err := k.saveWatch(ctx, w)
		switch {
		case err == nil:
			clear(w.taken)
			if w.taken = w.taken[:0]; cap(w.taken) > keptEntries {
				w.taken = nil
			}
			k.worked()
		case ctx.Err() != nil:
			return false
		case errors.Is(err, resume.ErrNothingSaved):
			k.renew(w)
			ok = false
		default:
			k.failed(err)
			if len(w.taken) > k.options.MaxUnacknowledged {
				k.renew(w)
			}
			ok = false
		}
	}
	if ok && k.deliveries != nil {
		k.deliveries.settle(k.savedUpTo(acked))
	}
	return ok
}

// renew puts the whole state in the place of all that waits to be saved, if
// nobody publishes at this moment; otherwise the next attempt does.
func (k *checkpoints[T]) renew(w *savedWatch[T]) {
	select {
	case k.informer.publishing <- struct{}{}:
	default:
		return
	}
	defer k.informer.release()
	clear(w.taken)
	w.taken = nil
	w.journal.restart(k.wholeOf(w))
}

// saveWatch saves what was taken: the last whole state in it, then what has
// changed since.
func (k *checkpoints[T]) saveWatch(ctx context.Context, w *savedWatch[T]) error {
	for n := len(w.taken) - 1; n >= 0; n-- {
		if w.taken[n].whole == nil {
			continue
		}
		if err := k.saveWhole(ctx, w, &w.taken[n]); err != nil {
			return err
		}
		rest := copy(w.taken, w.taken[n+1:])
		clear(w.taken[rest:])
		w.taken = w.taken[:rest]
		break
	}
	if len(w.taken) == 0 {
		return nil
	}
	if err := k.fold(w.taken); err != nil {
		return err
	}
	defer k.writer.batch.Reset() // it keeps little
	return k.store.Commit(ctx, w.id.Watch, &k.writer.batch, w.taken[len(w.taken)-1].version)
}

// saveWhole replaces what is saved, after setting it aside where that is due.
// Until it is replaced it tells the next process what was known. What is
// distrusted meanwhile stays so: what was saved here is of before.
func (k *checkpoints[T]) saveWhole(ctx context.Context, w *savedWatch[T], e *entry[T]) error {
	id := w.id
	var err error
	if id.Cluster, err = k.cluster(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	aside := w.aside
	w.mu.Unlock()
	if aside != "" {
		if err := k.store.SetAside(ctx, id.Watch, aside); err != nil {
			return err
		}
	}
	if err := k.store.Replace(ctx, id, e.version, k.records(e.whole)); err != nil {
		return err
	}
	w.mu.Lock()
	if w.aside == aside {
		w.fresh, w.aside = false, ""
	}
	w.mu.Unlock()
	return nil
}

// records are those of a whole state. A record is borrowed until the next.
func (k *checkpoints[T]) records(whole *Snapshot[T]) iter.Seq2[resume.Record, error] {
	return func(yield func(resume.Record, error) bool) {
		for _, item := range whole.All() {
			r, err := k.record(item)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (k *checkpoints[T]) record(item *Item[T]) (resume.Record, error) {
	object, err := k.codec.encode(k.writer.object[:0], item)
	k.writer.object = object
	if len(object) == 1 && object[0] == 0 {
		object = nil // nothing but who it is
	}
	return resume.Record{Meta: k.meta(item.Identity), Object: object}, err
}

// meta is an identity as bytes, borrowed until the next.
func (k *checkpoints[T]) meta(id decode.Identity) decode.Meta {
	b := k.writer.key[:0]
	b = append(b, id.Namespace...)
	b = append(b, id.Name...)
	b = append(b, id.UID...)
	b = append(b, id.ResourceVersion...)
	k.writer.key = b
	name := len(id.Namespace)
	uid := name + len(id.Name)
	version := uid + len(id.UID)
	return decode.Meta{Namespace: b[:name], Name: b[name:uid], UID: b[uid:version], ResourceVersion: b[version:]}
}

// errBatchTooLarge makes a batch that does not fit be saved as part of the whole.
var errBatchTooLarge = errors.Join(errors.New("rawwatch: the changes do not fit into one batch"), resume.ErrNothingSaved)

// fold fills the batch with the last state of each object among the entries.
func (k *checkpoints[T]) fold(entries []entry[T]) error {
	k.writer.batch.Reset()
	if k.writer.seen == nil {
		k.writer.seen = map[decode.Key]struct{}{}
	}
	defer k.writer.forget()
	for n := len(entries) - 1; n >= 0; n-- {
		item := entries[n].item
		if item == nil {
			continue
		}
		key := item.Key()
		if _, newer := k.writer.seen[key]; newer {
			continue
		}
		k.writer.seen[key] = struct{}{}
		if entries[n].deleted {
			meta := k.meta(item.Identity)
			k.writer.batch.Delete(&meta)
			continue
		}
		r, err := k.record(item)
		if err != nil {
			return err
		}
		k.writer.batch.Put(&r.Meta, r.Object)
		if k.writer.batch.Size() > resume.MaxBatchBytes {
			return errBatchTooLarge
		}
	}
	return nil
}

// stop ends what runs, and saves what is acknowledged once more. ctx bounds it.
func (k *checkpoints[T]) stop(ctx context.Context) {
	k.cancel()
	k.running.Wait()
	k.saveAll(ctx)
	for _, c := range k.claims {
		c.giveUp()
	}
}
