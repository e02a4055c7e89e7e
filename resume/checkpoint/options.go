package checkpoint

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/rawwatch/rawwatch/internal/silent"
)

// Logger is told what happens; a [*slog.Logger] is one. It must be safe for
// concurrent use.
type Logger interface {
	// Log is slog.Logger.Log: args are pairs of a key and a value.
	Log(ctx context.Context, level slog.Level, message string, args ...any)
	// Enabled is slog.Logger.Enabled.
	Enabled(ctx context.Context, level slog.Level) bool
}

// Defaults of [Options].
const (
	// DefaultSyncEvery is how old what is not yet synced may get. A killed
	// process loses nothing of it, a machine without power does; what is lost
	// is delivered again.
	DefaultSyncEvery = 5 * time.Second
	// DefaultRetryEvery is how often a medium that failed is tried again.
	DefaultRetryEvery = 10 * time.Second
	// DefaultCompactFrom is the growth under which compaction is not worth
	// its writes.
	DefaultCompactFrom = 1 << 20
	// DefaultCompactFactor bounds the file at one plus this many times the
	// state, and what compaction writes at a third of what commits write.
	DefaultCompactFactor = 3
	// DefaultLockWait is how long another process may take to let go of the
	// file: one that is being replaced by this one.
	DefaultLockWait = 5 * time.Second
	// MaxAside is how many files set aside are kept beside a checkpoint; the
	// oldest go first.
	MaxAside = 4
)

// SyncPolicy is when what was written is made durable against a loss of power.
// Against the death of the process it is durable once written.
type SyncPolicy uint8

const (
	// SyncInterval syncs at most Options.SyncEvery after a write.
	SyncInterval SyncPolicy = iota
	// SyncAlways syncs before Commit and Replace return.
	SyncAlways
	// SyncOnClose leaves it to the operating system, and to Close.
	SyncOnClose
)

// Options configure [Open]. The zero value is ready to use.
type Options struct {
	// Sync is when to sync; zero is SyncInterval.
	Sync SyncPolicy
	// SyncEvery is the interval of SyncInterval; 0 is DefaultSyncEvery.
	SyncEvery time.Duration

	// MemoryOnly touches no file: the state lasts as long as the Store.
	MemoryOnly bool

	// GoOnWithout makes a file that cannot be used no error of Open: the Store
	// is then in memory only, and Status().Err says why. What a file that can
	// be read but not written holds is used.
	GoOnWithout bool

	// LockWait is how long to wait for another process that has the file
	// open; 0 is DefaultLockWait, less than 0 does not wait.
	LockWait time.Duration

	// RetryEvery is how often a medium that failed is tried again; 0 is
	// DefaultRetryEvery.
	RetryEvery time.Duration

	// The file is rewritten when it has grown by CompactFrom bytes and by
	// CompactFactor times the state. 0 is the default.
	CompactFrom   int64
	CompactFactor int

	// Encryption encrypts what the records hold: keys, uids, versions and
	// objects. Identities and the watches' versions stay readable. nil stores
	// in the clear.
	Encryption Encryption

	// AllowSecrets allows objects of Secrets in the clear.
	AllowSecrets bool

	// Logger is told when the medium fails and works again, and when a file
	// was set aside. nil is silent.
	Logger Logger

	// FS is where the file is; nil is OS.
	FS FS

	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
}

// Encryption seals what is stored, with authentication, as crypto/cipher.AEAD
// does with a nonce of its own making. Both methods append to dst, must not
// change their input, and are called by one goroutine at a time. What was
// sealed under associated data opens under the same only.
type Encryption interface {
	Seal(dst, plaintext, associated []byte) ([]byte, error)
	Open(dst, sealed, associated []byte) ([]byte, error)
}

// OptionError says which option Open does not accept, and what it would.
type OptionError struct {
	Option  string // the field's name, or "path"
	Problem string // completes the sentence "Option …"
}

// Error names the option and what is accepted.
func (e *OptionError) Error() string {
	return fmt.Sprintf("checkpoint: option %s %s", e.Option, e.Problem)
}

func (o Options) withDefaults() (Options, error) {
	o.SyncEvery = orDefault(o.SyncEvery, DefaultSyncEvery)
	o.RetryEvery = orDefault(o.RetryEvery, DefaultRetryEvery)
	o.LockWait = orDefault(o.LockWait, DefaultLockWait)
	o.CompactFrom = orDefault(o.CompactFrom, DefaultCompactFrom)
	o.CompactFactor = orDefault(o.CompactFactor, DefaultCompactFactor)
	if silent.Is(o.Logger) {
		o.Logger = silent.Logger{}
	}
	if o.FS == nil {
		o.FS = OS
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for _, rule := range []struct {
		ok           bool
		option, need string
	}{
		{o.Sync <= SyncOnClose, "Sync", "one of the constants"},
		{o.SyncEvery > 0, "SyncEvery", "positive"},
		{o.RetryEvery > 0, "RetryEvery", "positive"},
		{o.CompactFrom > 0, "CompactFrom", "positive"},
		{o.CompactFactor > 0, "CompactFactor", "positive"},
	} {
		if !rule.ok {
			return o, &OptionError{rule.option, "must be " + rule.need}
		}
	}
	return o, nil
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
