// Package checkpoint keeps what watches know in a file, so that the next
// process goes on where this one stopped, however it stopped. It is linked only
// by programs that import it.
//
//	store, err := checkpoint.Open(ctx, "/var/lib/agent/watch.ckpt", checkpoint.Options{})
//
// # The file
//
// A file is a log: a header, then frames. A commit is one frame with a
// checksum, deflated, at the end of the file; it is there as a whole or not at
// all. When the log has grown by three times the state (Options.CompactFactor),
// the state is written into a new file, which then takes the old one's name.
// The bytes are described in header.go and frame.go, what was measured against
// other ways to do it in docs/checkpoints.md.
//
// In memory a [Store] holds the watches' names and versions, and nothing of
// their objects: a state is read from the file's end to its begin, by which
// each object is seen first as it is now. That and compaction take 16 bytes per
// key, and one frame, for as long as they last.
//
// # What can go wrong
//
//	the process is killed            nothing is lost that was committed
//	the power fails                  what Options.Sync left unsynced is lost: by default 5 s
//	a write was cut off              the rest of it is removed by the next Open
//	the disk is full, or fails       Degraded: commits stay in memory and are written when that works again
//	bytes are damaged                the file is set aside; what is before the damage is gone on from
//	another program's file           it is set aside, and a new one begun
//	the file of a newer program      the same
//	the file of an older program     it is rewritten in today's format
//	another process has the file     [*LockedError], after Options.LockWait
//	a directory, no permission, …    [*FileError]
//	damage is found while in use     [resume.ErrNothingSaved]: begin anew with Replace
//
// A state that is older than what was acknowledged is still a state: going on
// from it tells some changes again, and leaves none out.
//
// A file that was set aside has a name like watch.ckpt.corrupt-20260501T120000Z,
// a copy of one watch's state like watch.ckpt.watch-20260501T120000Z-8f14e45f, by
// when it was saved; the last [MaxAside] of them are kept. [Show], [Verify] and [Compact] are for
// people with a file in their hands; the command line has them too.
//
// # Secrets
//
// Objects of Secrets are refused with a [*SecretsError] unless there is an
// [Encryption], or Options.AllowSecrets. An encryption covers whatever is in
// the records: keys, uids, versions and objects of all watches.
package checkpoint
