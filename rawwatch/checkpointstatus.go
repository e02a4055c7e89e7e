package rawwatch

import (
	"context"
	"log/slog"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// InformerCheckpoint is how an informer's checkpoint is at one moment.
type InformerCheckpoint struct {
	// Unconfirmed is set while at least a part of what the informer's store
	// shows comes from the checkpoint, and the server has not confirmed it yet.
	Unconfirmed bool
	// Restored is how many objects the checkpoint held. SavedAt is when the
	// oldest of its watches was saved, by the wall clock; zero when there was
	// none.
	Restored int
	SavedAt  time.Time
	// Aside is why a saved state was not gone on from; "" when it was, or there
	// was none.
	Aside string
	// Unsaved is how many changes were published and are not yet saved, those
	// included that wait to be acknowledged.
	Unsaved int
	// LastSave is when something was last saved in this run; zero before.
	LastSave time.Time
	// Err is why the last attempt to load or to save failed; nil when it did
	// not. It is tried again; meanwhile the informer goes on as without a
	// checkpoint.
	Err error
	// Store is the checkpoint's own status: it may well take what is saved
	// without an error and yet be unable to write it.
	Store resume.CheckpointStatus
}

// status is safe for concurrent use.
func (k *checkpoints[T]) status() *InformerCheckpoint {
	k.mu.Lock()
	s := k.report
	k.mu.Unlock()
	for _, w := range k.watches {
		s.Unsaved += w.journal.changes()
	}
	s.Store = k.store.Status()
	return &s
}

func (j *journal[T]) changes() (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.entries {
		if j.entries[i].item != nil {
			n++
		}
	}
	return n
}

func (k *checkpoints[T]) write(change func(*InformerCheckpoint)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.report)
}

// failed publishes that the checkpoint did not do what was asked of it. What
// repeats itself is logged once.
func (k *checkpoints[T]) failed(err error) {
	k.mu.Lock()
	before := k.report.Err
	k.report.Err = err
	k.mu.Unlock()
	if before == nil || before.Error() != err.Error() {
		k.log.Log(context.Background(), slog.LevelWarn, "the checkpoint cannot be used; going on without, and trying again", "checkpoint", k.options.Watch, "error", err)
	}
}

func (k *checkpoints[T]) worked() {
	k.mu.Lock()
	before := k.report.Err
	k.report.Err, k.report.LastSave = nil, time.Now()
	k.mu.Unlock()
	if before != nil {
		k.log.Log(context.Background(), slog.LevelInfo, "the checkpoint works again", "checkpoint", k.options.Watch)
	}
}
