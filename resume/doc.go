// Package resume decides how a list/watch client goes on, whatever the server,
// the network or the process does, and remembers just enough to tell exactly
// what has changed. It does no I/O: no clock, socket, goroutine or lock is in
// it, so that hours of protocol can be checked in milliseconds.
//
// # The machine
//
// A [Machine] is told what happened, an [Outcome] with the time, and answers
// what to do next, an [Action]. A driver is a loop around [Machine.Step]:
//
//	List           ask for one page         → PageListed or Failed
//	Watch          open a stream            → StreamOpened or Failed
//	StreamInitial  the same, initial events → StreamOpened or Failed
//	Read           read the stream on       → EventSeen, BookmarkSeen, StreamEnded, Silent or Failed
//	Probe          list one object          → PageListed or Failed
//	Wait           let time pass            → WaitOver
//	GiveUp         stop
//	GoOn           nothing new: what was asked before goes on
//
// Any action but Read and GoOn closes the stream that is open. A List or StreamInitial
// with BeginList begins the state anew (Index.BeginRelist; before it
// Index.ForgetOrder if Rewritten is set); an action with Synced is the moment to
// conclude what is gone (Index.EndRelist), before carrying it out.
//
// What leads where stands in one table:
//
//	state           outcome                          next
//	Idle            Started                          fetch everything, or watch from the checkpoint
//	Listing         PageListed                       next page; after the last: watch from page 1's version
//	                Expired                          list anew; a few times in pages, then in one piece
//	                Unavailable, Unauthorized        backoff, same page; a few times, then from page 1
//	                BadResponse                      backoff, from page 1
//	                Refused                          give up, if nothing was ever fetched
//	ListingBeside   PageListed                       next page; after the last: in sync
//	                Expired                          next page by the token that came with it, or list anew
//	                Unavailable, …                   backoff, same page; a good many times, then from page 1
//	Opening         StreamOpened                     read
//	                Expired, TooLargeVersion         fetch everything, version unset
//	                Unavailable, …                   backoff, the same watch
//	Watching        EventSeen, BookmarkSeen          move the resume point forward, read on
//	                StreamEnded                      watch from the resume point: at once at the deadline,
//	                                                 else after 0 to 2 s; backoff if it did not live
//	                Silent                           probe
//	                Expired, TooLargeVersion         fetch everything, version unset
//	                Unavailable, …                   backoff, watch from the resume point
//	OpeningInitial  StreamOpened                     read
//	                Refused                          list, now and from now on
//	Streaming       BookmarkSeen with the end mark   in sync; read on as Watching
//	                anything else than events        stream anew, or list
//	Probing         PageListed                       server behind: fetch everything; else watch again
//	Auditing        PageListed                       next page; after the last, if it differs: fetch everything
//	                anything else                    until the next time
//	Waiting         WaitOver                         what the wait was for
//	any             Throttled                        wait as told, then the same
//	any             Forbidden, NotFound              wait long, then the same
//
// The whole of it is in docs/states.md, which is generated from the code, and
// comes from [Transitions]. An outcome that has no entry is a
// [*TransitionError]; the machine is then as it was.
//
// # Beside the watch
//
// A list can take longer than the server's history lasts: the watch that then
// starts from its version is expired at once, and so for ever. With
// Options.ListWhileWatching, and by itself once that has happened twice in a
// row, the machine therefore asks for page 2 and for the watch from page 1's
// version together: Action.Kind is Watch and Action.Beside is ListBeside. From
// then on there are two conversations, and outcomes of the second are marked
// with Outcome.Beside; both are stepped one after the other, in any order. What
// the watch says is taken in as it comes. What a page says that is older is
// Stale, also when the watch has told the object's deletion (an [Index]
// remembers deletions during a relist). A continue token that expires is no
// harm any more: the answer carries another, which leads to the remaining keys
// in a newer state, and the watch tells what lies between.
//
//   - The last page has come: Synced, with a GoOn. The watch runs on.
//   - The watch breaks: it is opened again from its own resume point while the
//     pages go on. No resume point is told (State) until the list is complete.
//   - The watch expires, or a history turns out to be rewritten: both start over.
//   - A page fails: it is asked for again, MaxBesideRetries times, then both start
//     over.
//   - Versions have no order: neither can be said to be older. Such lists are
//     finished before the watch starts.
//
// An audit (Options.AuditEvery) runs beside the watch as well: AuditBeside is a
// list at exactly a version that the watch has passed, which the driver
// compares with what it knows ([Index.BeginAudit]). Outcome.Differs with its
// last page leads to a new list with exact deltas. An audit that fails has no
// consequence.
//
// # A world that seems empty
//
// A driver that finds none of the objects known before in a complete list sets
// Outcome.Emptied. The state is then asked for once more, and only the second
// answer is believed.
//
// # What it keeps
//
//  1. A watch starts only from a version that this history gave as a resume
//     point: list metadata, a bookmark, or an event after the initial phase.
//     Never from one that was called expired, nor from a number in a message.
//  2. After Expired the next fetch asks for the most recent state: in pages, unless
//     Options.StreamRelist is set.
//  3. Within one history the resume point does not move backwards.
//  4. No sequence of outcomes makes a hot loop: with the default Backoff at most
//     40 requests in any minute, however it is provoked; when everything fails,
//     about 8 in the first minute and 2 to 4 in each later one. A list's further
//     pages come on top, and are bounded by Options.MaxPages.
//  5. Once servers answer well, it is in sync within a bounded number of steps,
//     however long a list takes.
//  6. Deletions are concluded only from a complete list or initial stream, and
//     not from one that seems older than what is known: that is asked for twice.
//
// # How failures are forgotten
//
// Failures in a row make waits longer: Backoff. They are forgotten when
// requests have gone well for Backoff.ResetAfter (30 s), which is as long as
// the longest wait: a stream that lives that long costs no more requests than
// waiting would. A stream that ends earlier, even cleanly and with events, counts as
// a failure. So a server that ends each stream after 2 to 6 s soon gets three
// requests a minute, while the streams that a rolling restart ends are back
// within 2 s. A lost history (Expired) is no failure; it is counted by itself,
// and listed at once the first time and with backoff when it goes round in
// circles.
//
// # Silence
//
// Servers accept a watch from a version they do not have yet, and send nothing
// (seen on kube-apiserver 1.37), so a history that was rewritten, as after the
// restore of a backup, shows only in silence. A driver that knows bookmarks to
// come reports Silent when no frame came for [DefaultSilence], closes the
// stream, and carries out the Probe: a list of limit 1, version unset, of which
// it reports the list metadata's version as PageListed. If the server is behind
// the resume point, a List with Rewritten follows; otherwise a Watch from the
// same point. In the phase of initial events Silent means that the end mark does
// not come; drivers may use a shorter bound there. Once a rewritten history has
// overtaken the resume point, nothing in the protocol shows the gap.
//
// # The index
//
// An [Index] turns lists and events into differences. Per object it holds the
// key, uid and resourceVersion, and a value of the caller's; an object that is
// known is recognised without an allocation. Its order of versions is
// [CompareVersions].
//
// # Across restarts
//
// A [Checkpoint] is where the next process finds what this one knew: per watch
// a [WatchIdentity], the version to go on from, and each object's key, uid,
// version and, as chosen, its bytes. It is an interface: the package
// resume/checkpoint keeps it on disk. Changes come to it as a [Batch], whose
// encoding is also what is stored.
package resume

//go:generate go run ./internal/statedoc . ../docs/states.md
