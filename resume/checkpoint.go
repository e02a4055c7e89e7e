package resume

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Checkpoint keeps what watches know, so that the next process goes on where
// this one stopped. One checkpoint holds any number of watches, by name. The
// package resume/checkpoint is the one on disk.
//
// A watch begins with Load. It then either goes on from what was loaded, or
// gives the full state with Replace; after that it commits differences. All
// methods are safe for concurrent use, but the calls for one watch come one
// after another. None of them keeps what it is given after it returns.
//
// Whatever instant the process is killed at, the next Load gives the state as
// of some Commit or Replace, whole: never half of one. Which one, if a machine
// loses power, is up to the implementation's sync policy.
type Checkpoint interface {
	// Load gives the state of a watch. The error is ErrNothingSaved when
	// there is none.
	Load(ctx context.Context, watch string) (*Saved, error)

	// Commit adds a batch to the state of a watch, and moves it to
	// resourceVersion, both or neither. "" leaves the version as it is; a nil
	// batch moves only the version. The error is ErrNothingSaved when the
	// watch has no state that the batch could change.
	Commit(ctx context.Context, watch string, b *Batch, resourceVersion string) error

	// Replace makes the objects the whole state of the watch id.Watch,
	// whatever was there. The sequence is read as it comes and may be longer
	// than memory. When it yields an error, or Replace fails otherwise, the
	// state is what it was before. The sequence must not call the checkpoint
	// for the same watch.
	Replace(ctx context.Context, id WatchIdentity, resourceVersion string, objects iter.Seq2[Record, error]) error

	// SetAside keeps a copy of the state of a watch where a person can look at
	// it, and the reason beside it: call it before a Replace by what does not
	// go on from that state. What is saved stays until Replace takes its place,
	// so that a process that is killed in between loses nothing. Calling it
	// again for the same state adds no copy, and how many are kept is bounded.
	// It is no error when there is nothing. What is saved is as it was also
	// where there is an error.
	SetAside(ctx context.Context, watch, reason string) error

	// Status says how the checkpoint is. It does no I/O.
	Status() CheckpointStatus

	// Close makes what was committed durable and releases what is held.
	// Later calls of other methods return ErrCheckpointClosed; closing again
	// does nothing.
	Close() error
}

// Noter is a [Checkpoint] that also takes in small changes, often, without
// waiting for a medium or a network. An informer notes there, between one save
// and the next, what subscribers are told and have acknowledged.
type Noter interface {
	Checkpoint

	// Note is Commit of a batch, but for this: it syncs nothing, whatever the
	// policy (though it may wait for a compaction); it moves no version; and it
	// does not count as payload. When it has returned, the batch survives the end
	// of the process as a commit does: unless the medium fails.
	Note(ctx context.Context, watch string, b *Batch) error
}

// ErrNothingSaved says that a checkpoint holds no state of this watch: begin
// with Replace.
var ErrNothingSaved = errors.New("checkpoint: nothing is saved for this watch")

// ErrCheckpointClosed says that the checkpoint was closed before the call.
var ErrCheckpointClosed = errors.New("checkpoint: closed")

// Saved is the state of one watch, as of its last Commit or Replace.
type Saved struct {
	Identity        WatchIdentity
	ResourceVersion string

	// SavedAt is the wall clock's time of the last Commit or Replace. It may
	// lie in the future when the clock was set back meanwhile; see
	// [Saved.Age].
	SavedAt time.Time

	// Objects yields each object once, in no order. A Record is borrowed
	// until the next one. The first error ends the sequence. It can be ranged
	// over more than once until the checkpoint is changed; no method of the
	// checkpoint may be called for this watch in the loop's body.
	Objects iter.Seq2[Record, error]
}

// Age is how old the state is at now, and never negative: a clock that was set
// back does not make a state newer than now.
func (s *Saved) Age(now time.Time) time.Duration { return max(0, now.Sub(s.SavedAt)) }

// CheckpointHealth is what a checkpoint does with what is committed.
type CheckpointHealth uint8

const (
	// CheckpointDurable is the state of one that works.
	CheckpointDurable CheckpointHealth = iota
	// CheckpointDegraded keeps commits in memory, because its medium fails,
	// and writes them when the medium works again. What was on the medium is
	// still there, older.
	CheckpointDegraded
	// CheckpointMemoryOnly keeps everything in memory, as it was told to.
	CheckpointMemoryOnly
	// CheckpointClosed takes nothing more.
	CheckpointClosed
)

var checkpointHealthNames = [...]string{"Durable", "Degraded", "MemoryOnly", "Closed"}

// String is the constant's name without the prefix, or "unknown".
func (h CheckpointHealth) String() string { return nameOf(checkpointHealthNames[:], int(h)) }

// CheckpointStatus says how a checkpoint is. Counts are since it was opened.
type CheckpointStatus struct {
	Health CheckpointHealth
	// Err is why it is Degraded, or why a file was set aside at the start;
	// nil otherwise.
	Err error
	// Since is when Health became what it is.
	Since time.Time
	// Unwritten is how many bytes exist in memory only because the medium
	// fails.
	Unwritten int64
	// Size is the number of bytes that the checkpoint takes on its medium.
	Size int64
	// Written is the number of bytes written to the medium, what compaction
	// writes included; Payload is what callers gave: keys, uids, versions and
	// objects as text. Written/Payload is what a flash device feels.
	Written, Payload int64
	// Commits and Compactions count what was done.
	Commits, Compactions int64
}
